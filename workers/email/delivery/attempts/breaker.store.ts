import { type SQLWrapper, sql } from "drizzle-orm";
import { messages, sender_breakers } from "../../../../db/email/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { allColumns, assign, columnName, insertSelect, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { MINUTE_MS } from "../../../kit/time";
import { claimed, held } from "./lease.store";

// A leaky bucket: a failure fills it twice as fast as an acceptance drains it, so that refusals of more than a third of
// the attempts open the breaker although acceptances lie between them. The column `failures` holds the fill.
/** What a retryable failure adds. An acceptance takes 1. */
export const FAILURE_WEIGHT = 2;
/** The fill that opens a breaker: five failures in a row. */
export const FILL_TO_OPEN = 5 * FAILURE_WEIGHT;
/** How long a breaker stays open: the first time, and at most; it doubles each time. */
const FIRST_OPEN_MS = MINUTE_MS;
const MAX_OPEN_MS = 10 * MINUTE_MS;

/** What a result does to the stored breaker of its sender, company and lane: adds to it, drains it, or removes it. */
export type BreakerMark = "failed" | "accepted" | "closed";

/** A result as far as breakers look at it. */
export type BreakerResult = {
  id: string;
  token: string;
  fence?: number | null;
  scope: "company" | "platform" | null;
  breaker: BreakerMark | null;
};

const { scope, company_id, lane, failures, open_until, opens } = sender_breakers;

/** The breakers of the companies of a claim, both scopes. */
export const findClaimedBreakers = statement({ ids: json<readonly string[]>(), token: text, lane }, (p) =>
  selectRows(
    allColumns(sender_breakers),
    (columns) => sql`select ${columns} from ${sender_breakers} where ${scope} in ('company', 'platform')
      and ${company_id} in (select ${messages.company_id} ${claimed(p)}) and ${lane} = ${p.lane}`,
  ),
);

// Both statements look at the lease, so a repeat of the batch counts nothing twice; they add to what is stored, so
// consumers side by side count together.

const results = json<readonly BreakerResult[]>();

/** Removes the breakers that an acceptance closed after they had opened; answers them. */
export const closeBreakers = statement({ results }, (p) => {
  const { item, from } = held(p.results);
  return selectRows(
    allColumns(sender_breakers),
    (columns) => sql`delete from ${sender_breakers} where (${scope}, ${company_id}, ${lane}) in (
      select ${item.scope}, ${messages.company_id}, ${messages.lane} ${from} and ${item.breaker} = 'closed')
      returning ${columns}`,
  );
});

const fillOf = (breaker: SQLWrapper) =>
  sql`sum(case ${breaker} when 'failed' then ${sql.raw(String(FAILURE_WEIGHT))} else -1 end)`;

/** Takes the acceptances from what failures have added, where the results of a sender hold more of the former. */
export const drainBreakers = statement({ results }, (p) => {
  const { item, from } = held(p.results);
  const drained = sql`select ${item.scope} as scope, ${messages.company_id} as company_id, ${messages.lane} as lane,
    ${fillOf(item.breaker)} as fill ${from} and ${item.breaker} in ('failed', 'accepted') group by 1, 2, 3`;
  const change = assign(sender_breakers, { failures: sql`max(0, ${failures} + d.fill)` });
  return sql`update ${sender_breakers} set ${change} from (${drained}) d
    where ${scope} = d.scope and ${company_id} = d.company_id and ${lane} = d.lane and d.fill < 0`;
});

/**
 * Adds failures, less the acceptances between them; enough of them open a breaker for 60 s, and so does the next one after that time, each time for twice
 * as long up to 600 s. Answers the breakers with `opened_ms`: how long one opened by this statement stays open, else null.
 * `now` in unix ms.
 */
export const countFailures = statement({ results, now: integer }, (p) => {
  const { item, from } = held(p.results);
  const openMs = (times: unknown) => sql`min(${MAX_OPEN_MS}, ${FIRST_OPEN_MS} << min(${times}, 4))`;
  const fill = fillOf(item.breaker);
  const isEnough = sql`${fill} >= ${FILL_TO_OPEN}`;
  const isFull = sql`(${opens} > 0 or ${failures} + excluded.failures >= ${FILL_TO_OPEN})`;
  const opensNow = sql`${open_until} <= ${p.now} and ${isFull}`;
  const insert = insertSelect(
    sender_breakers,
    {
      scope: item.scope,
      company_id: messages.company_id,
      lane: messages.lane,
      failures: fill,
      open_until: sql`case when ${isEnough} then ${p.now} + ${openMs(0)} else 0 end`,
      opens: isEnough,
    },
    sql`${from} and ${item.breaker} in ('failed', 'accepted') group by 1, 2, 3 having ${fill} > 0`,
  );
  const change = assign(sender_breakers, {
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
