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

/** Returns id, time and signatures from the headers `hook-*`, or from `webhook-*` (Standard Webhooks) when none is present. */
function readHeaders({ headers }: Request) {
  const prefix = ["id", "timestamp", "signature"].some((name) => headers.has(`hook-${name}`)) ? "hook" : "webhook";
  const header = (name: string) => headers.get(`${prefix}-${name}`) ?? "";
  return { id: header("id"), timestamp: header("timestamp"), signature: header("signature") };
}

/**
 * Webhooks of the HTTP mail API. A signature is `v1,` and the base64 of HMAC-SHA-256 over `{id}.{timestamp}.{body}`; one of
 * the sent signatures must match. The time may be at most five minutes off. https://www.standardwebhooks.com
 */
export const standardFormat: ProviderFormat = {
  async verify(request, { raw, secrets, now }) {
    const { id, timestamp, signature } = readHeaders(request);
    if (readText(id) === null || !/^\d{1,12}$/.test(timestamp)) return false;
    const seconds = Number(timestamp);
    if (Math.abs(now - seconds * SECOND_MS) > TOLERANCE_MS) return false;
    const signatures = signature.split(" ");
    const expected = (await sign(secrets, { id, timestamp: seconds, body: raw })).split(" ");
    return expected.some((signed) => signatures.some((received) => timingSafeEqual(signed, received)));
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
  const bounceType = textOf(bounce.type ?? data.bounce_type ?? "permanent").toLowerCase();
  const reason = bounce.message ?? (isObject(data.failed) ? data.failed.reason : undefined) ?? data.reason;
  return {
    kind: "message",
    hookId,
    type,
    messageId: readMessageId(readTag(data.tags)),
    providerMessageId: readText(data.email_id) ?? readText(data.id),
    ...readBroadcast(data),
    bounceType: type === "bounced" ? readBounceType(bounceType) : null,
    detail: textOf(reason),
  };
}

/** Returns the broadcast and the recipient that an event names, or nothing unless it names both. */
function readBroadcast({ broadcast_id, to }: JsonObject): Pick<ProviderEvent, "broadcast"> {
  const ref = readText(broadcast_id);
  const address = readText(Array.isArray(to) ? to[0] : to, 254);
  return ref === null || address === null ? {} : { broadcast: { ref, to: address } };
}

function readBounceType(type: string): ProviderEvent["bounceType"] {
  if (type === "permanent" || type === "hard") return "permanent";
  return type === "transient" || type === "soft" || type === "temporary" ? "transient" : "undetermined";
}

/** Returns the tag `message_id` from a list of name-value pairs or an object. */
function readTag(tags: unknown): unknown {
  if (Array.isArray(tags)) return tags.find((tag: unknown) => isObject(tag) && tag.name === "message_id")?.value;
  return isObject(tags) ? tags.message_id : undefined;
}
