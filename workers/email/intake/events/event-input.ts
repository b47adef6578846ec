import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { findEvent } from "../../../../schemas/email/content/catalog";
import { type Parsed, tryParse, unwrap } from "../../../kit/http/request/parsed";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { readVariables } from "../../content/catalog/variables";
import type { ChosenLanguage } from "../../content/documents/content";
import { Problem } from "../../problem";
import type { ServiceClient } from "../../records/clients/service-client";
import type { EmailSettings } from "../../settings";
import { addressesOf, checkKey, readTtlMs } from "../submission/fields";
import type { SubmitContext } from "../submission/submission";
import { type Hints, readHints } from "./event-recipients";

/** The fields of an event that are read before it is known which rules make mail of it. */
export type EventFields = {
  event: Parsed<CatalogEvent>;
  payload: Parsed<JsonObject>;
  /** the recipients that it names */
  hints: Parsed<Hints>;
  addresses: readonly string[];
};

/** An event whose fields are right; no rule has looked at its recipients yet. */
export type EventInput = {
  payload: JsonObject;
  hints: Hints;
  language: ChosenLanguage;
  ttlMs: number | null;
};

/** Reads the fields of an event. */
export function readEventFields(body: JsonObject, settings: EmailSettings): EventFields {
  const hints = tryParse(() => readHints(body.recipients, settings.maxRecipients));
  return {
    event: tryParse(() => requireEvent(body)),
    payload: tryParse(() => readVariables(body.payload, settings, "payload")),
    hints,
    addresses: hints.ok ? addressesOf(hints.value.entries.map(({ result }) => result)) : [],
  };
}

/** The event that a body names: 400 `event_type: [required|invalid]`, `unknown_event`. */
function requireEvent({ event_type: type }: JsonObject): CatalogEvent {
  if (isAbsent(type) || type === "") throw invalid({ event_type: ["required"] });
  if (typeof type !== "string") throw invalid({ event_type: ["invalid"] });
  const event = findEvent(type);
  if (event === undefined) throw new Problem("unknown_event");
  return event;
}

/** The event, which is one of the service of the key (403 `forbidden` for another name), and that the key may use. */
export function admitEvent(fields: EventFields, body: JsonObject, client: ServiceClient): CatalogEvent {
  if (!isAbsent(body.service) && body.service !== client.service) throw new Problem("forbidden");
  const event = unwrap(fields.event);
  if (event.service !== client.service) throw new Problem("unknown_event");
  checkKey(event, client);
  return event;
}

/** Payload, recipients, language and life; 400 with all of them that are wrong, `language_not_available`. */
export function requireEventInput(
  { body, event, language }: SubmitContext,
  { payload, hints }: EventFields,
  settings: EmailSettings,
): EventInput {
  const ttlMs = tryParse(() => readTtlMs(body, event, settings));
  const refused = [payload, hints, ttlMs].flatMap((field) => (field.ok ? [] : [field.problem]));
  if (refused.length > 0) throw invalid(Object.assign({}, ...refused.map(({ options }) => options.field_errors)));
  return { payload: unwrap(payload), hints: unwrap(hints), language: unwrap(language), ttlMs: unwrap(ttlMs) };
}
