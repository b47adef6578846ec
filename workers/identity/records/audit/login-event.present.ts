import { iso } from "../../../kit/time";
import { numberOfId, timeOfId } from "../../../kit/webhooks/events/event-key";
import type { LoginEventRow } from "./login-event.store";

/** Returns a login event as the API shows it. Unknown values are null. */
export function presentLoginEvent({ data, ...row }: LoginEventRow) {
  const text = (name: string) => (typeof data[name] === "string" && data[name] !== "" ? data[name] : null);
  return {
    id: numberOfId(row.id),
    company_id: row.company_id,
    created_at: iso(timeOfId(row.id)),
    user_id: row.user_id,
    user_email: row.user_email,
    outcome: row.outcome,
    provider: row.provider,
    failure_reason: text("failure_reason"),
    is_staff_at_event: row.is_staff_at_event,
    ip_hash: text("ip_hash"),
    user_agent: text("user_agent"),
    client_timezone: text("client_timezone"),
    client_device_id_hash: text("client_device_id_hash"),
    client_country: row.country,
    client_city: row.city,
  };
}
