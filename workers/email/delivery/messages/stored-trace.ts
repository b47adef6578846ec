import type { MessageRow } from "../../../../db/email/rows";
import type { ChosenLanguage, PinnedContent } from "../../content/documents/content";
import type { LimitUsage } from "../../intake/limits/limits";
import type { Sender } from "../sender/sender";
import type { DeliveryEntry } from "./trace";

// Every message stores a trace. The stored form omits defaults to keep rows small; see
// docs/decisions/one-database-per-service.md.

type Stored = MessageRow["trace"];

/** The decisions made at acceptance and at each attempt of a message; see docs/specification/email-messages.md#trace. */
export type ShownTrace = {
  rule_id: number | null;
  content: PinnedContent["trace"];
  language: ChosenLanguage;
  company_name: { source: string };
  sender: Pick<Sender, "scope" | "provider" | "reason">;
  suppression: { hit: boolean; reason: string | null; lanes: readonly string[] };
  limits: readonly LimitUsage[];
  delivery: readonly DeliveryEntry[];
  /** only for direct mails */
  direct?: DirectTrace;
};

/** The parts of a direct mail that remain when its content is deleted. */
export type DirectTrace = { from: string; tags: readonly { name: string; value: string }[] };

/**
 * The number of counted messages and the limit in a lane, first for the company, then for the recipient. A limit of -1 means
 * that no limit counted the message.
 */
type StoredLimits = [lane: string, companyUsed: number, companyLimit: number, used: number, limit: number];

/** An attempt, stored as its difference from `defaultAttempt`. */
type StoredAttempt = [at: number, detail?: string | null, others?: Partial<DeliveryEntry>];

/**
 * A trace without the values that equal the defaults. A message that is not final stores `sender` and `delivery` in full,
 * because older releases, which do not know the compact form, may read the row.
 */
type CompactTrace = {
  v: 1;
  /** rule_id */
  r?: number;
  /** content; without template id and version for the default content */
  c: [design: string, reason?: string | null, templateId?: number | null, version?: number | null];
  /** language */
  l?: [value: string, source: string];
  /** source of the company name */
  n?: string;
  /** suppression */
  x?: ShownTrace["suppression"];
  /** limits */
  u?: StoredLimits;
  /** provider and reason of the sender */
  s?: [provider: string, reason: string];
  /** attempts */
  d?: StoredAttempt[];
  sender?: ShownTrace["sender"];
  delivery?: readonly DeliveryEntry[];
  /** parts of a direct mail */
  m?: DirectTrace;
};

const DEFAULTS = {
  language: { value: "en", source: "default" },
  nameSource: "request",
  suppression: { hit: false, reason: null, lanes: [] },
} as const;

/** The source and the design of a mail whose content the request contained. */
export const DIRECT_DESIGN = "direct";

const SHOWN_KEYS = [
  "rule_id",
  "content",
  "language",
  "company_name",
  "sender",
  "suppression",
  "limits",
  "delivery",
] as const satisfies readonly (keyof ShownTrace)[];

/** Returns the trace in the stored form. `isFinal`: no attempt follows, so only API responses read the trace. */
export function storedTrace(trace: Stored | ShownTrace, { isFinal }: { isFinal: boolean }): Stored {
  if (!isComplete(trace)) return trace;
  const compact = toCompact(trace, isFinal);
  // The trace of an older release may have members that the compact form cannot store.
  return isEqual(toShown(compact), trace) ? compact : trace;
}

/** Returns a stored trace in the form of API responses. Returns a trace from before the compact form unchanged. */
export function shownTrace(stored: Stored): Stored {
  return isCompact(stored) ? toShown(stored) : stored;
}

const isCompact = (stored: object): stored is CompactTrace => "v" in stored && stored.v === 1;

function isComplete(trace: object): trace is ShownTrace {
  return SHOWN_KEYS.every((key) => key in trace) && "sender" in trace && trace.sender !== null;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function toCompact(trace: ShownTrace, isFinal: boolean): CompactTrace {
  const { rule_id, content, language, company_name, sender, suppression, limits, delivery, direct } = trace;
  const { design, reason } = content;
  const isPlainDefault = content.source === "default" && reason === "no_copy";
  const isCustom = content.source === "copy";
  return {
    v: 1,
    ...(rule_id === null ? {} : { r: rule_id }),
    c: isCustom ? [design, reason, content.template_id, content.version] : isPlainDefault ? [design] : [design, reason],
    ...(isEqual(language, DEFAULTS.language) ? {} : { l: [language.value, language.source] }),
    ...(company_name.source === DEFAULTS.nameSource ? {} : { n: company_name.source }),
    ...(isEqual(suppression, DEFAULTS.suppression) ? {} : { x: suppression }),
    ...(limits.length === 0 ? {} : { u: toStoredLimits(limits) }),
    ...(isFinal
      ? {
          s: [sender.provider, sender.reason],
          d: delivery.map((entry, index) => toStoredAttempt(entry, index, sender)),
        }
      : { sender, delivery }),
    ...(direct === undefined ? {} : { m: direct }),
  };
}

function toShown(compact: CompactTrace): ShownTrace {
  const { r = null, c, l, n = DEFAULTS.nameSource, x = DEFAULTS.suppression, u, s, d = [], delivery = [], m } = compact;
  const [design, reason = c.length === 1 ? "no_copy" : null, template_id = null, version = null] = c;
  const sender = compact.sender ?? toShownSender(s ?? ["", ""]);
  return {
    rule_id: r,
    content: {
      source: c.length > 2 ? "copy" : design === DIRECT_DESIGN ? DIRECT_DESIGN : "default",
      template_id,
      version,
      design,
      reason,
    } as ShownTrace["content"],
    language: l === undefined ? { ...DEFAULTS.language } : ({ value: l[0], source: l[1] } as ChosenLanguage),
    company_name: { source: n },
    sender,
    suppression: x,
    limits: u === undefined ? [] : toShownLimits(u),
    // Releases before the compact form add attempts to `delivery`.
    delivery: [...d.map((attempt, index) => toShownAttempt(attempt, index, sender)), ...delivery],
    ...(m === undefined ? {} : { direct: m }),
  };
}

const toShownSender = ([provider, reason]: [string, string]) =>
  ({ scope: reason === "company_provider" ? "company" : "platform", provider, reason }) as ShownTrace["sender"];

function toStoredLimits(limits: readonly LimitUsage[]): StoredLimits {
  const [company, recipient] = ["company_", "recipient_"].map((prefix) =>
    limits.find(({ name }) => name.startsWith(prefix)),
  );
  const lane = limits[0]?.name.replace(/^[a-z]+_/, "") ?? "";
  const numbers = (use: LimitUsage | undefined) => [use?.used ?? -1, use?.limit ?? -1] as const;
  return [lane, ...numbers(company), ...numbers(recipient)];
}

function toShownLimits([lane, companyUsed, companyLimit, recipientUsed, recipientLimit]: StoredLimits): LimitUsage[] {
  const uses = [
    { name: `company_${lane}`, used: companyUsed, limit: companyLimit },
    { name: `recipient_${lane}`, used: recipientUsed, limit: recipientLimit },
  ];
  return uses.filter(({ limit }) => limit !== -1);
}

/** The attempt that the stored form omits: the sender chosen at acceptance made it, and the provider accepted the mail. */
const defaultAttempt = (index: number, { provider, scope }: ShownTrace["sender"]) => ({
  attempt: index + 1,
  provider,
  scope,
  outcome: "accepted",
  wait_seconds: null,
});

function toStoredAttempt(entry: DeliveryEntry, index: number, sender: ShownTrace["sender"]): StoredAttempt {
  const { at, detail, ...rest } = entry;
  const defaults: Record<string, unknown> = defaultAttempt(index, sender);
  const others = Object.entries(rest).filter(([name, value]) => defaults[name] !== value);
  const time = Date.parse(at);
  if (others.length > 0) return [time, detail ?? null, Object.fromEntries(others)];
  return detail === undefined ? [time] : [time, detail];
}

function toShownAttempt(
  [at, detail, others]: StoredAttempt,
  index: number,
  sender: ShownTrace["sender"],
): DeliveryEntry {
  return {
    at: new Date(at).toISOString(),
    ...defaultAttempt(index, sender),
    ...others,
    ...(detail === undefined || detail === null ? {} : { detail }),
  };
}
