// Goes with the last service whose outbox is SQL text; see event-statements.store.ts.

import { type SqlValue, sql } from "../../db";
import type { Bound } from "../../db/statement";
import type { EventStatements } from "./event-statements.store";

/** A row waits this long for its doorbell before a retry run takes it. */
const FIRST_DUE_MS = 30_000;
/** What a service client of a callback counts from in `rule_id`, which is negative for it. */
export const CALLBACK_BASE = 1_000_000_000_000;

/** How a service's events become deliveries: expressions of SQL over the event `e` and fixed words of the source. */
export type OutboxSpec = {
  service: string;
  /** the envelope's `company`, JSON */
  company: string;
  /** the column of the event log that holds the acting user's address */
  emailColumn: "actor_email" | "user_email";
  /** types that the email service's catalog has for this service, and the body of their posts, JSON */
  email: { types: readonly string[]; payload: string; recipients: string };
};

/** How a service that seals what its events say calls back a service client: SQL over the event `e` and the client `c`. */
export type CallbackSpec = {
  /** joins and picks the clients that are called back */
  from: string;
  id: string;
  name: string;
  host: string;
};

/** A registered text as a function of its values, in the order of `names`; lists become JSON. */
function bindable<V extends object, Row = never>(text: string, names: (keyof V)[]): (values: V) => Bound<Row> {
  sql(text);
  const stored = (value: unknown) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value);
  return (values) => ({
    parts: [{ text, values: names.map((name) => stored(values[name]) as Exclude<SqlValue, boolean>) }],
    read: (row) => row as Row,
  });
}

const HEX = (bytes: number) => `lower(hex(randomblob(${bytes})))`;
/** A random uuid of version 4. */
const UUID = `${HEX(4)} || '-' || ${HEX(2)} || '-4' || substr(${HEX(2)}, 2) || '-' ||
     substr('89ab', 1 + (random() & 3), 1) || substr(${HEX(2)}, 2) || '-' || ${HEX(6)}`;

/** A value of json_each as JSON. */
const VALUE = `json(CASE m.type WHEN 'text' THEN json_quote(m.value) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
       WHEN 'null' THEN 'null' ELSE m.value END)`;

/** The members of an object in the order of their names; what is deeper was sorted when it was made in JavaScript. */
const SORTED_DATA = `json((SELECT json_group_object(m.key, ${VALUE} ORDER BY m.key) FROM json_each(e.data) m))`;

const TIME = `strftime('%Y-%m-%dT%H:%M:%S', e.created_at / 1000, 'unixepoch') || printf('.%03d+00:00', e.created_at % 1000)`;

// A repeated batch finds the rows of the first and answers their ids.
const OR_FOUND =
  "ON CONFLICT (event_id, rule_id, kind) DO UPDATE SET updated_at = action_deliveries.updated_at RETURNING id";

/** A delivery of the event `e`: id, kind, target and body are SQL. `isSealed`: it names its person as the event does. */
function newDelivery(
  isSealed: boolean,
  row: {
    id: string;
    kind: string;
    ruleId: string;
    ruleName: string;
    host: string;
    body: string;
    now: string;
    due: string;
  },
): string {
  const { id, kind, ruleId, ruleName, host, body, now, due } = row;
  const [column, subject] = isSealed ? [", subject_hmac", ", e.subject_hmac"] : ["", ""];
  return `INSERT INTO action_deliveries (id, kind, company_id, rule_id, rule_name, event_id, event_type, host, body, status,
     due_at, created_at, updated_at${column})
   SELECT ${id}, '${kind}', e.company_id, ${ruleId}, ${ruleName}, e.event_id, e.event_type, ${host}, ${body}, 'pending',
     ${due}, ${now}, ${now}${subject}`;
}

const OWN_EVENTS = "FROM json_each(?1) j CROSS JOIN event_log e ON e.event_id = j.value";
const FIRST = { id: UUID, now: "?2", due: `?2 + ${FIRST_DUE_MS}` };
const TO_RULE = { kind: "webhook", ruleId: "r.id", ruleName: "r.name", host: "r.host", body: "e.envelope" };

function ruleStatements(isSealed: boolean): Pick<EventStatements, "addDeliveries" | "addReplay"> {
  return {
    addDeliveries: bindable(
      `${newDelivery(isSealed, { ...FIRST, ...TO_RULE })}
   ${OWN_EVENTS}
   CROSS JOIN action_rules r ON r.company_id = e.company_id AND r.event_type = e.event_type
   WHERE r.enabled = 1 AND e.envelope IS NOT NULL
   ${OR_FOUND}`,
      ["ids", "now"],
    ),
    // An event of a rule's company and type has its envelope, which is sent again as it is.
    addReplay: bindable(
      `${newDelivery(isSealed, { id: "?1", now: "?4", due: "?5", ...TO_RULE })}
   FROM event_log e JOIN action_rules r ON r.id = ?3 AND r.company_id = e.company_id AND r.event_type = e.event_type
   WHERE e.id = ?2 AND e.envelope IS NOT NULL ON CONFLICT DO NOTHING`,
      ["id", "event", "rule", "now", "due"],
    ),
  };
}

/**
 * Registers the statements of a service whose own statements write its events, with sealed data and envelopes, the hash of
 * the person and the service client. Call at module level.
 */
export function createSealedOutbox({ from, id, name, host }: CallbackSpec): EventStatements {
  return {
    insertEvents: null,
    makeEnvelopes: null,
    addEmailPosts: null,
    ...ruleStatements(true),
    addCallbacks: bindable(
      `${newDelivery(true, {
        ...FIRST,
        kind: "callback",
        ruleId: `-(${CALLBACK_BASE} + ${id})`,
        ...{ ruleName: name, host, body: "e.envelope" },
      })}
   ${OWN_EVENTS} ${from} AND e.envelope IS NOT NULL
   ${OR_FOUND}`,
      ["ids", "now"],
    ),
  };
}

/** Registers the statements of a service. Call at module level. */
export function createOutbox({ service, company, emailColumn, email }: OutboxSpec): EventStatements {
  const members = `'company', json(${company}), 'data', ${SORTED_DATA}, 'id', e.event_id, 'time', ${TIME}, 'type', e.event_type`;
  const types = email.types.map((type) => `'${type}'`).join(", ");
  return {
    insertEvents: bindable(
      `INSERT INTO event_log (event_id, company_id, event_type, user_id, ${emailColumn}, data, actor, created_at)
   SELECT value ->> 'event_id', value ->> 'company_id', value ->> 'type', value ->> 'user_id', value ->> 'email',
     value ->> 'data', value ->> 'actor', ?2
   FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
      ["events", "now"],
    ),
    makeEnvelopes: bindable(
      `UPDATE event_log AS e SET envelope = CASE WHEN e.actor IS NULL THEN json_object(${members})
     ELSE json_object('actor', json(e.actor), ${members}) END
   WHERE e.event_id IN (SELECT value FROM json_each(?1)) AND e.envelope IS NULL AND e.company_id IS NOT NULL`,
      ["ids"],
    ),
    ...ruleStatements(false),
    addCallbacks: null,
    addEmailPosts: bindable(
      `${newDelivery(false, {
        ...FIRST,
        ...{ kind: "email", ruleId: "-e.company_id", ruleName: "''", host: "?3" },
        body: `json_object('company_id', e.company_id, 'event_type', e.event_type, 'idempotency_key', e.event_id,
       'payload', json(${email.payload}), 'recipients', json(${email.recipients}), 'service', '${service}')`,
      })}
   ${OWN_EVENTS}
   WHERE e.company_id IS NOT NULL AND e.event_type IN (${types})
   ${OR_FOUND}`,
      ["ids", "now", "host"],
    ),
  };
}
