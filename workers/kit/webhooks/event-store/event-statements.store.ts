import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import {
  action_deliveries,
  action_rules,
  CALLBACK_BASE,
  type EventLogTable,
  PLATFORM,
} from "../../../../db/kit/webhooks";
import { integer, json, nullable, text } from "../../db/kind";
import { columnName, jsonEach, jsonMembers, selectRows, tableReference } from "../../db/query";
import { type Bound, statement } from "../../db/statement";
import type { CompanyRow } from "../../outbox/queue-message";
import { insertDelivery, newDelivery } from "./delivery-row.store";
import { eventIdOf } from "./event-log.store";
import { createMissingStatements, type MissingStatements } from "./missing.store";
import { createRuleEventStatement, type RuleEventInput } from "./rule-event.store";

/**
 * The posts to the email service. `types` are those that its catalog lists for this service, `payload` and `recipients` parts of
 * the body. `actorName` is the name or address of the acting user, or null. `link` is the URL of the page where one can look at
 * the event, or null; `console` is the URL of the administration, or null.
 */
type PostSpec = {
  types: readonly string[];
  payload: SQLWrapper;
  recipients: SQLWrapper;
  actorName: SQLWrapper;
  link: (console: SQLWrapper) => SQLWrapper;
};

/**
 * SQL expressions over a service's event log, from which deliveries are built. They are JSON unless stated otherwise.
 */
export type EventSpec = {
  service: string;
  /** the types that the log's index of types omits */
  frequentTypes: readonly string[];
  /** the column with the acting user's address */
  actorEmail: AnySQLiteColumn;
  /** the `company` of the envelope */
  company: SQL;
  posts: PostSpec;
};

/** Returns the acting user as the only recipient of a post, or no recipient when the user has no address. */
export const actingUser = (
  email: SQLWrapper,
  userId: SQLWrapper,
): SQL => sql`case when ${email} is null then json_array()
  else json_array(json_patch(json_object('email', ${email}), json_object('user_id', ${userId}))) end`;

/**
 * The parts of SQL that find the callbacks of service clients. They refer to the event log and the clients of a service
 * with sealed events.
 */
export type CallbackSpec = {
  /** joins the clients to the event log */
  from: SQL;
  /** selects the clients that have a callback */
  where: SQL;
  id: AnySQLiteColumn;
  name: AnySQLiteColumn;
  host: AnySQLiteColumn;
};

/** An event to store; `data` and `actor` are JSON with sorted keys. */
export type EventInput = {
  id: string;
  company_id: number;
  type: string;
  user_id: number | null;
  email: string | null;
  data: string;
  actor: string | null;
};

/**
 * The key of a new event. When the company is created in the same batch, `reported_by` is the id of the event that
 * reports the new company.
 */
export type EventKey = { id: string; company_id: number } | { id: string; reported_by: string };

type Delivered = Bound<CompanyRow>;

/**
 * The statements that follow the rows of new events in their batch. A statement is null when the service does not need
 * it. Times are unix ms.
 */
export type EventStatements = {
  /** inserts the event rows; a repeated call inserts none */
  insertEvents: ((values: { events: EventInput[]; now: number }) => Bound) | null;
  /** stores the envelope of each event that belongs to a company */
  makeEnvelopes: ((values: { keys: readonly EventKey[] }) => Bound) | null;
  /** inserts one delivery per enabled subscription; returns the ids, also in a repeated call */
  addDeliveries: (values: { keys: readonly EventKey[]; now: number }) => Delivered;
  /** inserts the posts to the email service at `host`; returns the ids. `console` is the URL of the administration, or null */
  addEmailPosts:
    | ((values: { keys: readonly EventKey[]; now: number; host: string; console: string | null }) => Delivered)
    | null;
  /** inserts the callbacks of service clients; returns the ids */
  addCallbacks: ((values: { keys: readonly EventKey[]; now: number }) => Delivered) | null;
  /** inserts the delivery `id` of a stored event, unless the subscription already has a delivery of the event */
  addReplay: (values: { id: string; company: number; event: string; rule: number; now: number; due: number }) => Bound;
  /**
   * inserts the events of subscriptions that have started to fail, if the owners have not been notified yet; `fence` is the
   * fence of the run, or null
   */
  addRuleEvents: (values: { events: readonly RuleEventInput[]; now: number; fence: number | null }) => Bound;
  /** creates the deliveries that a subscription lacks for stored events */
  missing: MissingStatements;
};

/** The SQL that converts a value of json_each to JSON. */
const memberValue = sql`json(case member.type when 'text' then json_quote(member.value) when 'true' then 'true'
  when 'false' then 'false'
  when 'null' then 'null' else member.value end)`;

/**
 * Returns SQL for an object whose members are sorted by name. The members of nested objects were already sorted in
 * JavaScript.
 */
const sortedObject = (object: SQLWrapper) =>
  sql`json((select json_group_object(member.key, ${memberValue} order by member.key) from json_each(${object}) member))`;

/** Returns SQL that formats unix ms as the time of an envelope. */
const envelopeTime = (at: SQLWrapper) =>
  sql`strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03d+00:00', ${at} % 1000)`;

const keys = json<readonly EventKey[]>();
const deliveries = action_deliveries;

/** Returns an INSERT that returns the ids of its rows. A repeated batch returns the rows of the first batch. */
const idsOf = (insert: SQL) =>
  selectRows(
    { id: deliveries.id, company_id: deliveries.company_id },
    (columns) => sql`${insert}
      on conflict (${columnName(deliveries.event_id)}, ${columnName(deliveries.rule_id)}, ${columnName(deliveries.kind)})
      do update set ${columnName(deliveries.updated_at)} = ${deliveries.updated_at} returning ${columns}`,
  );

/** Returns the table and the join condition for the events of a batch. */
const eventsOfBatch = (log: EventLogTable, keys: SQL<readonly EventKey[]>) => {
  const { from: list, value } = jsonEach(keys);
  const { id, company_id, reported_by } = jsonMembers(
    value as SQL<Record<"id" | "company_id" | "reported_by", unknown>>,
  );
  const report = alias(log, "report") as unknown as EventLogTable;
  const company = sql`coalesce(${company_id}, (select ${report.company_id} from ${tableReference(report)}
    where ${report.event_id} = ${reported_by}))`;
  return { list, isListed: sql`${log.company_id} = ${company} and ${log.id} = ${id}` };
};

const fromEventsOfBatch = (log: EventLogTable, keys: SQL<readonly EventKey[]>) => {
  const { list, isListed } = eventsOfBatch(log, keys);
  return sql`from ${list} cross join ${log} on ${isListed}`;
};

function ruleStatements(
  log: EventLogTable,
  frequentTypes: readonly string[],
): Pick<EventStatements, "addDeliveries" | "addReplay" | "addRuleEvents" | "missing"> {
  const rules = action_rules;
  // The columns of a delivery to a subscription. The delivery sends the stored envelope of the event unchanged.
  const toRule = {
    kind: "webhook",
    rule_id: rules.id,
    rule_name: rules.name,
    host: rules.host,
    body: log.envelope,
  } as const;
  const isForRule = sql`${rules.company_id} = ${log.company_id} and ${rules.event_type} = ${log.event_type}`;
  return {
    addRuleEvents: createRuleEventStatement(log),
    missing: createMissingStatements(log, frequentTypes),
    addDeliveries: statement({ keys, now: integer }, (p) =>
      idsOf(
        insertDelivery(
          log,
          { ...newDelivery(p.now), ...toRule },
          sql`${fromEventsOfBatch(log, p.keys)} cross join ${rules} on ${isForRule}
            where ${rules.enabled} = 1 and ${log.envelope} is not null`,
        ),
      ),
    ),
    addReplay: statement(
      { id: deliveries.id, company: integer, event: log.id, rule: rules.id, now: integer, due: integer },
      (p) =>
        insertDelivery(
          log,
          { id: p.id, now: p.now, due_at: p.due, ...toRule },
          sql`from ${log} join ${rules} on ${rules.id} = ${p.rule} and ${isForRule}
          where ${log.company_id} = ${p.company} and ${log.id} = ${p.event} and ${log.envelope} is not null on conflict do nothing`,
        ),
    ),
  };
}

/**
 * Registers the statements of a service that inserts its sealed events itself, including envelopes, the HMAC of the
 * user's address and the service client. Call it at module level.
 */
export function createSealedEventStatements(
  log: EventLogTable & { subject_hmac: AnySQLiteColumn },
  frequentTypes: readonly string[],
  client: CallbackSpec,
): EventStatements {
  return {
    insertEvents: null,
    makeEnvelopes: null,
    addEmailPosts: null,
    ...ruleStatements(log, frequentTypes),
    addCallbacks: statement({ keys, now: integer }, (p) =>
      idsOf(
        insertDelivery(
          log,
          {
            ...newDelivery(p.now),
            kind: "callback",
            rule_id: sql`-(${CALLBACK_BASE} + ${client.id})`,
            rule_name: client.name,
            host: client.host,
            body: log.envelope,
          },
          sql`${fromEventsOfBatch(log, p.keys)} ${client.from} where ${client.where} and ${log.envelope} is not null`,
        ),
      ),
    ),
  };
}

/** Registers the statements of a service with events in plain text. Call it at module level. */
export function createEventStatements(
  log: EventLogTable,
  { service, frequentTypes, company, actorEmail, posts }: EventSpec,
): EventStatements {
  const members = sql`'company', json(${company}), 'data', ${sortedObject(log.data)}, 'id', ${eventIdOf(log)},
    'time', ${envelopeTime(log.created_at)}, 'type', ${log.event_type}`;
  const envelope = sql`case when ${log.actor} is null then json_object(${members})
    else json_object('actor', json(${log.actor}), ${members}) end`;
  // json_patch leaves out the members whose value is null.
  const payload = (console: SQLWrapper) => sql`json_patch(${posts.payload}, json_object(
    'action_url', ${posts.link(console)}, 'actor_kind', ${log.actor} ->> '$.kind', 'actor_name', ${posts.actorName},
    'occurred_at', ${envelopeTime(log.created_at)}))`;
  const post = (
    console: SQLWrapper,
  ) => sql`json_object('company_id', ${log.company_id}, 'event_type', ${log.event_type},
    'idempotency_key', ${eventIdOf(log)}, 'payload', ${payload(console)}, 'recipients', json(${posts.recipients}),
    'service', ${service})`;
  return {
    insertEvents: statement({ events: json<EventInput[]>(), now: integer }, (p) => {
      const { from, item } = jsonEach(p.events);
      const { id, company_id, type, user_id, email, data, actor } = item;
      const columns = [log.id, log.company_id, log.event_type, log.user_id, actorEmail, log.data, log.actor];
      const names = sql.join([...columns, log.created_at].map(columnName), sql`, `);
      const values = sql.join([id, company_id, type, user_id, email, data, actor, p.now], sql`, `);
      return sql`insert into ${log} (${names}) select ${values} from ${from} where true on conflict do nothing`;
    }),
    makeEnvelopes: statement({ keys }, (p) => {
      const { list, isListed } = eventsOfBatch(log, p.keys);
      return sql`update ${log} set ${columnName(log.envelope)} = ${envelope} from ${list}
        where ${isListed} and ${log.envelope} is null and ${log.company_id} <> ${PLATFORM}`;
    }),
    ...ruleStatements(log, frequentTypes),
    addCallbacks: null,
    addEmailPosts: statement({ keys, now: integer, host: text, console: nullable(text) }, (p) =>
      idsOf(
        insertDelivery(
          log,
          {
            ...newDelivery(p.now),
            kind: "email",
            rule_id: sql`-${log.company_id}`,
            rule_name: "",
            host: p.host,
            body: post(p.console),
          },
          sql`${fromEventsOfBatch(log, p.keys)} where ${log.company_id} <> ${PLATFORM} and ${log.event_type} in ${posts.types}`,
        ),
      ),
    ),
  };
}
