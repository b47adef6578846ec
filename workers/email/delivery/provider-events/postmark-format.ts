import { isObject } from "../../../kit/json";
import { hasBasicSecret } from "./basic-secret";
import {
  type ProviderEvent,
  type ProviderEventType,
  type ProviderFormat,
  readMessageId,
  readText,
  textOf,
} from "./provider-event";

/** The time field of each record type. Message id, record type and time together identify an event. */
const TIMES: ReadonlyMap<string, string> = new Map([
  ["Delivery", "DeliveredAt"],
  ["Bounce", "BouncedAt"],
  ["SpamComplaint", "BouncedAt"],
  ["SubscriptionChange", "ChangedAt"],
]);

/** Bounce types that are not failed deliveries: automatic replies, subscription requests and relay tests. */
const IGNORED = new Set(["AutoResponder", "ChallengeVerification", "Subscribe", "Unsubscribe", "OpenRelayTest"]);
/**
 * Bounce types of mailboxes that do not exist. `Blocked` is not one of them: the mailbox rejected the content or sender of one
 * mail and may accept other mail, such as sign-in mail.
 */
const PERMANENT = new Set(["HardBounce", "BadEmailAddress", "ManuallyDeactivated"]);

/**
 * Postmark webhooks. The secret is the HTTP Basic password in the webhook URL.
 * https://postmarkapp.com/developer/webhooks
 */
export const postmarkFormat: ProviderFormat = {
  verify: async (request, { secrets }) => hasBasicSecret(request, secrets),
  read(body) {
    const { RecordType: record, MessageID: id, Type: type, Metadata: metadata } = body;
    const name = textOf(record);
    const time = TIMES.get(name);
    const messageId = readText(id);
    if (time === undefined || messageId === null) return { kind: "ignored" };
    const bounceType = textOf(type);
    if (name === "Bounce" && IGNORED.has(bounceType)) return { kind: "ignored" };
    const hookId = `${messageId}:${name}:${readText(body[time], 60) ?? ""}`;
    if (name === "SubscriptionChange") {
      const email = readText(body.Recipient, 254);
      const isManualSuppression = body.SuppressSending === true && body.SuppressionReason === "ManualSuppression";
      return isManualSuppression && email !== null ? { kind: "unsubscribed", hookId, email } : { kind: "ignored" };
    }
    const descriptions = [body.Description, body.Details].filter((text) => typeof text === "string");
    return {
      kind: "message",
      hookId,
      type: typeOf(name, bounceType),
      messageId: readMessageId(isObject(metadata) ? metadata.message_id : undefined),
      providerMessageId: messageId,
      bounceType:
        name === "Bounce" && !isDelay(bounceType)
          ? PERMANENT.has(bounceType)
            ? "permanent"
            : bounceOf(bounceType)
          : null,
      detail: descriptions.join(" "),
    } satisfies ProviderEvent;
  },
};

/** Postmark retries these bounces itself. */
const isDelay = (type: string) => type === "Transient" || type === "DnsError";

function typeOf(record: string, type: string): ProviderEventType {
  if (record === "Delivery") return "delivered";
  if (record === "SpamComplaint" || type === "SpamComplaint") return "complained";
  return isDelay(type) ? "delivery_delayed" : "bounced";
}

const bounceOf = (type: string) => (type === "SoftBounce" ? "transient" : "undetermined");
