import type { JsonObject } from "../../../kit/json";

/** The type of a provider event, which is the status that it sets. */
export type ProviderEventType =
  | "sent"
  | "delivery_delayed"
  | "delivered"
  | "bounced"
  | "failed"
  | "suppressed"
  | "complained";

/** The rank of each status that a provider sets. Our own `failed` has rank 5, open messages have none. */
export const EVENT_RANKS: Readonly<Record<ProviderEventType, number>> = {
  sent: 10,
  delivery_delayed: 20,
  delivered: 30,
  bounced: 40,
  failed: 40,
  suppressed: 40,
  complained: 50,
};

/** One event about one message, in our terms. */
export type ProviderEvent = {
  kind: "message";
  /** unique among the events of its sender, at most 200 characters */
  hookId: string;
  type: ProviderEventType;
  /** 32 hex characters, from the tag that our mail carries */
  messageId: string | null;
  providerMessageId: string | null;
  bounceType: "permanent" | "transient" | "undetermined" | null;
  /** the provider's text, not filtered */
  detail: string;
};

/** The content of a webhook: a message event, an unsubscribed address, a subscription to confirm, or nothing relevant. */
export type ProviderNotice =
  | ProviderEvent
  | { kind: "unsubscribed"; hookId: string; email: string }
  | { kind: "confirm"; url: string }
  | { kind: "ignored" };

/** The input of a webhook's verification; `raw` is the body as received, `body` the parsed one, null when it is not a JSON object. */
type VerificationInput = {
  raw: string;
  body: JsonObject | null;
  secrets: readonly string[];
  now: number;
  fetch: typeof globalThis.fetch;
};

/** Verifies and reads the webhooks of one provider. */
export type ProviderFormat = {
  /** whether one of the secrets of the company, or of the platform, verifies the request */
  verify: (request: Request, input: VerificationInput) => Promise<boolean>;
  /** throws a Problem for a body that this provider never sends; its result is used only after `verify` */
  read: (body: JsonObject, request: Request) => ProviderNotice;
};

const MESSAGE_ID = /^(?:msg_)?([0-9a-f]{32})$/;

/** Returns the hex of a message id as our mail carries it, or null. */
export function readMessageId(value: unknown): string | null {
  return typeof value === "string" ? (MESSAGE_ID.exec(value)?.[1] ?? null) : null;
}

/** Returns a string unchanged and "" for anything else: an unverified body may contain any value. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns a string of 1 to `max` characters, or null. */
export function readText(value: unknown, max = 200): string | null {
  return typeof value === "string" && value !== "" && value.length <= max ? value : null;
}
