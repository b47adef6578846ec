import { findEventEntry, identityEvents } from "../../../schemas/identity/events";
import type { EventRow } from "../store/event-log-reads";

/** A row of the event log (Document 3 details 4.9): `data` without what is empty or false, and without the row's own ids. */
export function presentEvent(row: EventRow) {
  const data = Object.entries(readData(row)).filter(([name, value]) => !isEmpty(value) && !ownIds.includes(name));
  return {
    id: row.id,
    event_id: row.event_id,
    company_id: row.company_id,
    created_at: new Date(row.created_at).toISOString(),
    event_type: row.event_type,
    label: findEventEntry(row.event_type)?.label ?? row.event_type,
    user_id: row.user_id,
    user_email: row.user_email,
    data: Object.fromEntries(data),
  };
}

const ownIds = ["company_id", "user_id"];

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** A row of the login events (details 11); what is not known is null. */
export function presentLoginEvent(row: EventRow) {
  const data = readData(row);
  const text = (name: string) => (typeof data[name] === "string" && data[name] !== "" ? data[name] : null);
  return {
    id: row.id,
    company_id: row.company_id,
    created_at: new Date(row.created_at).toISOString(),
    user_id: row.user_id,
    user_email: row.user_email,
    outcome: row.outcome,
    provider: row.provider,
    failure_reason: text("failure_reason"),
    is_staff_at_event: row.is_staff_at_event === null ? null : row.is_staff_at_event === 1,
    ip_hash: text("ip_hash"),
    user_agent: text("user_agent"),
    client_timezone: text("client_timezone"),
    client_device_id_hash: text("client_device_id_hash"),
    client_country: row.country,
    client_city: row.city,
  };
}

/** The event types that a reader may meet: those of staff alone are named to staff alone. */
export function presentEventTypes(isStaff: boolean) {
  const results = identityEvents
    .filter(({ audience }) => isStaff || audience !== "staff")
    .map(({ type, label, description, audience }) => ({ type, label, description, webhook: audience === "webhook" }));
  return { results };
}

function readData(row: EventRow): Record<string, unknown> {
  return JSON.parse(row.data) as Record<string, unknown>;
}
