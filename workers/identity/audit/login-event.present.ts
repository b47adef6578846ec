import type { EventRow } from "./login-event.store";

/** A row of the login events (details 11); what is not known is null. */
export function presentLoginEvent(row: EventRow) {
  const data = JSON.parse(row.data) as Record<string, unknown>;
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
