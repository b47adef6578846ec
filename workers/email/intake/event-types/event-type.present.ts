import type { EventTypeRow } from "../../../../db/email/rows";
import type { PublicEventType } from "../../../../schemas/email/content/event-types";
import { prefixOf } from "../../../../schemas/email/content/prefixes";
import { iso } from "../../../kit/time";

/** Returns the API representation of an event type. */
export function presentEventType(row: EventTypeRow): PublicEventType {
  const { company_id, event_type, labels, description, default_language, default_template, texts } = row;
  return {
    company_id,
    event_type,
    service: prefixOf(event_type),
    lane: "transactional",
    labels,
    description,
    variables: row.variables.map(presentVariable),
    default_language,
    default_template,
    texts,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

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
