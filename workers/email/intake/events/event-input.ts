import type { CatalogEvent } from "../../../../schemas/email/catalog";
import { findEvent } from "../../../../schemas/email/catalog";
import type { FieldErrors } from "../../../../schemas/errors";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { readVariables } from "../../content/catalog/variables";
import type { ChosenLanguage } from "../../content/documents/content";
import { Problem } from "../../problem";
import type { ServiceClient } from "../../records/clients/service-client";
import type { EmailSettings } from "../../settings";
import { checkKey, readLanguage, readTtlMs } from "../acceptance/fields";
import type { SubmitContext } from "../acceptance/submission";

/** An event as its body tells it; `hints` are its recipients, which no rule has looked at yet. */
export type EventInput = {
  payload: JsonObject;
  hints: readonly unknown[];
  language: ChosenLanguage;
  ttlMs: number | null;
};

/** The event that a body names: 400 `event_type: [required|invalid]`, `unknown_event`. */
export function findNamedEvent({ event_type: type }: JsonObject): CatalogEvent {
  if (isAbsent(type) || type === "") throw invalid({ event_type: ["required"] });
  if (typeof type !== "string") throw invalid({ event_type: ["invalid"] });
  const event = findEvent(type);
  if (event === undefined) throw new Problem("unknown_event");
  return event;
}

/** The event, which is one of the service of the key (403 `forbidden` for another name), and that the key may use. */
export function admitEvent(body: JsonObject, client: ServiceClient): CatalogEvent {
  if (!isAbsent(body.service) && body.service !== client.service) throw new Problem("forbidden");
  const event = findNamedEvent(body);
  if (event.service !== client.service) throw new Problem("unknown_event");
  checkKey(event, client);
  return event;
}

/** Payload, recipients, language and life; 400 with all of them that are wrong, `language_not_available`. */
export function readEventInput({ body, event }: SubmitContext, settings: EmailSettings): EventInput {
  const payload = faultsOf(() => readVariables(body.payload, settings, "payload"));
  const hints = faultsOf(() => readHints(body.recipients));
  const ttlMs = faultsOf(() => readTtlMs(body, event, settings));
  const faults: FieldErrors = Object.assign({}, payload.faults, hints.faults, ttlMs.faults);
  if (!payload.ok || !hints.ok || !ttlMs.ok) throw invalid(faults);
  return { payload: payload.value, hints: hints.value, language: readLanguage(body), ttlMs: ttlMs.value };
}

function readHints(value: unknown): unknown[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalid({ recipients: ["invalid"] });
  return value;
}

/** What can be read, or the fields that keep it from being read. */
function faultsOf<T>(read: () => T): { ok: true; value: T; faults: FieldErrors } | { ok: false; faults: FieldErrors } {
  try {
    return { ok: true, value: read(), faults: {} };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, faults: error.options.field_errors ?? {} };
    throw error;
  }
}
