import { and, asc, eq, gt, gte, type SQL, sql } from "drizzle-orm";
import { company_totals, counters, mail_outbox, seen_days } from "../../../db/identity/schema";
import { integer } from "../../kit/db/kind";
import { all, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** How many people and identities a company has; company 0 counts users over all companies. */
export const findTotals = statement({ companyId: company_totals.company_id }, (p) => {
  const { members, allowed, staff, identities, company_id } = company_totals;
  return q.select({ members, allowed, staff, identities }).from(company_totals).where(eq(company_id, p.companyId));
});

const peopleSince = (day: SQL<number>) =>
  sql`coalesce(sum(${seen_days.people}) filter (where ${gte(seen_days.day, day)}), 0)`.mapWith(integer);

/** People of a company (0: users) seen since the first day, in unix days, of a day, week and month; at most 31 rows. */
export const findSeen = statement(
  { companyId: seen_days.company_id, day: integer, week: integer, month: integer },
  (p) =>
    q
      .select({ daily: peopleSince(p.day), weekly: peopleSince(p.week), monthly: peopleSince(p.month) })
      .from(seen_days)
      .where(and(eq(seen_days.company_id, p.companyId), gte(seen_days.day, sql`min(${p.week}, ${p.month})`))),
);

/** The stored totals of a company. */
export const findCounters = statement({ companyId: counters.company_id }, (p) =>
  q.select(all(counters)).from(counters).where(eq(counters.company_id, p.companyId)),
);

/** The stored totals of every company, which is the whole table: each row of it is a line of the answer. */
export const listCounters = statement({}, () =>
  q
    .select(all(counters))
    .from(counters)
    .where(gt(counters.company_id, 0))
    .orderBy(asc(counters.company_id), asc(counters.name), asc(counters.label)),
);

/** Mails that still wait for the email service. */
export const countWaitingMail = statement({}, () =>
  q
    .select({ pending: sql`count(*)`.mapWith(integer) })
    .from(mail_outbox)
    .where(eq(mail_outbox.state, "waiting")),
);
