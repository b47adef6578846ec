import { PLATFORM } from "../../../../db/kit/webhooks";
import { iso } from "../../time";
import { type EventCatalog, isOffered } from "./catalog";
import { type EnvelopeCompany, toEnvelopeTime } from "./envelope";
import { numberOfId, timeOfId } from "./event-key";
import type { OpenEvent } from "./sealed-body";

/** A row of the event log: `data` without what is empty or false, and without the row's own ids. */
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
    data: Object.fromEntries(data.filter(([name, value]) => !isEmpty(value) && !OWN_IDS.includes(name))),
  };
}

const OWN_IDS = ["company_id", "user_id"];

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The event types that a reader may meet: those of staff alone are named to staff alone. */
export function presentEventTypes({ events }: EventCatalog, isStaff: boolean) {
  const results = events
    .filter(({ audience, isPlanned }) => !isPlanned && (isStaff || audience !== "staff"))
    .map(({ type, label, description, audience }) => ({ type, label, description, webhook: audience === "webhook" }));
  return { results };
}

/** What a rule may name, each with a sample of what it sends. */
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

/** An envelope of the type with the examples of its fields; `id` is the event's, `now` unix ms. */
export function sampleEnvelope(
  { fieldsOf }: EventCatalog,
  type: string,
  company: EnvelopeCompany,
  { id, now }: { id: string; now: number },
) {
  const data = Object.fromEntries(fieldsOf(type).map(({ name, example }) => [name, example]));
  return { id, type, time: toEnvelopeTime(now), company, data };
}
