import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import type { FieldErrors } from "../../../../schemas/errors";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { isTimeZone, SECOND_MS } from "../../../kit/time";
import type { ChosenLanguage } from "../../content/documents/content";
import { Problem } from "../../problem";
import { canUseTemplate, type ServiceClient } from "../../records/clients/service-client";
import { readAddress } from "../../records/seal/address";
import type { EmailSettings } from "../../settings";

/**
 * A recipient in a request. `email` is trimmed. `timeZone` is the IANA time zone in which the mail shows times, `UTC` by default.
 * `path` is the position in the body, such as `to.0`.
 */
export type Recipient = { email: string; userId: number | null; timeZone: string; path: string };

const MAX_KEY_LENGTH = 200;

/** Returns an integer >= 1. Throws 400 `company_id: [required|invalid]`. */
export function readCompanyId(body: JsonObject): number {
  const value = body.company_id;
  if (isAbsent(value)) throw invalid({ company_id: ["required"] });
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw invalid({ company_id: ["invalid"] });
  return value;
}

/**
 * Returns the idempotency key of 1 to 200 characters, or null when absent. Throws 400 `idempotency_key:
 * [invalid|too_long|blank]`.
 */
export function readIdempotencyKey(body: JsonObject): string | null {
  const value = body.idempotency_key;
  if (isAbsent(value)) return null;
  if (typeof value !== "string") throw invalid({ idempotency_key: ["invalid"] });
  if (value.trim() === "") throw invalid({ idempotency_key: ["blank"] });
  if (value.length > MAX_KEY_LENGTH) throw invalid({ idempotency_key: ["too_long"] });
  return value;
}

/** Throws unless the lane of the body matches the event and the service key may use the lane and the template. */
export function checkLane(body: JsonObject, event: CatalogEvent, client: ServiceClient): void {
  const { lane } = body;
  if (!isAbsent(lane)) {
    if (lane === "bulk") throw new Problem("lane_requires_campaign");
    if (!LANES.some((allowed) => allowed === lane)) throw invalid({ lane: ["invalid"] });
    if (lane !== event.lane_class) throw new Problem("template_lane_mismatch");
  }
  checkKey(event, client);
}

/**
 * Throws 403 `lane_not_allowed` when the service key may not use the lane of the event, and `forbidden` when the key may not
 * use the event.
 */
export function checkKey(event: CatalogEvent, client: ServiceClient): void {
  if (!client.lanes.includes(event.lane_class)) throw new Problem("lane_not_allowed");
  if (!canUseTemplate(client, event.event_type)) throw new Problem("forbidden");
}

/** A recipient, or its errors by field path. `isAddress`: only the address is invalid. */
export type RecipientResult =
  | { ok: true; recipient: Recipient }
  | { ok: false; fields: FieldErrors; isAddress: boolean };

/** Reads one recipient. `path` is its position in the body, such as `to.0`. */
export function readRecipient(value: unknown, path: string): RecipientResult {
  if (!isObject(value)) return { ok: false, fields: { [path]: ["invalid"] }, isAddress: false };
  const fields: FieldErrors = {};
  const text = value.email;
  const isMissing = isAbsent(text) || (typeof text === "string" && text.trim() === "");
  const email = typeof text === "string" ? readAddress(text) : null;
  if (email === null) fields[`${path}.email`] = [isMissing ? "required" : "invalid_format"];
  const userId = readUserId(value.user_id);
  if (userId === undefined) fields[`${path}.user_id`] = ["invalid"];
  const timeZone = readTimeZone(value.time_zone);
  if (timeZone === null) fields[`${path}.time_zone`] = ["invalid"];
  if (email !== null && userId !== undefined && timeZone !== null) {
    return { ok: true, recipient: { email, userId, timeZone, path } };
  }
  return { ok: false, fields, isAddress: userId !== undefined && timeZone !== null };
}

/** Reads 1 to `max` recipients, each with its own errors. */
export function readRecipients(body: JsonObject, max: number): RecipientResult[] {
  return readList(body.to, "to", max).map((entry, index) => readRecipient(entry, `to.${index}`));
}

/** Returns the addresses of the valid recipients. */
export const addressesOf = (results: readonly RecipientResult[]): string[] =>
  results.flatMap((result) => (result.ok ? [result.recipient.email] : []));

/** Returns the recipients. Throws 400 with all errors. The code is `recipient_invalid` when only addresses are invalid. */
export function requireRecipients(results: readonly RecipientResult[]): Recipient[] {
  const failures = results.filter((result) => !result.ok);
  if (failures.length > 0) {
    const field_errors = Object.assign({}, ...failures.map(({ fields }) => fields)) as FieldErrors;
    throw new Problem(failures.every(({ isAddress }) => isAddress) ? "recipient_invalid" : "validation_failed", {
      field_errors,
    });
  }
  return results.flatMap((result) => (result.ok ? [result.recipient] : []));
}

/** Returns a list of 1 to `max` entries. Throws 400 `[required|invalid|too_many]`. */
export function readList(value: unknown, name: string, max: number): unknown[] {
  if (isAbsent(value)) throw invalid({ [name]: ["required"] });
  if (!Array.isArray(value)) throw invalid({ [name]: ["invalid"] });
  if (value.length === 0) throw invalid({ [name]: ["required"] });
  if (value.length > max) throw invalid({ [name]: ["too_many"] });
  return value;
}

/** Returns the language; null and "" mean `en`. Throws `language_not_available`. */
export function readLanguage(body: JsonObject): ChosenLanguage {
  const { language } = body;
  if (isAbsent(language) || language === "") return { value: "en", source: "default" };
  if (language !== "en" && language !== "fr") throw new Problem("language_not_available");
  return { value: language, source: "request" };
}

/** Returns the TTL in ms in the auth lane, limited to the maximum. Returns null in other lanes, where the field is ignored. */
export function readTtlMs(body: JsonObject, event: CatalogEvent, settings: EmailSettings): number | null {
  if (event.lane_class !== "auth") return null;
  const value = body.ttl_seconds;
  if (!isAbsent(value) && (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)) {
    throw invalid({ ttl_seconds: ["invalid"] });
  }
  return Math.min(value ?? event.default_ttl_seconds, settings.authMaxTtlSeconds) * SECOND_MS;
}

/** Returns whether the request chooses the platform sender. Only the identity service may do so, for events that allow it. */
export function readUsePlatformSender(body: JsonObject, event: CatalogEvent, client: ServiceClient): boolean {
  const value = body.use_platform_sender;
  if (isAbsent(value) || value === false) return false;
  if (value !== true) throw invalid({ use_platform_sender: ["invalid"] });
  if (client.service !== "identity") throw new Problem("forbidden");
  if (!event.platform_sender) throw invalid({ use_platform_sender: ["not_allowed"] });
  return true;
}

const MAX_TIME_ZONE_LENGTH = 64;

/** Returns the IANA time zone, `UTC` when the value is absent or "", and null for an unknown time zone. */
export function readTimeZone(value: unknown): string | null {
  if (isAbsent(value) || value === "") return "UTC";
  // Some runtimes also accept offsets such as `+01:00`, which are no IANA names.
  const isName = typeof value === "string" && value.length <= MAX_TIME_ZONE_LENGTH && /^[A-Za-z]/.test(value);
  return isName && isTimeZone(value) ? value : null;
}

/** Returns an integer >= 1, which may also be decimal text. Returns null when absent and undefined when invalid. */
function readUserId(value: unknown): number | null | undefined {
  if (isAbsent(value)) return null;
  const id = typeof value === "string" && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}
