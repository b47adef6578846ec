import { sql } from "drizzle-orm";
import { newsletters, subscribers } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, assignments, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, list_id, company_id, status, mailed_at, seal_id, email_enc, first_name_enc, language, email_hmac } =
  subscribers;

/** Statement: the next imported subscribers of a newsletter that wait for their confirmation mail. */
export const findUnmailed = statement({ listId: list_id, limit: integer }, (p) =>
  selectRows(
    { id, company_id, email_hmac, seal_id, email_enc, first_name_enc, language },
    (
      columns,
    ) => sql`select ${columns} from ${subscribers} where ${list_id} = ${p.listId} and ${status} = 'pending' and ${mailed_at} is null
      order by ${id} limit ${p.limit}`,
  ),
);

/** Statement: stop the wait of the listed subscribers that got no mail, because it is suppressed or limited. */
export const skipUnmailed = statement({ ids: json<readonly number[]>(), listId: list_id, now: integer }, (p) => {
  const change = assignments(subscribers, { mailed_at: p.now });
  return sql`update ${subscribers} set ${change} where ${isInList(id, p.ids)} and +${list_id} = ${p.listId} and +${status} = 'pending'
    and ${mailed_at} is null`;
});

/** Statement: a newsletter whose confirmation mails are due. */
export const findDueList = statement({ id: newsletters.id, now: integer }, (p) =>
  queryBuilder
    .select(allColumns(newsletters))
    .from(newsletters)
    .where(sql`${newsletters.id} = ${p.id} and ${newsletters.confirm_at} <= ${p.now}`),
);

/** Statement: the newsletters whose confirmation mails have been due since `before`, at most 100. */
export const findDueLists = statement({ before: integer }, (p) =>
  selectRows(
    { id: newsletters.id, company_id: newsletters.company_id },
    (
      columns,
    ) => sql`select ${columns} from ${newsletters} where ${newsletters.confirm_at} is not null and ${newsletters.confirm_at} <= ${p.before}
      order by ${newsletters.confirm_at} limit 100`,
  ),
);

/** Statement: the next step of confirmation mails is due at `at` (unix ms), or never when no subscriber waits. */
export const scheduleNext = statement({ id: newsletters.id, at: integer }, (p) => {
  const isWaiting = sql`exists (select 1 from ${subscribers} where ${list_id} = ${p.id} and ${status} = 'pending' and ${mailed_at} is null)`;
  return sql`update ${newsletters} set ${assignments(newsletters, { confirm_at: sql`iif(${isWaiting}, ${p.at}, null)` })}
    where ${newsletters.id} = ${p.id}`;
});
