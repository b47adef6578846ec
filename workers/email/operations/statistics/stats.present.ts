import { CATALOG_EVENTS } from "../../../../schemas/email/content/catalog";
import { COUNT_KEYS, type Stats } from "../../../../schemas/email/delivery/stats";
import { iso } from "../../../kit/time";
import type { Span, StatsResults } from "./stats.store";

type Counts = Record<(typeof COUNT_KEYS)[number], number>;

const NO_COUNTS = Object.fromEntries(COUNT_KEYS.map((key) => [key, 0])) as Counts;
const CATALOG = new Set<string>(CATALOG_EVENTS.map(({ event_type }) => event_type));

/** Returns the statistics of a company. Omits lanes, events and days without messages. */
export function presentStats(companyId: number, { from, until }: Span, { counts, skipped }: StatsResults): Stats {
  const rows = counts.rows.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
  const skips = (reason: string) => skipped.rows.find((row) => row.reason === reason)?.n ?? 0;
  const byType = sumBy(rows, ({ event_type }) => event_type);
  const typesIn = (isCatalog: boolean) =>
    Object.fromEntries([...byType].filter(([type]) => CATALOG.has(type) === isCatalog));
  return {
    company_id: companyId,
    from: iso(from),
    to: iso(until),
    totals: sumBy(rows, () => "").get("") ?? NO_COUNTS,
    skipped: {
      total: skipped.rows.reduce((sum, { n }) => sum + n, 0),
      no_recipients: skips("no_recipients"),
      rule_disabled: skips("rule_disabled"),
      no_rule: skips("no_rule"),
    },
    by_lane: Object.fromEntries(sumBy(rows, ({ lane }) => lane)),
    by_event: typesIn(true),
    by_internal: typesIn(false),
    by_day: [...sumBy(rows, ({ day }) => day)].map(([day, sums]) => ({ day, ...sums })),
  };
}

/**
 * Returns a text that sorts rows by day, lane and event. A space separates the parts, because none of them contains a space.
 */
const sortKeyOf = ({ day, lane, event_type }: StatsResults["counts"]["rows"][number]) => `${day} ${lane} ${event_type}`;

/** Returns the sums of the rows by key, in the order of the first row per key. Ignores rows that contain only zeros. */
function sumBy<Row extends Counts>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Counts> {
  const sums = new Map<string, Counts>();
  for (const row of rows) {
    if (COUNT_KEYS.every((key) => row[key] === 0)) continue;
    const sum = sums.get(keyOf(row)) ?? NO_COUNTS;
    sums.set(keyOf(row), Object.fromEntries(COUNT_KEYS.map((key) => [key, sum[key] + row[key]])) as Counts);
  }
  return sums;
}
