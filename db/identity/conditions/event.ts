import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { sessions, users } from "../schema";

/** A JSON boolean that is true when the account in `users` is staff. */
export const isStaffJson: SQL = sql`json(case ${users.is_staff} when 1 then 'true' else 'false' end)`;

/** Returns the columns of a login event, from the new session and its account. `data` is the audit data as JSON. */
export function loginEvent(data: SQLWrapper) {
  return {
    company_id: sessions.company_id,
    event_type: "identity.auth.login.succeeded",
    user_id: users.id,
    user_email: users.email,
    data: sql`json_set(${data}, '$.is_staff_at_event', ${isStaffJson})`,
    outcome: "success",
    provider: sessions.provider,
    is_staff_at_event: users.is_staff,
  };
}
