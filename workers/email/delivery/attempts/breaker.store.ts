import { sql } from "drizzle-orm";
import { messages, sender_breakers } from "../../../../db/email/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { all, assign, insertSelect, name, rows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { MINUTE_MS } from "../../../kit/time";
import { claimed, held } from "./lease.store";

/** Retryable failures in a row, without any acceptance, that open a breaker. */
export const FAILURES_TO_OPEN = 5;
/** How long a breaker stays open: the first time, and at most; it doubles each time. */
const FIRST_OPEN_MS = MINUTE_MS;
const MAX_OPEN_MS = 10 * MINUTE_MS;

/** What a result does to the stored breaker of its sender, company and lane. */
export type BreakerMark = "accepted" | "failed";

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
  rows(
    all(sender_breakers),
    (columns) => sql`select ${columns} from ${sender_breakers} where ${scope} in ('company', 'platform')
      and ${company_id} in (select ${messages.company_id} ${claimed(p)}) and ${lane} = ${p.lane}`,
  ),
);

// Both statements look at the lease, so a repeat of the batch counts nothing twice; they add to what is stored, so
// consumers side by side count together.

const results = json<readonly BreakerResult[]>();

/** An acceptance closes the breaker and forgets the failures before it; answers the closed ones. */
export const closeBreakers = statement({ results }, (p) => {
  const { of, from } = held(p.results);
  return rows(
    all(sender_breakers),
    (columns) => sql`delete from ${sender_breakers} where (${scope}, ${company_id}, ${lane}) in (
      select ${of.scope}, ${messages.company_id}, ${messages.lane} ${from} and ${of.breaker} = 'accepted')
      returning ${columns}`,
  );
});

/**
 * Counts failures; enough of them open a breaker for 60 s, and so does the next one after that time, each time for twice
 * as long up to 600 s. Answers the breakers with `opened_ms`: how long one opened by this statement stays open, else null.
 * `now` in unix ms.
 */
export const countFailures = statement({ results, now: integer }, (p) => {
  const { of, from } = held(p.results);
  const openMs = (times: unknown) => sql`min(${MAX_OPEN_MS}, ${FIRST_OPEN_MS} << min(${times}, 4))`;
  const isEnough = sql`count(*) >= ${FAILURES_TO_OPEN}`;
  const opensNow = sql`${open_until} <= ${p.now} and ${failures} + excluded.failures >= ${FAILURES_TO_OPEN}`;
  const insert = insertSelect(
    sender_breakers,
    {
      scope: of.scope,
      company_id: messages.company_id,
      lane: messages.lane,
      failures: sql`count(*)`,
      open_until: sql`case when ${isEnough} then ${p.now} + ${openMs(0)} else 0 end`,
      opens: isEnough,
    },
    sql`${from} and ${of.breaker} = 'failed' group by 1, 2, 3`,
  );
  const change = assign(sender_breakers, {
    failures: sql`${failures} + excluded.failures`,
    open_until: sql`case when ${opensNow} then ${p.now} + ${openMs(opens)} else ${open_until} end`,
    opens: sql`${opens} + (${opensNow})`,
  });
  const openedMs = sql`case when ${opens} > 0 and ${open_until} = ${p.now} + ${openMs(sql`${opens} - 1`)}
    then ${open_until} - ${p.now} end`;
  return rows(
    { ...all(sender_breakers), opened_ms: openedMs.mapWith(nullable(integer)) },
    (columns) => sql`${insert} on conflict (${name(scope)}, ${name(company_id)}, ${name(lane)}) do update set ${change}
      returning ${columns}`,
  );
});
