import { eq, sql } from "drizzle-orm";
import { companies, event_log, mail_outbox, sessions, users } from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { insertSelect } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/**
 * Inserts the event about a session on a new device. A device is new when the user has no other session on it in the company.
 * Inserts nothing when the company has not enabled this notice, or when this sign-in created the account.
 */
export const insertNewDeviceEvent = statement({ sid: sessions.id, eventId: event_log.id, now: integer }, (p) =>
  insertSelect(
    event_log,
    {
      id: p.eventId,
      company_id: sessions.company_id,
      event_type: "identity.auth.login.new_device_detected",
      user_id: users.id,
      user_email: users.email,
      data: sql`json_object('provider', ${sessions.provider}, 'client_device', ${sessions.device},
          'client_country', ${sessions.country})`,
      country: sessions.country,
      created_at: p.now,
    },
    sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id}
        join ${companies} on ${companies.id} = ${sessions.company_id} and ${companies.notify_new_device} = 1
        where ${sessions.id} = ${p.sid} and ${users.created_at} < ${sessions.auth_time}
          and not exists (select 1 from ${sessions} as earlier where earlier.user_id = ${sessions.user_id}
            and earlier.company_id = ${sessions.company_id} and earlier.id <> ${sessions.id} and earlier.device is ${sessions.device})
        on conflict do nothing`,
  ),
);

/**
 * Inserts the mail if the statement directly before it inserted the event. The id of the mail is the session id, because its
 * content is built from the session when it is sent.
 */
export const insertNewDeviceMail = statement(
  {
    sid: sessions.id,
    key: mail_outbox.idempotency_key,
    now: integer,
    deadline: integer,
    requestId: mail_outbox.request_id,
  },
  (p) =>
    insertSelect(
      mail_outbox,
      {
        id: sessions.id,
        company_id: sessions.company_id,
        kind: "new_device",
        idempotency_key: p.key,
        state: "waiting",
        next_at: p.now,
        deadline_at: p.deadline,
        request_id: p.requestId,
        created_at: p.now,
      },
      sql`from ${sessions} where changes() > 0 and ${eq(sessions.id, p.sid)} on conflict do nothing`,
    ),
);
