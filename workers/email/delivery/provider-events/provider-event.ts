import type { JsonObject } from "../../../kit/json";

/** The type of a provider event. It is also the status that the event sets. */
export type ProviderEventType =
  | "sent"
  | "delivery_delayed"
  | "delivered"
  | "bounced"
  | "failed"
  | "suppressed"
  | "complained";

/**
 * The rank of each status that a provider sets. An event changes the status of a message only if its rank is higher. When
 * this service sets `failed`, the rank is 5 (FAILED_RANK); waiting messages have rank 0.
 */
export const EVENT_RANKS: Readonly<Record<ProviderEventType, number>> = {
  sent: 10,
  delivery_delayed: 20,
  delivered: 30,
  bounced: 40,
  failed: 40,
  suppressed: 40,
  complained: 50,
};

/** One event about one message, in a form common to all providers. */
export type ProviderEvent = {
  kind: "message";
  /** unique among the events of one signer (a company or the platform) */
  hookId: string;
  type: ProviderEventType;
  /** 32 hex characters, from the tag that this service adds to the mail */
  messageId: string | null;
  providerMessageId: string | null;
  /** `provider_ref` of a broadcast, and the address of its recipient */
  broadcast?: { ref: string; to: string };
  bounceType: "permanent" | "transient" | "undetermined" | null;
  /** the text of the provider, unfiltered */
  detail: string;
};

/** The content of a webhook: a message event, an unsubscribed address, a subscription to confirm, or nothing relevant. */
export type ProviderNotice =
  | ProviderEvent
  | { kind: "unsubscribed"; hookId: string; email: string }
  | { kind: "confirm"; url: string }
  | { kind: "ignored" };

/** `raw` is the body as received. `body` is the parsed body, or null when it is not a JSON object. `now` is in unix ms. */
type VerificationInput = {
  raw: string;
  body: JsonObject | null;
  secrets: readonly string[];
  now: number;
  fetch: typeof globalThis.fetch;
};

/** Verifies and reads the webhooks of one provider. */
export type ProviderFormat = {
  /** Returns whether one of the secrets verifies the request. */
  verify: (request: Request, input: VerificationInput) => Promise<boolean>;
  /** Throws a Problem for a body that the provider never sends. Callers act on the result only after `verify`. */
  read: (body: JsonObject, request: Request) => ProviderNotice;
};

const MESSAGE_ID = /^(?:msg_)?([0-9a-f]{32})$/;

/** Returns the 32 hex characters of a message id, with or without `msg_`, or null. */
export function readMessageId(value: unknown): string | null {
  return typeof value === "string" ? (MESSAGE_ID.exec(value)?.[1] ?? null) : null;
}

/** Returns a string unchanged, and "" for any other value. An unverified body may contain anything. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns a string of 1 to `max` characters, or null. */
export function readText(value: unknown, max = 200): string | null {
  return typeof value === "string" && value !== "" && value.length <= max ? value : null;
}
