import { type SQLWrapper, sql } from "drizzle-orm";
import { messages, sender_breakers } from "../../../../db/email/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { MINUTE_MS } from "../../../kit/time";
import { fromClaimed, leasedResults } from "./lease.store";

// A breaker is a leaky bucket; the column `failures` stores its fill level. A failure adds twice as much as an acceptance
// removes. The breaker therefore opens when more than a third of the attempts fail, even with acceptances in between.
/** The amount that a retryable failure adds to the fill level. An acceptance removes 1. */
export const FAILURE_WEIGHT = 2;
/** The fill level at which a breaker opens: five failures in a row. */
export const FILL_TO_OPEN = 5 * FAILURE_WEIGHT;
/** A breaker first opens for `FIRST_OPEN_MS`. The time doubles whenever the breaker opens again, up to `MAX_OPEN_MS`. */
const FIRST_OPEN_MS = MINUTE_MS;
const MAX_OPEN_MS = 10 * MINUTE_MS;

/** The effect of a result on the stored breaker: a failure fills it, an acceptance drains it, `closed` deletes the row. */
export type BreakerMark = "failed" | "accepted" | "closed";

/** The fields of a result that breakers use. */
export type BreakerResult = {
  id: string;
  token: string;
  fence?: number | null;
  scope: "company" | "platform" | null;
  breaker: BreakerMark | null;
};

const { scope, company_id, lane, failures, open_until, opens } = sender_breakers;

/** Statement: the breakers of the company senders and of the platform sender, for the companies of the claimed messages. */
export const findClaimedBreakers = statement({ ids: json<readonly string[]>(), token: text, lane }, (p) =>
  selectRows(
    allColumns(sender_breakers),
    (columns) => sql`select ${columns} from ${sender_breakers} where ${scope} in ('company', 'platform')
      and ${company_id} in (select ${messages.company_id} ${fromClaimed(p)}) and ${lane} = ${p.lane}`,
  ),
);

// The statements check the lease, so repeating a batch counts no result twice. They add to the stored values, so the counts
// of parallel consumers add up.

const results = json<readonly BreakerResult[]>();

/** Deletes and returns the breakers that an acceptance closed. */
export const closeBreakers = statement({ results }, (p) => {
  const { result, from } = leasedResults(p.results);
  return selectRows(
    allColumns(sender_breakers),
    (columns) => sql`delete from ${sender_breakers} where (${scope}, ${company_id}, ${lane}) in (
      select ${result.scope}, ${messages.company_id}, ${messages.lane} ${from} and ${result.breaker} = 'closed')
      returning ${columns}`,
  );
});

const fillOf = (breaker: SQLWrapper) =>
  sql`sum(case ${breaker} when 'failed' then ${sql.raw(String(FAILURE_WEIGHT))} else -1 end)`;

/**
 * Lowers the fill level of the breakers of senders whose acceptances outweigh their failures. A failure weighs FAILURE_WEIGHT.
 */
export const drainBreakers = statement({ results }, (p) => {
  const { result, from } = leasedResults(p.results);
  const drained = sql`select ${result.scope} as scope, ${messages.company_id} as company_id, ${messages.lane} as lane,
    ${fillOf(result.breaker)} as fill ${from} and ${result.breaker} in ('failed', 'accepted') group by 1, 2, 3`;
  const change = assignments(sender_breakers, { failures: sql`max(0, ${failures} + d.fill)` });
  return sql`update ${sender_breakers} set ${change} from (${drained}) d
    where ${scope} = d.scope and ${company_id} = d.company_id and ${lane} = d.lane and d.fill < 0`;
});

/**
 * Raises the fill level of the breakers of senders whose results fill more than they drain. A full breaker opens for 60 s. A
 * failure after that time opens it again for twice as long, up to 600 s. Returns the changed breakers. `opened_ms` is the open
 * time when this statement opened the breaker, else null. `now` is in unix ms.
 */
export const countFailures = statement({ results, now: integer }, (p) => {
  const { result, from } = leasedResults(p.results);
  const openMs = (times: unknown) => sql`min(${MAX_OPEN_MS}, ${FIRST_OPEN_MS} << min(${times}, 4))`;
  const fill = fillOf(result.breaker);
  const isEnough = sql`${fill} >= ${FILL_TO_OPEN}`;
  const isFull = sql`(${opens} > 0 or ${failures} + excluded.failures >= ${FILL_TO_OPEN})`;
  const opensNow = sql`${open_until} <= ${p.now} and ${isFull}`;
  const insert = insertSelect(
    sender_breakers,
    {
      scope: result.scope,
      company_id: messages.company_id,
      lane: messages.lane,
      failures: fill,
      open_until: sql`case when ${isEnough} then ${p.now} + ${openMs(0)} else 0 end`,
      opens: isEnough,
    },
    sql`${from} and ${result.breaker} in ('failed', 'accepted') group by 1, 2, 3 having ${fill} > 0`,
  );
  const change = assignments(sender_breakers, {
    failures: sql`${failures} + excluded.failures`,
    open_until: sql`case when ${opensNow} then ${p.now} + ${openMs(opens)} else ${open_until} end`,
    opens: sql`${opens} + (${opensNow})`,
  });
  const openedMs = sql`case when ${opens} > 0 and ${open_until} = ${p.now} + ${openMs(sql`${opens} - 1`)}
    then ${open_until} - ${p.now} end`;
  return selectRows(
    { ...allColumns(sender_breakers), opened_ms: openedMs.mapWith(nullable(integer)) },
    (
      columns,
    ) => sql`${insert} on conflict (${columnName(scope)}, ${columnName(company_id)}, ${columnName(lane)}) do update set ${change}
      returning ${columns}`,
  );
});
