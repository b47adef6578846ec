import { PLATFORM } from "../../../../db/kit/webhooks";
import { iso } from "../../time";
import { type EventCatalog, isOffered } from "./catalog";
import { type EnvelopeCompany, toEnvelopeTime } from "./envelope";
import { numberOfId, timeOfId } from "./event-key";
import type { OpenEvent } from "./sealed-body";

/**
 * Returns an event in the form of the API. `data` omits empty and false values, and the ids that are fields of the
 * event itself.
 */
export function presentEvent(row: OpenEvent, { events }: EventCatalog) {
  const data = Object.entries(row.data);
  return {
    id: numberOfId(row.id),
    event_id: row.event_id,
    company_id: row.company_id === PLATFORM ? null : row.company_id,
    created_at: iso(timeOfId(row.id)),
    event_type: row.event_type,
    label: events.find(({ type }) => type === row.event_type)?.label ?? row.event_type,
    user_id: row.user_id,
    user_email: row.user_email,
    data: Object.fromEntries(data.filter(([name, value]) => !isEmpty(value) && !TOP_LEVEL_IDS.includes(name))),
  };
}

const TOP_LEVEL_IDS = ["company_id", "user_id"];

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Returns the event types that a caller may see. Event types for staff are returned only to staff. */
export function presentEventTypes({ events }: EventCatalog, isStaff: boolean) {
  const results = events
    .filter(({ audience }) => isStaff || audience !== "staff")
    .map(({ type, label, description, audience }) => ({ type, label, description, webhook: audience === "webhook" }));
  return { results };
}

/** Returns the event types that a new subscription may use, each with a sample envelope. */
export function presentRuleEvents(catalog: EventCatalog, company: EnvelopeCompany) {
  const results = catalog.events.filter(isOffered).map(({ type, label, description }) => ({
    type,
    label,
    description,
    emit_by_default: true,
    supported_action_kinds: ["webhook"],
    payload_fields: catalog.fieldsOf(type),
    sample_envelope: sampleEnvelope(catalog, type, company, SAMPLED),
  }));
  return { results };
}

const SAMPLED = { id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", now: Date.UTC(2026, 0, 1) };

/** Returns a sample envelope of an event type. `id` is the id of the event, `now` its time in unix ms. */
export function sampleEnvelope(
  { fieldsOf }: EventCatalog,
  type: string,
  company: EnvelopeCompany,
  { id, now }: { id: string; now: number },
) {
  const data = Object.fromEntries(fieldsOf(type).map(({ name, example }) => [name, example]));
  return { id, type, time: toEnvelopeTime(now), company, data };
}
