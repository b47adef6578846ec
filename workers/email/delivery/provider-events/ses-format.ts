import { isObject, type JsonObject } from "../../../kit/json";
import { hasBasicSecret } from "./basic-secret";
import {
  type ProviderEvent,
  type ProviderEventType,
  type ProviderFormat,
  type ProviderNotice,
  readMessageId,
  readText,
  textOf,
} from "./provider-event";
import { isSnsAddress, verifySns } from "./sns-signature";

const TYPES: ReadonlyMap<string, ProviderEventType> = new Map([
  ["Send", "sent"],
  ["Delivery", "delivered"],
  ["DeliveryDelay", "delivery_delayed"],
  ["Bounce", "bounced"],
  ["Complaint", "complained"],
  ["Reject", "failed"],
]);

const BOUNCES: ReadonlyMap<string, ProviderEvent["bounceType"]> = new Map([
  ["Permanent", "permanent"],
  ["Transient", "transient"],
]);

/**
 * Amazon SES through SNS. The signature proves that SNS sent the request. The password in the URL proves that the owner of the
 * secret (a company or the platform) owns the topic. Accepts notifications of identities and events of configuration sets.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export const sesFormat: ProviderFormat = {
  // SNS always sends JSON.
  verify: async (request, { body, secrets, fetch }) =>
    hasBasicSecret(request, secrets) && body !== null && (await verifySns(body, fetch)),
  read(body) {
    if (body.Type === "SubscriptionConfirmation") {
      const url = readText(body.SubscribeURL, 2048) ?? "";
      return isSnsAddress(url) ? { kind: "confirm", url } : { kind: "ignored" };
    }
    const hookId = readText(body.MessageId);
    const message = readMessage(body.Message);
    return body.Type !== "Notification" || hookId === null || message === null
      ? { kind: "ignored" }
      : readEvent(hookId, message);
  },
};

function readMessage(text: unknown): JsonObject | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // Test messages of the AWS console are plain text.
    return null;
  }
}

function readEvent(hookId: string, message: JsonObject): ProviderNotice {
  const type = TYPES.get(textOf(message.eventType ?? message.notificationType));
  const mail = isObject(message.mail) ? message.mail : {};
  if (type === undefined) return { kind: "ignored" };
  const part = (key: string): JsonObject => (isObject(message[key]) ? message[key] : {});
  const bounce = part("bounce");
  return {
    kind: "message",
    hookId,
    type,
    messageId: readMessageId(tagOf(mail) ?? headerOf(mail)),
    providerMessageId: readText(mail.messageId),
    bounceType: type === "bounced" ? (BOUNCES.get(textOf(bounce.bounceType)) ?? "undetermined") : null,
    detail: textOf(
      objectsOf(bounce.bouncedRecipients)[0]?.diagnosticCode ??
        objectsOf(part("deliveryDelay").delayedRecipients)[0]?.diagnosticCode ??
        part("reject").reason ??
        part("delivery").smtpResponse,
    ),
  };
}

const objectsOf = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** Returns the value of the tag `message_id`. SES sends the values of a tag as a list. */
function tagOf({ tags }: JsonObject): unknown {
  const values = isObject(tags) ? tags.message_id : undefined;
  return Array.isArray(values) ? values[0] : undefined;
}

/**
 * Returns the message id from the `Message-ID` header that this service set. SES replaces the header in the mail, but reports
 * the original headers.
 */
function headerOf({ headers }: JsonObject): string | undefined {
  const header = objectsOf(headers).find(({ name }) => textOf(name).toLowerCase() === "message-id");
  return /^<?([0-9a-f]{32})@/.exec(textOf(header?.value))?.[1];
}
