import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import type { FieldErrors } from "../../../../schemas/errors";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { SECOND_MS } from "../../../kit/time";
import type { ChosenLanguage } from "../../content/documents/content";
import { Problem } from "../../problem";
import { mayUseTemplate, type ServiceClient } from "../../records/clients/service-client";
import { readAddress } from "../../records/seal/address";
import type { EmailSettings } from "../../settings";

/** A recipient of a request: `email` as the caller wrote it, trimmed; `path` is where it stands, such as `to.0`. */
export type Recipient = { email: string; userId: number | null; path: string };

const MAX_KEY_LENGTH = 200;

/** An integer >= 1; 400 `company_id: [required|invalid]`. */
export function readCompanyId(body: JsonObject): number {
  const value = body.company_id;
  if (isAbsent(value)) throw invalid({ company_id: ["required"] });
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw invalid({ company_id: ["invalid"] });
  return value;
}

/** 1 to 200 characters when present; 400 `idempotency_key: [invalid|too_long|blank]`. */
export function readIdempotencyKey(body: JsonObject): string | null {
  const value = body.idempotency_key;
  if (isAbsent(value)) return null;
  if (typeof value !== "string") throw invalid({ idempotency_key: ["invalid"] });
  if (value.trim() === "") throw invalid({ idempotency_key: ["blank"] });
  if (value.length > MAX_KEY_LENGTH) throw invalid({ idempotency_key: ["too_long"] });
  return value;
}

/** The lane of the body fits the event, and the key may use it and the template. */
export function checkLane(body: JsonObject, event: CatalogEvent, client: ServiceClient): void {
  const { lane } = body;
  if (!isAbsent(lane)) {
    if (lane === "bulk") throw new Problem("lane_requires_campaign");
    if (!LANES.some((allowed) => allowed === lane)) throw invalid({ lane: ["invalid"] });
    if (lane !== event.lane_class) throw new Problem("template_lane_mismatch");
  }
  checkKey(event, client);
}

/** The key may use the lane of the event, 403 `lane_not_allowed`, and the event, 403 `forbidden`. */
export function checkKey(event: CatalogEvent, client: ServiceClient): void {
  if (!client.lanes.includes(event.lane_class)) throw new Problem("lane_not_allowed");
  if (!mayUseTemplate(client, event.event_type)) throw new Problem("forbidden");
}

/** The faults of one recipient, by the path of its fields; `isAddress` when nothing but the address is wrong. */
export type RecipientResult =
  | { ok: true; recipient: Recipient }
  | { ok: false; fields: FieldErrors; isAddress: boolean };

/** One entry of recipients; `path` such as `to.0`. */
export function readRecipient(value: unknown, path: string): RecipientResult {
  if (!isObject(value)) return { ok: false, fields: { [path]: ["invalid"] }, isAddress: false };
  const fields: FieldErrors = {};
  const text = value.email;
  const isMissing = isAbsent(text) || (typeof text === "string" && text.trim() === "");
  const email = typeof text === "string" ? readAddress(text) : null;
  if (email === null) fields[`${path}.email`] = [isMissing ? "required" : "invalid_format"];
  const userId = readUserId(value.user_id);
  if (userId === undefined) fields[`${path}.user_id`] = ["invalid"];
  if (email !== null && userId !== undefined) return { ok: true, recipient: { email, userId, path } };
  return { ok: false, fields, isAddress: userId !== undefined };
}

/** 1 to `max` recipients, each of them readable or with its faults. */
export function readRecipients(body: JsonObject, max: number): RecipientResult[] {
  return readList(body.to, "to", max).map((entry, index) => readRecipient(entry, `to.${index}`));
}

/** The addresses of the readable recipients. */
export const addressesOf = (results: readonly RecipientResult[]): string[] =>
  results.flatMap((result) => (result.ok ? [result.recipient.email] : []));

/** The recipients, or all their faults: 400 `recipient_invalid` when nothing but addresses is wrong. */
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

/** A list of 1 to `max` entries; 400 `[required|invalid|too_many]`. */
export function readList(value: unknown, name: string, max: number): unknown[] {
  if (isAbsent(value)) throw invalid({ [name]: ["required"] });
  if (!Array.isArray(value)) throw invalid({ [name]: ["invalid"] });
  if (value.length === 0) throw invalid({ [name]: ["required"] });
  if (value.length > max) throw invalid({ [name]: ["too_many"] });
  return value;
}

/** The language; null and "" mean `en`. */
export function readLanguage(body: JsonObject): ChosenLanguage {
  const { language } = body;
  if (isAbsent(language) || language === "") return { value: "en", source: "default" };
  if (language !== "en" && language !== "fr") throw new Problem("language_not_available");
  return { value: language, source: "request" };
}

/** Life in milliseconds on the auth lane, capped; null off it, where the field is ignored. */
export function readTtlMs(body: JsonObject, event: CatalogEvent, settings: EmailSettings): number | null {
  if (event.lane_class !== "auth") return null;
  const value = body.ttl_seconds;
  if (!isAbsent(value) && (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)) {
    throw invalid({ ttl_seconds: ["invalid"] });
  }
  return Math.min(value ?? event.default_ttl_seconds, settings.authMaxTtlSeconds) * SECOND_MS;
}

/** Whether the platform shall send: only the identity service may ask, only on the auth lane. */
export function readUsePlatformSender(body: JsonObject, event: CatalogEvent, client: ServiceClient): boolean {
  const value = body.use_platform_sender;
  if (isAbsent(value) || value === false) return false;
  if (value !== true) throw invalid({ use_platform_sender: ["invalid"] });
  if (client.service !== "identity") throw new Problem("forbidden");
  if (!event.platform_sender) throw invalid({ use_platform_sender: ["not_allowed"] });
  return true;
}

/** An integer >= 1 or its decimal text; null when absent, undefined when it is neither. */
function readUserId(value: unknown): number | null | undefined {
  if (isAbsent(value)) return null;
  const id = typeof value === "string" && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}
