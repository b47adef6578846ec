import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { type Parsed, tryParse, unwrap } from "../../../kit/http/request/parsed";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { readVariables } from "../../content/catalog/variables";
import type { ChosenLanguage } from "../../content/documents/content";
import { type RequestedEvent, requestedEvent } from "../../content/event-types/own-event";
import { Problem } from "../../problem";
import type { EmailSettings } from "../../settings";
import { addressesOf, checkKey, readTtlMs } from "../submission/fields";
import type { SubmitContext, Submitted } from "../submission/submission";
import { type RequestRecipients, readRequestRecipients } from "./event-recipients";

/** The fields of an event request that can be parsed before the rules are loaded. */
export type EventFields = {
  event: Parsed<RequestedEvent>;
  payload: Parsed<JsonObject>;
  /** the recipients of the request */
  hints: Parsed<RequestRecipients>;
  addresses: readonly string[];
};

/** The valid fields of an event request, before the rules are applied. */
export type EventInput = {
  payload: JsonObject;
  hints: RequestRecipients;
  language: ChosenLanguage;
  ttlMs: number | null;
};

/** Parses the fields of an event request. Errors are returned as results, because earlier checks take precedence. */
export function readEventFields(body: JsonObject, settings: EmailSettings): EventFields {
  const hints = tryParse(() => readRequestRecipients(body.recipients, settings.maxRecipients));
  return {
    event: tryParse(() => requireEvent(body)),
    payload: tryParse(() => readVariables(body.payload, settings, "payload")),
    hints,
    addresses: hints.ok ? addressesOf(hints.value.entries.map(({ result }) => result)) : [],
  };
}

/** Returns the requested event. Throws 400 `event_type: [required|invalid]` or `unknown_event`. */
function requireEvent({ event_type: type }: JsonObject): RequestedEvent {
  if (isAbsent(type) || type === "") throw invalid({ event_type: ["required"] });
  if (typeof type !== "string") throw invalid({ event_type: ["invalid"] });
  const event = requestedEvent(type);
  if (event === null) throw new Problem("unknown_event");
  return event;
}

/**
 * Returns the event if the client may send it. Throws 403 `forbidden` when `service` is the name of another service,
 * `unknown_event` for an unknown event or one of another service, and the errors of `checkKey`.
 */
export function admitEvent(
  findEvent: () => CatalogEvent | undefined,
  { body, client }: Submitted<EventFields>,
): CatalogEvent {
  if (!isAbsent(body.service) && body.service !== client.service) throw new Problem("forbidden");
  const event = findEvent();
  if (event?.service !== client.service) throw new Problem("unknown_event");
  checkKey(event, client);
  return event;
}

/** Returns payload, recipients, language and TTL. Throws 400 with all invalid fields, or `language_not_available`. */
export function requireEventInput(
  { body, event, language }: SubmitContext,
  { payload, hints }: EventFields,
  settings: EmailSettings,
): EventInput {
  const ttlMs = tryParse(() => readTtlMs(body, event, settings));
  const problems = [payload, hints, ttlMs].flatMap((field) => (field.ok ? [] : [field.problem]));
  if (problems.length > 0) throw invalid(Object.assign({}, ...problems.map(({ options }) => options.field_errors)));
  return { payload: unwrap(payload), hints: unwrap(hints), language: unwrap(language), ttlMs: unwrap(ttlMs) };
}
