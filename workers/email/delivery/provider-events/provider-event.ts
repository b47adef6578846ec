import type { JsonObject } from "../../../kit/json";

/** What a provider tells of a message; the status it leads to. */
export type ProviderEventType =
  | "sent"
  | "delivery_delayed"
  | "delivered"
  | "bounced"
  | "failed"
  | "suppressed"
  | "complained";

/** What a status of a provider outranks. Our own `failed` has rank 5, what is under way has none. */
export const EVENT_RANKS: Readonly<Record<ProviderEventType, number>> = {
  sent: 10,
  delivery_delayed: 20,
  delivered: 30,
  bounced: 40,
  failed: 40,
  suppressed: 40,
  complained: 50,
};

/** One event about one message, in our words. */
export type ProviderEvent = {
  kind: "message";
  /** what tells it from every other event of its sender, at most 200 characters */
  hookId: string;
  type: ProviderEventType;
  /** 32 hex characters, by the tag that our mail carries */
  messageId: string | null;
  providerMessageId: string | null;
  bounceType: "permanent" | "transient" | "undetermined" | null;
  /** the provider's own words, not filtered yet */
  detail: string;
};

/** What a webhook says: an event, that an address wants no bulk mail any more, that the subscription is to be confirmed, or nothing for us. */
export type ProviderNotice =
  | ProviderEvent
  | { kind: "unsubscribed"; hookId: string; email: string }
  | { kind: "confirm"; url: string }
  | { kind: "ignored" };

/** What a webhook is proven by: its body as it came and as it was read, null when it is no JSON object. */
type Proof = {
  raw: string;
  body: JsonObject | null;
  secrets: readonly string[];
  now: number;
  fetch: typeof globalThis.fetch;
};

/** How one provider's webhooks are proven and read. */
export type ProviderFormat = {
  /** whether one of the secrets of the company, or of the platform, stands behind it */
  verify: (request: Request, known: Proof) => Promise<boolean>;
  /** throws a Problem for a body that this provider never sends; the webhook is proven first */
  read: (body: JsonObject, request: Request) => ProviderNotice;
};

const MESSAGE_ID = /^(?:msg_)?([0-9a-f]{32})$/;

/** The hex of a message id as our mail carries it, or null. */
export function readMessageId(value: unknown): string | null {
  return typeof value === "string" ? (MESSAGE_ID.exec(value)?.[1] ?? null) : null;
}

/** A text as it is, "" for all else: what nobody has proven yet may hold anything. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A text of 1 to `max` characters, or null. */
export function readText(value: unknown, max = 200): string | null {
  return typeof value === "string" && value !== "" && value.length <= max ? value : null;
}
