import type { EventTypeRow } from "../../../../db/email/rows";
import type { PublicEventType } from "../../../../schemas/email/content/event-types";
import { prefixOf } from "../../../../schemas/email/content/prefixes";
import { iso } from "../../../kit/time";
import type { EventTypeInput } from "./event-type-input";

/** Returns the API representation of an event type. */
export function presentEventType(row: EventTypeRow): PublicEventType {
  const { company_id, created_at, updated_at } = row;
  return { company_id, ...presentFields(row), created_at: iso(created_at), updated_at: iso(updated_at) };
}

/** Returns the API representation of the fields that a company sets. */
export function presentFields(
  input: EventTypeInput,
): Omit<PublicEventType, "company_id" | "created_at" | "updated_at"> {
  const { event_type, labels, description, default_language, default_template, texts } = input;
  return {
    event_type,
    service: prefixOf(event_type),
    lane: "transactional",
    labels,
    description,
    variables: input.variables.map(presentVariable),
    default_language,
    default_template,
    texts: { en: presentTexts(texts.en), fr: presentTexts(texts.fr) },
  };
}

const presentTexts = (texts: EventTypeRow["texts"]["en"]) => ({ ...texts, footnote: texts.footnote ?? "" });

function presentVariable({
  token: name,
  value_type,
  required,
  labels,
  sample,
  fields,
}: EventTypeRow["variables"][number]) {
  const field = { name, value_type, required, labels, sample };
  return fields === undefined ? field : { ...field, fields: fields.map(presentField) };
}

const presentField = ({ token: name, value_type, required, labels, sample }: EventTypeRow["variables"][number]) => ({
  name,
  value_type,
  required,
  labels,
  sample,
});
