import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { figure_hours, messages } from "../schema";

const HOUR_MS = 3_600_000;

/** Upper ends of the buckets of a latency (ms); what took longer is in the last one. */
export const LATENCY_BUCKETS = [
  100, 250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000,
];

/** The bucket of a time in ms, as text. */
export function bucketOf(ms: SQLWrapper): SQL<string> {
  const bounds = LATENCY_BUCKETS.slice(0, -1).map((bound) => sql`when ${ms} <= ${bound} then ${String(bound)}`);
  return sql<string>`case ${sql.join(bounds, sql` `)} else ${String(LATENCY_BUCKETS.at(-1))} end`;
}

/** From acceptance to hand-over of a row of `messages` that was sent at `at` (unix ms). */
export const latencyOf = (at: SQLWrapper): SQL => sql`(${at} - ${messages.accepted_at})`;

/** The hour of a time in unix ms. */
export const hourOf = (at: SQLWrapper): SQL => sql`${at} / ${HOUR_MS}`;

type CounterRow = {
  name: "send_latency" | "delivery_latency" | "provider_error" | "provider_event" | "rate_limited";
  a: SQLWrapper;
  b: SQLWrapper;
};

/** Adds to figures of a company and to those of all, grouped. `from` is FROM and WHERE of what is counted. */
export function addCounters(
  { name, a, b, companyId, hour, n }: CounterRow & { companyId: SQLWrapper; hour: SQLWrapper; n: SQLWrapper },
  from: SQL,
): SQL {
  const unqualified = (column: { name: string }) => sql.identifier(column.name);
  const { company_id, hour: h, name: title, a: first, b: second, n: count } = figure_hours;
  const key = sql.join([company_id, h, title, first, second].map(unqualified), sql`, `);
  return sql`insert into ${figure_hours} (${key}, ${unqualified(count)})
    select f.c * f.company, f.hour, ${name}, f.a, f.b, sum(f.n)
    from (select z.value as c, ${companyId} as company, ${hour} as hour, ${a} as a, ${b} as b, ${n} as n ${from}) f
    group by 1, 2, 3, 4, 5
    on conflict (${key}) do update set ${unqualified(count)} = ${unqualified(count)} + excluded.${unqualified(count)}`;
}

/** In FROM of what is counted: once for the company, once for all. */
export const twice: SQL = sql`json_each('[0,1]') z`;

/** Counts the latency of messages that were sent at `sentAt`; `from` has them and `twice`. */
export function countLatency(sentAt: SQLWrapper, from: SQL): SQL {
  const { company_id: companyId, lane: a } = messages;
  const b = bucketOf(latencyOf(sentAt));
  return addCounters({ name: "send_latency", a, b, companyId, hour: hourOf(sentAt), n: sql`1` }, from);
}
