import { and, eq, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import { bucketOf, latencyOf } from "../../../db/email/figures";
import { isWaiting } from "../../../db/email/messages";
import { inForce } from "../../../db/email/pauses";
import {
  figure_hours,
  lane_states,
  message_totals,
  messages,
  provider_events,
  sender_breakers,
} from "../../../db/email/schema";
import { countedBefore, countsByKey, isUncounted, TOTAL_KEYS } from "../../../db/email/stats";
import { LANES } from "../../../schemas/email/lanes";
import type { BatchResults } from "../../kit/db/db";
import { integer, nullable, text } from "../../kit/db/kind";
import { indexedBy, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { MINUTE_MS } from "../../kit/time";

/** What stands for the result of events that wait for the acceptance of their message. */
export const WAITING = "waiting";

type Totals = Record<(typeof TOTAL_KEYS)[number], SQL<number>>;

const lanes = [...LANES];

// The totals of the roll-ups, and the messages that are not in them yet.
const totalsWith = (companyId: SQL<number>, uncounted: SQL) => {
  const sums = TOTAL_KEYS.map((key) => [key, sql`sum(t.${sql.identifier(key)})`.mapWith(integer)] as const);
  const fields = { lane: sql`t.lane`.mapWith(message_totals.lane), ...(Object.fromEntries(sums) as Totals) };
  const { lane } = message_totals;
  const folded = sql.join([lane, ...TOTAL_KEYS.map((key) => message_totals[key])], sql`, `);
  const counts = sql.join([messages.lane, ...TOTAL_KEYS.map((key) => countsByKey[key])], sql`, `);
  return rows(
    fields,
    (
      columns,
    ) => sql`select ${columns} from (select ${folded} from ${message_totals} where ${eq(message_totals.company_id, companyId)}
      union all select ${counts} ${uncounted} group by 1) t group by 1`,
  );
};

const findTotals = statement({}, () => totalsWith(sql<number>`0`, sql`from ${messages} where ${isUncounted}`));

// A message is accepted a moment before its id is made.
const EARLIER_MS = 10 * MINUTE_MS;

const uncountedOf = (companyId: SQL<number>) =>
  sql`from ${indexedBy(messages, "messages_company")} where ${eq(messages.company_id, companyId)}
    and ${messages.accepted_at} >= ${countedBefore} - ${EARLIER_MS} and ${isUncounted}`;

const findTotalsOfCompany = statement({ companyId: message_totals.company_id }, (p) =>
  totalsWith(p.companyId, uncountedOf(p.companyId)),
);

// By the index of what waits: it is as long as the backlog, not as the history.
const countWaiting = statement({ companyId: nullable(messages.company_id) }, (p) =>
  q
    .select({
      lane: messages.lane,
      waiting: sql`count(*)`.mapWith(integer),
      oldest: sql`min(${messages.accepted_at})`.mapWith(integer),
    })
    .from(messages)
    .where(
      and(
        inArray(messages.lane, lanes),
        isWaiting,
        sql`(${p.companyId} is null or ${messages.company_id} = ${p.companyId})`,
      ),
    )
    .groupBy(messages.lane),
);

const { lane, company_id, paused } = lane_states;
const isPausedLane = and(inArray(lane, lanes), eq(paused, true));

const findPausesOfCompany = statement({ companyId: company_id, platform: text }, (p) =>
  q
    .selectDistinct({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, or(eq(company_id, 0), and(eq(company_id, p.companyId), inForce(p.platform))))),
);

const findPauses = statement({ platform: text }, (p) =>
  q
    .selectDistinct({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, or(eq(company_id, 0), inForce(p.platform)))),
);

const f = figure_hours;
const figureFields = {
  name: f.name,
  a: sql`t.a`.mapWith(text),
  b: sql`t.b`.mapWith(text),
  n: sql`sum(t.n)`.mapWith(integer),
};

// The figures of some hours and since the beginning, and the latencies of messages that are not folded yet.
const figuresWith = (companyId: SQL<number>, since: SQL<number>, uncounted: SQL, besides = sql``) => {
  const latency = sql`'send_latency', ${messages.lane}, ${bucketOf(latencyOf(messages.sent_at))}, count(*)`;
  const shown = sql`${f.name}, ${f.a}, ${f.b}, ${f.n} from ${f} where ${f.company_id} = ${companyId}`;
  return rows(
    { ...figureFields, name: sql`t.name`.mapWith(f.name) },
    (
      columns,
    ) => sql`select ${columns} from (select ${shown} and ${f.hour} = 0 union all select ${shown} and ${f.hour} >= ${since}
      union all select ${latency} ${uncounted} and ${messages.sent_at} is not null group by 2, 3 ${besides}) t group by 1, 2, 3`,
  );
};

// What providers told of messages that are not known yet: the figure WAITING.
const waitingEvents = sql`union all select 'provider_event', '', ${WAITING}, count(*) from ${provider_events}
  where ${eq(provider_events.applied, false)} and ${gt(provider_events.created_at, 0)}`;

const findFigures = statement({ since: integer }, (p) =>
  figuresWith(sql<number>`0`, p.since, sql`from ${messages} where ${isUncounted}`, waitingEvents),
);

const findFiguresOfCompany = statement({ companyId: messages.company_id, since: integer }, (p) =>
  figuresWith(p.companyId, p.since, uncountedOf(p.companyId)),
);

/** Open breakers by the scope of their sender and by lane; `now` in unix ms. */
export const countOpenBreakers = statement({ now: integer }, (p) => {
  const { scope, lane, open_until } = sender_breakers;
  return q
    .select({ scope, lane, open: sql`count(*)`.mapWith(integer) })
    .from(sender_breakers)
    .where(and(inArray(scope, ["company", "platform"]), inArray(lane, lanes), gt(open_until, 0), gt(open_until, p.now)))
    .groupBy(scope, lane);
});

/**
 * The reads behind the series of messages, of one company or, for null, of all: totals since the beginning, what waits and
 * since when (unix ms), the lanes that are paused for everybody (company 0) and for companies. `platform`: the fingerprint of
 * the platform's credentials in force. Figures are those since the hour `since`, and since the beginning.
 */
export const messageReads = (companyId: number | null, platform: string, since: number) => ({
  totals: companyId === null ? findTotals() : findTotalsOfCompany({ companyId }),
  queue: countWaiting({ companyId }),
  pauses: companyId === null ? findPauses({ platform }) : findPausesOfCompany({ companyId, platform }),
  figures: companyId === null ? findFigures({ since }) : findFiguresOfCompany({ companyId, since }),
});

/** What the reads behind the series of messages have found. */
export type MessageFigures = BatchResults<ReturnType<typeof messageReads>>;

/** What the count of open breakers has found. */
export type BreakerFigures = BatchResults<{ breakers: ReturnType<typeof countOpenBreakers> }>["breakers"];
