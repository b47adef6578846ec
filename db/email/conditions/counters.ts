import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { figure_hours, messages } from "../schema";

const HOUR_MS = 3_600_000;

/** Upper bounds of the latency buckets in ms. Longer latencies count in the last bucket. */
export const LATENCY_BUCKETS = [
  100, 250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000,
];

/** Returns the bucket of a latency in ms, as text. */
export function bucketOf(ms: SQLWrapper): SQL<string> {
  const bounds = LATENCY_BUCKETS.slice(0, -1).map((bound) => sql`when ${ms} <= ${bound} then ${String(bound)}`);
  return sql<string>`case ${sql.join(bounds, sql` `)} else ${String(LATENCY_BUCKETS.at(-1))} end`;
}

/** Returns the time in ms between the acceptance of a row of `messages` and `at` (unix ms). */
export const latencyOf = (at: SQLWrapper): SQL => sql`(${at} - ${messages.accepted_at})`;

/** Returns the unix hour of a time in unix ms. */
export const hourOf = (at: SQLWrapper): SQL => sql`${at} / ${HOUR_MS}`;

type CounterRow = {
  name: "send_latency" | "delivery_latency" | "provider_error" | "provider_event" | "rate_limited";
  a: SQLWrapper;
  b: SQLWrapper;
};

/**
 * Returns an INSERT that adds to the counters of a company and to those of all companies. `from` is FROM and WHERE of
 * the rows to count; it must include `perCompanyAndTotal`.
 */
export function addCounters(
  { name, a, b, companyId, hour, n }: CounterRow & { companyId: SQLWrapper; hour: SQLWrapper; n: SQLWrapper },
  from: SQL,
): SQL {
  const unqualified = (column: { name: string }) => sql.identifier(column.name);
  const columns = figure_hours;
  const keyColumns = [columns.company_id, columns.hour, columns.name, columns.a, columns.b];
  const key = sql.join(keyColumns.map(unqualified), sql`, `);
  const count = columns.n;
  return sql`insert into ${figure_hours} (${key}, ${unqualified(count)})
    select counted.factor * counted.company, counted.hour, ${name}, counted.a, counted.b, sum(counted.n)
    from (select scope.value as factor, ${companyId} as company, ${hour} as hour, ${a} as a, ${b} as b, ${n} as n
      ${from}) counted
    group by 1, 2, 3, 4, 5
    on conflict (${key}) do update set ${unqualified(count)} = ${unqualified(count)} + excluded.${unqualified(count)}`;
}

/** A FROM term that repeats each row: once for the company and once for all companies. */
export const perCompanyAndTotal: SQL = sql`json_each('[0,1]') scope`;

/**
 * Returns an INSERT that counts the latency of messages that were sent at `sentAt`. `from` is FROM and WHERE of the
 * messages; it must include `perCompanyAndTotal`.
 */
export function countLatency(sentAt: SQLWrapper, from: SQL): SQL {
  const { company_id: companyId, lane: a } = messages;
  const b = bucketOf(latencyOf(sentAt));
  return addCounters({ name: "send_latency", a, b, companyId, hour: hourOf(sentAt), n: sql`1` }, from);
}
