import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import { countLatency, perCompanyAndTotal } from "../../../../db/email/conditions/counters";
import { idAt } from "../../../../db/email/conditions/messages";
import { countMessages, isUncounted } from "../../../../db/email/conditions/stats";
import { messages, stats_marks } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { boolean, integer } from "../../../kit/db/kind";
import { queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** A roll-up is due when this many messages are not rolled up, because every scrape of the metrics counts them one by one. */
const MAX_UNCOUNTED = 5000;
/** A roll-up is also due when one company has this many, because the statistics of the company count them one by one. */
const MAX_UNCOUNTED_OF_COMPANY = 500;

const { id, company_id } = messages;
const { counted_before } = stats_marks;

/**
 * Statement: returns whether a roll-up is due. It is due when too many messages older than `before` are not rolled up. One
 * message older than `late` is also enough. Times are in ms since the epoch.
 */
export const isRollUpDue = statement({ before: integer, late: integer }, (p) => {
  const uncounted = sql`select ${company_id} as company from ${messages} where ${isUncounted} and ${id} < ${idAt(p.before)}
    limit ${MAX_UNCOUNTED}`;
  const due = sql`(select ifnull(sum(n) >= ${MAX_UNCOUNTED} or max(n) >= ${MAX_UNCOUNTED_OF_COMPANY}, 0)
      from (select count(*) as n from (${uncounted}) group by company))
    or exists (select 1 from ${messages} where ${isUncounted} and ${id} < ${idAt(p.late)})`;
  return selectRows({ due: due.mapWith(boolean) }, (columns) => sql`select ${columns}`);
});

const rollUpCounters = statement({ before: integer }, (p) =>
  countMessages(sql`from ${messages} where ${isUncounted} and ${id} < ${idAt(p.before)}`),
);

const rollUpLatency = statement({ before: integer }, (p) =>
  countLatency(
    messages.sent_at,
    sql`from ${messages} cross join ${perCompanyAndTotal}
    where ${isUncounted} and ${id} < ${idAt(p.before)} and ${isNotNull(messages.sent_at)}`,
  ),
);

const advance = statement({ before: counted_before }, (p) =>
  queryBuilder
    .update(stats_marks)
    .set({ counted_before: p.before })
    .where(and(eq(stats_marks.id, 1), lt(counted_before, p.before))),
);

/** Adds the messages older than a time (ms since the epoch) to the roll-ups. A repeated call counts no message again. */
export async function rollUpBefore(db: Db, before: number): Promise<void> {
  await db.batch({
    counters: rollUpCounters({ before }),
    latency: rollUpLatency({ before }),
    advanced: advance({ before }),
  });
}
