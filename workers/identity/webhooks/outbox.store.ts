import { mailedEvents } from "../../../schemas/identity/events";
import { createOutbox } from "../../kit/webhooks/event-log/new-event.store";

/** The company of an envelope; null when it is gone. */
const company =
  "(SELECT json_object('id', c.id, 'name', c.name, 'slug', c.slug) FROM companies c WHERE c.id = e.company_id)";

/** The data as variables of a mail: `email` under another name, lists as text (identity details 11). */
const payload = `(SELECT json_group_object(CASE m.key WHEN 'email' THEN 'recipient_email' ELSE m.key END,
  CASE m.type WHEN 'array' THEN (SELECT group_concat(a.value, ', ') FROM json_each(m.value) a) ELSE m.value END ORDER BY m.key)
  FROM json_each(e.data) m WHERE m.type <> 'object')`;

/** The person whom the event is about, else the owners (identity details 11). */
const recipients = `CASE WHEN e.event_type LIKE 'identity.user.%' OR e.event_type LIKE 'identity.scim.user.%'
  THEN (SELECT json_group_array(json_patch(json_object('email', p.email), json_object('user_id', p.user_id)))
    FROM (SELECT coalesce(e.data ->> '$.email', e.user_email) AS email, e.data ->> '$.user_id' AS user_id) p
    WHERE p.email IS NOT NULL)
  ELSE (SELECT json_group_array(json_object('email', u.email, 'user_id', u.id))
    FROM memberships o CROSS JOIN users u ON u.id = o.user_id
    WHERE o.company_id = e.company_id AND o.is_owner = 1 AND o.state = 'allowed' AND u.is_active = 1) END`;

/** Deliveries of identity's events. */
export const outbox = createOutbox({
  service: "identity",
  company,
  emailColumn: "user_email",
  email: { types: mailedEvents, payload, recipients },
});
