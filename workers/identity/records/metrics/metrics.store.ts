import { eq, type SQL, sql } from "drizzle-orm";
import { company_totals, mail_outbox, sign_in_requests } from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Selects the numbers of users and identities of a company. Company 0 has the numbers of the whole platform. */
export const findTotals = statement({ companyId: company_totals.company_id }, (p) => {
  const { members, allowed, staff, identities, company_id } = company_totals;
  return queryBuilder
    .select({ members, allowed, staff, identities })
    .from(company_totals)
    .where(eq(company_id, p.companyId));
});

const usersSince = (firstDay: SQL<number>) =>
  sql`coalesce(sum(day.value) filter (where cast(day.key as integer) >= ${firstDay}), 0)`.mapWith(integer);

/**
 * Selects how many users of a company (0 for all companies) were seen since the start of the day, week and month (unix days).
 */
export const countActiveUsers = statement(
  { companyId: company_totals.company_id, day: integer, week: integer, month: integer },
  (p) =>
    selectRows(
      { daily: usersSince(p.day), weekly: usersSince(p.week), monthly: usersSince(p.month) },
      (columns) => sql`select ${columns} from ${company_totals} cross join json_each(${company_totals.seen}) day
        where ${eq(company_totals.company_id, p.companyId)}`,
    ),
);

/** Selects the number of mails that wait for the email service. Uses the partial indexes of waiting mails. */
export const countWaitingMail = statement({}, () => {
  const { state, next_at } = mail_outbox;
  const { mail_state, mail_next_at } = sign_in_requests;
  const others = sql`select count(*) from ${mail_outbox} where ${state} = 'waiting' and ${next_at} > 0`;
  const links = sql`select count(*) from ${sign_in_requests} where ${mail_state} = 'waiting' and ${mail_next_at} > 0`;
  return selectRows({ pending: sql`(${others}) + (${links})`.mapWith(integer) }, (columns) => sql`select ${columns}`);
});
