import type { AuditActor } from "../../../../db/kit/audit";

/** Who did what an event reports. */
export type Actor = { kind: "session" | "pat" | "scim" | "system"; user_id?: number };

/** Identity and storage name the company, email and hosting give its id alone. */
export type EnvelopeCompany = { id: number; slug?: string; name?: string };

/** What a webhook carries. */
export type Envelope = {
  id: string;
  type: string;
  /** ISO 8601 with milliseconds and `+00:00` */
  time: string;
  company: EnvelopeCompany;
  data: Record<string, unknown>;
  actor?: Actor;
};

/** Compact JSON with keys sorted at every depth and characters outside ASCII as they are; of values that JSON knows. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${toCanonicalJson(item)}`);
  return `{${members.join(",")}}`;
}

/** The actor of an event as the log stores it; an operator or a service acts as the system. */
export const actorText = ({ kind, userId }: AuditActor): string =>
  toCanonicalJson(
    userId === null || kind === "operator" || kind === "service" ? { kind: "system" } : { kind, user_id: userId },
  );

/** The bytes that the webhooks of an event carry; `data` as they may be stored (`storableData`). */
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

/** Unix ms as the time of an envelope. */
export function toEnvelopeTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
