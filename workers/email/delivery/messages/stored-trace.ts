import type { MessageRow } from "../../../../db/email/rows";
import type { ChosenLanguage, PinnedContent } from "../../content/documents/content";
import type { LimitUsage } from "../../intake/limits/limits";
import type { Sender } from "../sender/sender";
import type { DeliveryEntry } from "./trace";

// Rows of `messages` repeat the trace for each mail, so that its defaults would take a page of 4 KB: docs/decisions/one-database-per-service.md.

type Stored = MessageRow["trace"];

/** Why a message was accepted and sent as it was; docs/specification/email-messages.md#trace. */
export type ShownTrace = {
  rule_id: number | null;
  content: PinnedContent["trace"];
  language: ChosenLanguage;
  company_name: { source: string };
  sender: Pick<Sender, "scope" | "provider" | "reason">;
  suppression: { hit: boolean; reason: string | null; lanes: readonly string[] };
  limits: readonly LimitUsage[];
  delivery: readonly DeliveryEntry[];
};

/** Used and limit of the company and of the recipient in a lane; -1: not counted. */
type StoredLimits = [lane: string, companyUsed: number, companyLimit: number, used: number, limit: number];

/** What differs from an accepted attempt by the sender of the acceptance. */
type StoredAttempt = [at: number, detail?: string | null, others?: Partial<DeliveryEntry>];

/** What differs from the defaults. Open messages keep `sender` and `delivery`, which releases without this form read. */
type CompactTrace = {
  v: 1;
  /** rule_id */
  r?: number;
  /** content: a default one has no template and no version */
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
};

const DEFAULTS = {
  language: { value: "en", source: "default" },
  nameSource: "request",
  suppression: { hit: false, reason: null, lanes: [] },
} as const;

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

/** The trace as its row stores it. `isFinal`: no attempt follows, so that nothing but an answer reads it. */
export function storedTrace(trace: Stored | ShownTrace, { isFinal }: { isFinal: boolean }): Stored {
  if (!isWhole(trace)) return trace;
  const compact = toCompact(trace, isFinal);
  // A trace of an older release may have members that this form does not know.
  return isEqual(toShown(compact), trace) ? compact : trace;
}

/** The trace of a row as answers show it; one that was stored before this form as it is. */
export function shownTrace(stored: Stored): Stored {
  return isCompact(stored) ? toShown(stored) : stored;
}

const isCompact = (stored: object): stored is CompactTrace => "v" in stored && stored.v === 1;

function isWhole(trace: object): trace is ShownTrace {
  return SHOWN_KEYS.every((key) => key in trace) && "sender" in trace && trace.sender !== null;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function toCompact(trace: ShownTrace, isFinal: boolean): CompactTrace {
  const { rule_id, content, language, company_name, sender, suppression, limits, delivery } = trace;
  const { design, reason } = content;
  const isPlain = content.source === "default" && reason === "no_copy";
  const isCopy = content.source === "copy";
  return {
    v: 1,
    ...(rule_id === null ? {} : { r: rule_id }),
    c: isCopy ? [design, reason, content.template_id, content.version] : isPlain ? [design] : [design, reason],
    ...(isEqual(language, DEFAULTS.language) ? {} : { l: [language.value, language.source] }),
    ...(company_name.source === DEFAULTS.nameSource ? {} : { n: company_name.source }),
    ...(isEqual(suppression, DEFAULTS.suppression) ? {} : { x: suppression }),
    ...(limits.length === 0 ? {} : { u: toStoredLimits(limits) }),
    ...(isFinal
      ? {
          s: [sender.provider, sender.reason],
          d: delivery.map((entry, place) => toStoredAttempt(entry, place, sender)),
        }
      : { sender, delivery }),
  };
}

function toShown(compact: CompactTrace): ShownTrace {
  const { r = null, c, l, n = DEFAULTS.nameSource, x = DEFAULTS.suppression, u, s, d = [], delivery = [] } = compact;
  const [design, reason = c.length === 1 ? "no_copy" : null, template_id = null, version = null] = c;
  const sender = compact.sender ?? toShownSender(s ?? ["", ""]);
  return {
    rule_id: r,
    content: {
      source: c.length > 2 ? "copy" : "default",
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
    // A release without this form adds its attempts to `delivery`.
    delivery: [...d.map((attempt, place) => toShownAttempt(attempt, place, sender)), ...delivery],
  };
}

const toShownSender = ([provider, reason]: [string, string]) =>
  ({ scope: reason === "company_provider" ? "company" : "platform", provider, reason }) as ShownTrace["sender"];

function toStoredLimits(limits: readonly LimitUsage[]): StoredLimits {
  const [company, recipient] = ["company_", "recipient_"].map((start) =>
    limits.find(({ name }) => name.startsWith(start)),
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

/** The attempt that the stored form leaves out: accepted by the sender of the acceptance. */
const usualAttempt = (place: number, { provider, scope }: ShownTrace["sender"]) => ({
  attempt: place + 1,
  provider,
  scope,
  outcome: "accepted",
  wait_seconds: null,
});

function toStoredAttempt(entry: DeliveryEntry, place: number, sender: ShownTrace["sender"]): StoredAttempt {
  const { at, detail, ...rest } = entry;
  const usual: Record<string, unknown> = usualAttempt(place, sender);
  const others = Object.entries(rest).filter(([name, value]) => usual[name] !== value);
  const time = Date.parse(at);
  if (others.length > 0) return [time, detail ?? null, Object.fromEntries(others)];
  return detail === undefined ? [time] : [time, detail];
}

function toShownAttempt(
  [at, detail, others]: StoredAttempt,
  place: number,
  sender: ShownTrace["sender"],
): DeliveryEntry {
  return {
    at: new Date(at).toISOString(),
    ...usualAttempt(place, sender),
    ...others,
    ...(detail === undefined || detail === null ? {} : { detail }),
  };
}
