import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { type JsonOptions, readJson } from "../../../kit/http/request/body";
import { type Parsed, parseFrom, tryParseAsync } from "../../../kit/http/request/parsed";
import type { JsonObject } from "../../../kit/json";
import type { ChosenLanguage } from "../../content/documents/content";
import type { RequestedEvent } from "../../content/event-types/own-event";
import { readCompanyId, readIdempotencyKey, readLanguage } from "./fields";

const MAX_DEPTH = 64;

/** The fields of one API path. `addresses` are the addresses of the valid recipients. */
export type PathFields = { event: Parsed<RequestedEvent>; addresses: readonly string[] };

/**
 * Reads the fields of one API path. `limit` is the maximum size of the body in bytes, and `listAs` the field for a body that is
 * an array. `source` reads the fields that other paths have in the body from the rest of the request.
 */
export type PathReader<F extends PathFields> = {
  limit: number;
  read: (body: JsonObject) => F;
  listAs?: JsonOptions["listAs"];
  source?: (soleCompany: number | null) => { companyId: () => number; idempotencyKey: () => string | null };
};

/**
 * The parameters of the statements that read the facts. Defaults replace invalid values, because the statements run before the
 * checks that reject such a request.
 */
export type StatementInput = {
  companyId: number;
  idempotencyKey: string;
  eventType: string;
  event: RequestedEvent | null;
  lane: Lane;
  /** null: the request chooses no language */
  language: EmailLanguage | null;
  addresses: readonly string[];
};

/** A parsed body. When the body cannot be parsed, every field contains the Problem of the body. */
export type Submission<F extends PathFields> = {
  body: Parsed<JsonObject>;
  companyId: Parsed<number>;
  idempotencyKey: Parsed<string | null>;
  language: Parsed<ChosenLanguage>;
  fields: Parsed<F>;
  statementInput: StatementInput;
};

/**
 * Parses the body of a submission. Returns errors as results: 413, 415, 400 `body: [invalid]`, or errors of fields.
 * `soleCompany` is the only company of the service key, or null.
 */
export async function parseSubmission<F extends PathFields>(
  request: Request,
  { limit, read, listAs, source }: PathReader<F>,
  soleCompany: number | null,
): Promise<Submission<F>> {
  const json = { limit, maxDepth: MAX_DEPTH, ...(listAs === undefined ? {} : { listAs }) };
  const body = await tryParseAsync(() => readJson(request, json));
  const outside = source?.(soleCompany);
  const companyId = parseFrom(body, outside?.companyId ?? readCompanyId);
  const idempotencyKey = parseFrom(body, outside?.idempotencyKey ?? readIdempotencyKey);
  const language = parseFrom(body, readLanguage);
  const fields = parseFrom(body, read);
  const event = fields.ok && fields.value.event.ok ? fields.value.event.value : null;
  const statementInput: StatementInput = {
    companyId: companyId.ok ? companyId.value : 0,
    idempotencyKey: (idempotencyKey.ok && idempotencyKey.value) || "",
    eventType: event?.event_type ?? "",
    event,
    lane: event?.platform?.lane_class ?? "transactional",
    language: language.ok && language.value.source === "request" ? language.value.value : null,
    addresses: fields.ok ? fields.value.addresses : [],
  };
  return { body, companyId, idempotencyKey, language, fields, statementInput };
}
