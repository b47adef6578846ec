import type { AuditActor } from "../../../../db/kit/audit";

/** The actor of an event. */
export type Actor = { kind: "session" | "pat" | "scim" | "system"; user_id?: number };

/** The company in an envelope. Identity and storage include its slug and name, email and hosting only its id. */
export type EnvelopeCompany = { id: number; slug?: string; name?: string };

/** The body of a webhook. */
export type Envelope = {
  id: string;
  type: string;
  /** ISO 8601 with milliseconds and `+00:00` */
  time: string;
  company: EnvelopeCompany;
  data: Record<string, unknown>;
  actor?: Actor;
};

/**
 * Returns compact JSON with sorted keys at every depth and unescaped non-ASCII characters. The value must be
 * JSON-compatible.
 */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${toCanonicalJson(item)}`);
  return `{${members.join(",")}}`;
}

/** Returns the stored actor of an event. An operator or a service becomes `system`. */
export const actorText = ({ kind, userId }: AuditActor): string =>
  toCanonicalJson(
    userId === null || kind === "operator" || kind === "service" ? { kind: "system" } : { kind, user_id: userId },
  );

/** Returns the body of an event's webhooks. `data` comes from `storableData`; `now` is unix ms. */
export function envelopeOf({
  now,
  data,
  ...event
}: {
  id: string;
  type: string;
  company: EnvelopeCompany;
  data: string;
  now: number;
}): string {
  return toCanonicalJson({ ...event, data: JSON.parse(data), time: toEnvelopeTime(now) } satisfies Envelope);
}

/** Formats unix ms as the time of an envelope. */
export function toEnvelopeTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
