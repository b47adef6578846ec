import type * as z from "zod";
import type { RuleRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { ruleChangeFieldsSchema, ruleFieldsSchema } from "../../../../schemas/email/intake/rules";
import { parse } from "../../../kit/http/request/parse";
import { tryParse, unwrap } from "../../../kit/http/request/parsed";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { invalid } from "../../../kit/problem";
import { type DesignRow, designOf } from "../../authoring/templates/custom-template";
import { type RequestedEvent, requestedEvent, resolveEvent, selectOwnType } from "../../content/event-types/own-event";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";

/** The parsed body of a new rule; `static_recipients` are not encrypted. */
export type RuleInput = z.output<typeof ruleFieldsSchema> &
  Pick<RuleRow, "language"> & { event: CatalogEvent; design: DesignRow };

/** The parsed body of a change. Missing fields keep their values. */
export type RuleChangeInput = z.output<typeof ruleChangeFieldsSchema> & Partial<Pick<RuleRow, "language">>;

/** Validates the body of a new rule: first the event, then the design (404 `library_not_found`), the fields, the language. */
export async function readNewRule(
  { dbOf }: Pick<EmailServices, "dbOf">,
  companyId: number,
  body: JsonObject,
): Promise<RuleInput> {
  const requested = readEvent(body);
  const id = tryParse(() => readLibraryId(body));
  const rows = await dbOf(companyId).batch({
    ownType: selectOwnType(requested, companyId),
    design: id.ok ? designOf(id.value, companyId) : null,
  });
  const event = requireEvent(resolveEvent(requested, rows.ownType), body);
  unwrap(id);
  const design = rows.design?.first;
  if (!design) throw new Problem("library_not_found");
  const fields = parse(ruleFieldsSchema, body);
  return { ...fields, language: readLanguage(body.language), event, design };
}

/** Validates the body of a change. Ignores unknown keys. */
export function readRuleChange(body: JsonObject): RuleChangeInput {
  const fields = parse(ruleChangeFieldsSchema, body);
  return body.language === undefined ? fields : { ...fields, language: readLanguage(body.language) };
}

/** Returns the requested event. Throws 400 `event_type: [required|invalid]`, or `event_unknown`. */
function readEvent({ event_type }: JsonObject): RequestedEvent {
  if (isAbsent(event_type) || event_type === "") throw invalid({ event_type: ["required"] });
  if (typeof event_type !== "string") throw invalid({ event_type: ["invalid"] });
  const event = requestedEvent(event_type);
  if (event === null) throw new Problem("event_unknown");
  return event;
}

/** Returns the event. Throws 400 `event_unknown` for an unknown event or one that does not belong to `service`. */
function requireEvent(event: CatalogEvent | undefined, { service }: JsonObject): CatalogEvent {
  if (event === undefined) throw new Problem("event_unknown");
  if (isAbsent(service)) return event;
  if (typeof service !== "string") throw invalid({ service: ["invalid"] });
  if (service !== event.service) throw new Problem("event_unknown");
  return event;
}

function readLibraryId({ content }: JsonObject): number {
  const id = isObject(content) ? content.library_id : null;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1)
    throw invalid({ content: ["library_id_required"] });
  return id;
}

function readLanguage(value: unknown): RuleRow["language"] {
  if (isAbsent(value) || value === "") return "";
  if (value !== "en" && value !== "fr") throw new Problem("language_not_available");
  return value;
}
