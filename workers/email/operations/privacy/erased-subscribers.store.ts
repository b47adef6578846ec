import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { erasures, newsletters, subscribers } from "../../../../db/email/schema";
import { json } from "../../../kit/db/kind";
import { assignments, isInList, jsonEach, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const subscriber = alias(subscribers, "subscriber");
const erasureRow = alias(erasures, "erasure");
const hash = jsonEach(sql<string[]>`${erasureRow.hashes}`, "hash");

/** SQL: the subscribers with the erased address in all newsletters of the company. */
const erasedRows = (erasureId: SQL<string>) => sql`from ${tableReference(erasureRow)} cross join ${hash.from}
  cross join ${tableReference(subscriber)} on ${subscriber.company_id} = ${erasureRow.company_id} and ${subscriber.email_hmac} = ${hash.value}
  where ${erasureRow.id} = ${erasureId}`;

/** Statement: subtract the subscribers of an erased address from the counters. It must run before `deleteErasedSubscribers`. */
export const uncountErasedSubscribers = statement({ id: erasures.id }, (p) => {
  const without = (status: "pending" | "confirmed" | "unsubscribed") =>
    sql`${newsletters[status]} - (select count(*) ${erasedRows(p.id)} and ${subscriber.list_id} = ${newsletters.id}
      and ${subscriber.status} = ${sql.raw(`'${status}'`)})`;
  const change = assignments(newsletters, {
    pending: without("pending"),
    confirmed: without("confirmed"),
    unsubscribed: without("unsubscribed"),
  });
  return sql`update ${newsletters} set ${change} where ${newsletters.id} in (select ${subscriber.list_id} ${erasedRows(p.id)})`;
});

/** Statement: delete the subscribers of an erased address. Their confirmation links end with them. */
export const deleteErasedSubscribers = statement({ id: erasures.id }, (p) =>
  queryBuilder.delete(subscribers).where(sql`${subscribers.id} in (select ${subscriber.id} ${erasedRows(p.id)})`),
);

/** Statement: the subscriptions of an address with the names of their newsletters, oldest first. */
export const findSubscriptionsOfAddress = statement(
  { companyId: subscribers.company_id, hashes: json<readonly string[]>() },
  (p) => {
    const { list_id, status, source, language, created_at, confirmed_at, unsubscribed_at, consent } = subscribers;
    const columns = { status, source, language, created_at, confirmed_at, unsubscribed_at, consent };
    return selectRows(
      { list_id, list_name: sql`${newsletters.name}`.mapWith(newsletters.name), ...columns },
      (
        selected,
      ) => sql`select ${selected} from ${subscribers} cross join ${newsletters} on ${newsletters.id} = ${list_id}
        where ${subscribers.company_id} = ${p.companyId} and ${isInList(subscribers.email_hmac, p.hashes)} order by ${subscribers.id}`,
    );
  },
);
