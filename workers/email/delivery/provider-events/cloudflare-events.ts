import { costOf } from "../../../kit/http/cost";
import { isObject, type JsonObject } from "../../../kit/json";
import { errorName } from "../../../kit/log";
import { acknowledge } from "../../../kit/outbox/consumer";
import type { EmailServices } from "../../services";
import { type ProviderEvent, type ProviderEventType, readText, textOf } from "./provider-event";
import { receivePlatformEvent } from "./receive";

const PREFIX = "cf.email.sending.message.";
const TYPES: ReadonlyMap<string, ProviderEventType> = new Map([
  ["delivered", "delivered"],
  ["deferred", "delivery_delayed"],
  ["bounced", "bounced"],
  ["failed", "failed"],
  ["rejected", "failed"],
  ["complained", "complained"],
]);

const BOUNCES: ReadonlyMap<string, ProviderEvent["bounceType"]> = new Map([
  ["hard", "permanent"],
  ["soft", "transient"],
]);

/** The stream that the steps of these events name. */
const STREAM = "cloudflare";

/**
 * Consumes a batch of the queue that a subscription to `email.sending` fills. Only Cloudflare and the account can write to the
 * queue, so the events carry no signature. Each event is acknowledged on its own, after its effects are stored.
 * https://developers.cloudflare.com/email-service/platform/event-subscriptions/
 */
export async function consumeSendingEvents(services: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  const { log, settings } = services;
  const from = settings.defaultFrom.address;
  for (const message of batch.messages) {
    const work = async () => {
      const event = readSendingEvent(message.body, from);
      if (event === null)
        log.warn("a provider event was ignored", { queue: batch.queue, queue_message_id: message.id });
      else await receivePlatformEvent(services, event, STREAM);
    };
    await acknowledge(message, work, (error) => log.error("a provider event failed", { error: errorName(error) }));
  }
  log.info("queue batch", { queue: batch.queue, events: batch.messages.length, ...costOf(services) });
}

/**
 * Returns the event in a queue message. Returns null for a malformed message, another source, another type of event, or a
 * sending domain other than that of the platform's From address `from`.
 */
export function readSendingEvent(body: unknown, from: string): ProviderEvent | null {
  if (!isObject(body) || !isObject(body.payload) || !isObject(body.source)) return null;
  const { source, payload } = body;
  const name = textOf(body.type);
  const type = name.startsWith(PREFIX) ? TYPES.get(name.slice(PREFIX.length)) : undefined;
  const hookId = readText(payload.eventId);
  const providerMessageId = readText(payload.messageId);
  const isOwn = source.type === "email.sending" && isDomainOf(textOf(source.domain), from);
  if (!isOwn || type === undefined || hookId === null || providerMessageId === null) return null;
  const part = (key: string): JsonObject => (isObject(payload[key]) ? payload[key] : {});
  const { reason } = part("rejection");
  return {
    kind: "message",
    hookId,
    type: name === `${PREFIX}rejected` && reason === "suppressed" ? "suppressed" : type,
    messageId: null,
    providerMessageId,
    bounceType: type === "bounced" ? (BOUNCES.get(textOf(part("bounce").type)) ?? "undetermined") : null,
    detail: textOf(
      part("bounce").reason ??
        part("rejection").detail ??
        reason ??
        part("failure").reason ??
        part("delivery").smtpResponse,
    ),
  };
}

/** Returns whether an address is at a domain. Cloudflare reports a sending subdomain by its own name, not by that of the zone. */
const isDomainOf = (domain: string, address: string) =>
  domain !== "" && address.slice(address.lastIndexOf("@") + 1).toLowerCase() === domain.toLowerCase();
