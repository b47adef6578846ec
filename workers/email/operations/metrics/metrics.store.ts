import { and, eq, gt, inArray, not, or, type SQL, sql } from "drizzle-orm";
import { bucketOf, latencyOf } from "../../../../db/email/conditions/counters";
import { ID_CREATED_WITHIN_MS, isScheduled, isWaiting } from "../../../../db/email/conditions/messages";
import { isInForce } from "../../../../db/email/conditions/pauses";
import { countedBefore, countsByKey, isUncounted, TOTAL_KEYS } from "../../../../db/email/conditions/stats";
import {
  figure_hours,
  lane_states,
  message_totals,
  messages,
  provider_events,
  sender_breakers,
  stats_days,
} from "../../../../db/email/schema";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import type { BatchResults } from "../../../kit/db/db";
import { integer, nullable, text } from "../../../kit/db/kind";
import { indexedBy, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The result label of stored provider events whose message is unknown. */
export const WAITING = "waiting";
/**
 * The counter for complaints about bulk mail in the last 7 days. Its column `a` contains the company, and `b` contains `complained` or
 * `total`.
 */
export const COMPLAINTS = "complaints";

type Totals = Record<(typeof TOTAL_KEYS)[number], SQL<number>>;

const lanes = [...LANES];

// Adds the messages that are not rolled up yet to the rolled-up totals.
const totalsWith = (companyId: SQL<number>, uncounted: SQL) => {
  const sums = TOTAL_KEYS.map((key) => [key, sql`sum(t.${sql.identifier(key)})`.mapWith(integer)] as const);
  const fields = { lane: sql`t.lane`.mapWith(message_totals.lane), ...(Object.fromEntries(sums) as Totals) };
  const { lane } = message_totals;
  const totalColumns = sql.join([lane, ...TOTAL_KEYS.map((key) => message_totals[key])], sql`, `);
  const counts = sql.join([messages.lane, ...TOTAL_KEYS.map((key) => countsByKey[key])], sql`, `);
  return selectRows(
    fields,
    (
      columns,
    ) => sql`select ${columns} from (select ${totalColumns} from ${message_totals} where ${eq(message_totals.company_id, companyId)}
      union all select ${counts} ${uncounted} group by 1) t group by 1`,
  );
};

const findTotals = statement({}, () => totalsWith(sql<number>`0`, sql`from ${messages} where ${isUncounted}`));

const uncountedOf = (companyId: SQL<number>) =>
  sql`from ${indexedBy(messages, "messages_company")} where ${eq(messages.company_id, companyId)}
    and ${messages.accepted_at} >= ${countedBefore} - ${ID_CREATED_WITHIN_MS} and ${isUncounted}`;

const findTotalsOfCompany = statement({ companyId: message_totals.company_id }, (p) =>
  totalsWith(p.companyId, uncountedOf(p.companyId)),
);

// Uses the partial index of waiting messages, whose size depends on the backlog and not on the history.
// A scheduled message is not part of the backlog until its time.
const countWaiting = statement({ companyId: nullable(messages.company_id), now: integer }, (p) =>
  queryBuilder
    .select({
      lane: messages.lane,
      waiting: sql`count(*)`.mapWith(integer),
      oldest:
        sql`min(iif(${messages.status} = 'queued', ${messages.next_attempt_at}, ${messages.accepted_at}))`.mapWith(
          integer,
        ),
    })
    .from(messages)
    .where(
      and(
        inArray(messages.lane, lanes),
        isWaiting,
        not(isScheduled(messages, p.now)),
        sql`(${p.companyId} is null or ${messages.company_id} = ${p.companyId})`,
      ),
    )
    .groupBy(messages.lane),
);

const { lane, company_id, paused } = lane_states;
const isPausedLane = and(inArray(lane, lanes), eq(paused, true));

const findPausesOfCompany = statement({ companyId: company_id, platform: text }, (p) =>
  queryBuilder
    .selectDistinct({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, or(eq(company_id, 0), and(eq(company_id, p.companyId), isInForce(p.platform))))),
);

const findPauses = statement({ platform: text }, (p) =>
  queryBuilder
    .selectDistinct({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, or(eq(company_id, 0), isInForce(p.platform)))),
);

const counterFields = {
  name: sql`t.name`.mapWith(text),
  a: sql`t.a`.mapWith(text),
  b: sql`t.b`.mapWith(text),
  n: sql`sum(t.n)`.mapWith(integer),
};

// Selects the hourly counters since the hour `since` and the counters for all time (stored with hour 0). Adds the latencies
// of messages that are not rolled up yet.
const countersWith = (companyId: SQL<number>, since: SQL<number>, uncounted: SQL, moreRows = sql``) => {
  const latency = sql`'send_latency', ${messages.lane}, ${bucketOf(latencyOf(messages.sent_at))}, count(*)`;
  const counterColumns = sql`${figure_hours.name}, ${figure_hours.a}, ${figure_hours.b}, ${figure_hours.n} from ${figure_hours} where ${figure_hours.company_id} = ${companyId}`;
  return selectRows(
    counterFields,
    (
      columns,
    ) => sql`select ${columns} from (select ${counterColumns} and ${figure_hours.hour} = 0 union all select ${counterColumns} and ${figure_hours.hour} >= ${since}
      union all select ${latency} ${uncounted} and ${messages.sent_at} is not null group by 2, 3 ${moreRows}) t group by 1, 2, 3`,
  );
};

// Selects the counter WAITING: stored provider events whose message is unknown.
const waitingEvents = sql`union all select 'provider_event', '', ${WAITING}, count(*) from ${provider_events}
  where ${eq(provider_events.applied, false)} and ${gt(provider_events.created_at, 0)}`;

// Selects the counter COMPLAINTS: bulk mail since `day`, by company.
const complaintsOf = (companies: SQL, day: SQL<string>) => {
  const sums = sql`${stats_days.company_id} as c, sum(${stats_days.complained}) as complained, sum(${stats_days.delivered}) as delivered, sum(${stats_days.sent}) as sent`;
  const complaintSums = sql`select ${sums} from ${stats_days} where ${stats_days.company_id} in (${companies}) and ${stats_days.day} >= ${day} and ${stats_days.lane} = 'bulk' group by 1`;
  const count = sql`case k.value when 'complained' then complained else iif(delivered > 0, delivered, sent) end`;
  return sql`union all select ${COMPLAINTS}, cast(c as text), k.value, ${count} from (${complaintSums}) cross join json_each('["complained","total"]') k`;
};

const findCounters = statement({ since: integer, day: stats_days.day }, (p) => {
  const isComplained = sql`${stats_days.lane} = 'bulk' and ${stats_days.complained} > 0 and ${stats_days.day} >= ${p.day}`;
  const companies = sql`select ${stats_days.company_id} from ${indexedBy(stats_days, "stats_days_complaints")} where ${isComplained}`;
  const uncounted = sql`from ${messages} where ${isUncounted}`;
  return countersWith(sql<number>`0`, p.since, uncounted, sql`${waitingEvents} ${complaintsOf(companies, p.day)}`);
});

const findCountersOfCompany = statement({ companyId: messages.company_id, since: integer, day: stats_days.day }, (p) =>
  countersWith(p.companyId, p.since, uncountedOf(p.companyId), complaintsOf(p.companyId, p.day)),
);

/** Statement: the number of open breakers by scope and lane. `now` is in ms since the epoch. */
export const countOpenBreakers = statement({ now: integer }, (p) => {
  const { scope, lane, open_until } = sender_breakers;
  return queryBuilder
    .select({ scope, lane, open: sql`count(*)`.mapWith(integer) })
    .from(sender_breakers)
    .where(and(inArray(scope, ["company", "platform"]), inArray(lane, lanes), gt(open_until, 0), gt(open_until, p.now)))
    .groupBy(scope, lane);
});

/**
 * Returns the statements for the message metrics of one company, or of all companies if `companyId` is null. They select the
 * totals for all time, the number of waiting messages, the time when the oldest of them was accepted (ms since the epoch), and the paused
 * lanes. A pause of company 0 applies to all companies. `platform` is the fingerprint of the current platform credentials.
 * A counter covers either the time since the hour `since`, or all time. Complaints cover bulk mail since the UTC day `day`. `now` is in unix ms.
 */
export const selectMessageMetrics = (
  companyId: number | null,
  platform: string,
  { since, day, now }: { since: number; day: string; now: number },
) => ({
  totals: companyId === null ? findTotals() : findTotalsOfCompany({ companyId }),
  queue: countWaiting({ companyId, now }),
  pauses: companyId === null ? findPauses({ platform }) : findPausesOfCompany({ companyId, platform }),
  metrics: companyId === null ? findCounters({ since, day }) : findCountersOfCompany({ companyId, since, day }),
});

/** The results of selectMessageMetrics. */
export type MessageGauges = BatchResults<ReturnType<typeof selectMessageMetrics>>;

/** The result of countOpenBreakers. */
export type BreakerGauges = BatchResults<{ breakers: ReturnType<typeof countOpenBreakers> }>["breakers"];
