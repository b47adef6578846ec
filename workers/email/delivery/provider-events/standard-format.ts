import { timingSafeEqual } from "../../../kit/crypto/hash";
import { isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { MINUTE_MS, SECOND_MS } from "../../../kit/time";
import { sign } from "../../../kit/webhooks/posting/signing-secret";
import {
  type ProviderEvent,
  type ProviderEventType,
  type ProviderFormat,
  type ProviderNotice,
  readMessageId,
  readText,
  textOf,
} from "./provider-event";

const TOLERANCE_MS = 5 * MINUTE_MS;

const TYPES: ReadonlyMap<string, ProviderEventType> = new Map([
  ["email.sent", "sent"],
  ["email.delivery_delayed", "delivery_delayed"],
  ["email.delivered", "delivered"],
  ["email.bounced", "bounced"],
  ["email.failed", "failed"],
  ["email.suppressed", "suppressed"],
  ["email.complained", "complained"],
]);

/** Id, time and signatures of a request: `hook-*`, or `webhook-*` of Standard Webhooks where there is none of them. */
function readHeaders({ headers }: Request) {
  const prefix = ["id", "timestamp", "signature"].some((name) => headers.has(`hook-${name}`)) ? "hook" : "webhook";
  const of = (name: string) => headers.get(`${prefix}-${name}`) ?? "";
  return { id: of("id"), timestamp: of("timestamp"), signature: of("signature") };
}

/**
 * The HTTP mail API's webhooks: HMAC-SHA-256 over `{id}.{timestamp}.{body}`, one of several `v1,{base64}` signatures,
 * five minutes either way. https://www.standardwebhooks.com
 */
export const standardFormat: ProviderFormat = {
  async verify(request, { raw, secrets, now }) {
    const { id, timestamp, signature } = readHeaders(request);
    if (readText(id) === null || !/^\d{1,12}$/.test(timestamp)) return false;
    const seconds = Number(timestamp);
    if (Math.abs(now - seconds * SECOND_MS) > TOLERANCE_MS) return false;
    const signatures = signature.split(" ");
    const expected = (await sign(secrets, { id, timestamp: seconds, body: raw })).split(" ");
    const isOneOf = (wanted: string) => signatures.some((received) => timingSafeEqual(wanted, received));
    return expected.some(isOneOf);
  },
  read(body, request) {
    const hookId = readHeaders(request).id;
    const { type, data } = body;
    if (!isObject(data)) throw invalid({ data: ["invalid"] });
    if (type === "contact.updated") return readContact(hookId, data);
    const eventType = TYPES.get(textOf(type));
    return eventType === undefined ? { kind: "ignored" } : readEvent(hookId, eventType, data);
  },
};

function readContact(hookId: string, { unsubscribed, email }: JsonObject): ProviderNotice {
  const address = readText(email, 254);
  return unsubscribed === true && address !== null
    ? { kind: "unsubscribed", hookId, email: address }
    : { kind: "ignored" };
}

function readEvent(hookId: string, type: ProviderEventType, data: JsonObject): ProviderEvent {
  const bounce = isObject(data.bounce) ? data.bounce : {};
  const word = textOf(bounce.type ?? data.bounce_type ?? "permanent").toLowerCase();
  const why = bounce.message ?? (isObject(data.failed) ? data.failed.reason : undefined) ?? data.reason;
  return {
    kind: "message",
    hookId,
    type,
    messageId: readMessageId(readTag(data.tags)),
    providerMessageId: readText(data.email_id) ?? readText(data.id),
    bounceType: type === "bounced" ? readBounceType(word) : null,
    detail: textOf(why),
  };
}

function readBounceType(word: string): ProviderEvent["bounceType"] {
  if (word === "permanent" || word === "hard") return "permanent";
  return word === "transient" || word === "soft" || word === "temporary" ? "transient" : "undetermined";
}

/** The tag `message_id` of a list of pairs or of an object. */
function readTag(tags: unknown): unknown {
  if (Array.isArray(tags)) return tags.find((tag: unknown) => isObject(tag) && tag.name === "message_id")?.value;
  return isObject(tags) ? tags.message_id : undefined;
}
