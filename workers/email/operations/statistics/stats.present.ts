import type { CompanyProviderRow } from "../../../../db/email/rows";
import { COUNT_KEYS, REFUSAL_REASONS, SKIP_REASONS, type Stats } from "../../../../schemas/email/delivery/stats";
import { iso } from "../../../kit/time";
import { requestedEvent } from "../../content/event-types/own-event";
import { DIRECT_EVENT } from "../../delivery/messages/direct-content";
import type { EmailSettings } from "../../settings";
import type { Span, StatsResults } from "./stats.store";

type Counts = Record<(typeof COUNT_KEYS)[number], number>;

const NO_COUNTS = Object.fromEntries(COUNT_KEYS.map((key) => [key, 0])) as Counts;
const TAGGED = `${DIRECT_EVENT}.`;

/** The sender that a company uses: its own provider or null for the platform's, and the settings of the platform's sender. */
type SenderInput = {
  providerRow: CompanyProviderRow | null;
  settings: Pick<EmailSettings, "platformTransport" | "providerWebhookSecret">;
};

/** Returns the statistics of a company. Omits lanes, events and days without messages. */
export function presentStats(
  companyId: number,
  { from, until }: Span,
  { counts, skipped }: StatsResults,
  sender: SenderInput,
): Stats {
  const rows = counts.rows.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
  const totals = sumBy(rows, () => "").get("") ?? NO_COUNTS;
  const warnings = findWarnings(sender);
  const byType = sumBy(rows, ({ event_type }) => typeOf(event_type));
  const typesIn = (isCatalog: boolean) =>
    Object.fromEntries(
      [...byType].filter(([type]) => (requestedEvent(type) !== null) === isCatalog && tagOf(type).length === 0),
    );
  return {
    company_id: companyId,
    from: iso(from),
    to: iso(until),
    totals,
    skipped: sumReasons(skipped, SKIP_REASONS),
    refused: sumReasons(skipped, REFUSAL_REASONS),
    rates: ratesOf(totals, warnings.length === 0),
    warnings,
    by_lane: Object.fromEntries(sumBy(rows, ({ lane }) => lane)),
    by_event: typesIn(true),
    by_internal: typesIn(false),
    by_tag: Object.fromEntries([...byType].flatMap(([type, sums]) => tagOf(type).map((tag) => [tag, sums]))),
    by_day: [...sumBy(rows, ({ day }) => day)].map(([day, sums]) => ({ day, ...sums })),
  };
}

/** Returns the event type of a roll-up row without the id of its broadcast or newsletter. */
const typeOf = (type: string): string => type.replace(/^(broadcast|newsletter_confirmation):\d+$/, "$1");

/** Returns the tag in the event type of a direct mail, or none for other mail and for direct mail without tags. */
const tagOf = (type: string): string[] => (type.startsWith(TAGGED) ? [type.slice(TAGGED.length)] : []);

/** Returns the counts of these reasons and their total. */
function sumReasons<R extends string>({ rows }: StatsResults["skipped"], reasons: readonly R[]) {
  const counts = reasons.map((reason) => [reason, rows.find((row) => row.reason === reason)?.n ?? 0] as const);
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  return { total, ...Object.fromEntries(counts) } as Record<"total" | R, number>;
}

/**
 * Returns the shares of the sent messages, with four decimals. A complaint proves the delivery. Without sent messages, or
 * without any result from a sender that reports none, the rates are null.
 */
function ratesOf({ sent, delivered, bounced, complained }: Counts, isReported: boolean): Stats["rates"] {
  const isKnown = sent > 0 && (isReported || delivered + bounced + complained > 0);
  const rate = (count: number) => (isKnown ? Math.round((count / sent) * 10_000) / 10_000 : null);
  return { delivered: rate(delivered + complained), bounced: rate(bounced), complained: rate(complained) };
}

/** Returns a warning when the company's mail is sent by an SMTP server without the webhook of its provider. */
function findWarnings({ providerRow, settings }: SenderInput): Stats["warnings"] {
  const [provider, hasWebhook] =
    providerRow === null
      ? [settings.platformTransport, settings.providerWebhookSecret !== ""]
      : [providerRow.provider, providerRow.webhook_secret_enc !== null];
  if (provider !== "smtp" || hasWebhook) return [];
  return [{ code: "smtp_reports_no_deliveries", detail: providerRow === null ? "platform" : "company" }];
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
