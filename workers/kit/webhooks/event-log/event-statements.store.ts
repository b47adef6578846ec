import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  action_deliveries,
  action_rules,
  CALLBACK_BASE,
  type EventLogTable,
  sealed_deliveries,
} from "../../../../db/kit/webhooks";
import { integer, json, text } from "../../db/kind";
import { each, type InsertValues, inList, insertSelect, name, rows } from "../../db/query";
import { type Bound, statement } from "../../db/statement";

/** A row waits this long for its doorbell before a retry run takes it. */
const FIRST_DUE_MS = 30_000;

/** How a service's events become deliveries: expressions over its event log, JSON unless they say otherwise. */
export type EventSpec = {
  service: string;
  /** the column that holds the acting user's address */
  actorEmail: AnySQLiteColumn;
  /** the envelope's `company` */
  company: SQL;
  /** posts to the email service: the types that its catalog has for this service, and what their bodies are made of */
  posts: { types: readonly string[]; payload: SQLWrapper; recipients: SQLWrapper };
};

/** How a service that seals what its events say calls back a service client: SQL over its event log and its clients. */
export type CallbackSpec = {
  /** joins the clients to the event log */
  from: SQL;
  /** picks those that are called back */
  where: SQL;
  id: AnySQLiteColumn;
  name: AnySQLiteColumn;
  host: AnySQLiteColumn;
};

/** An event as it is stored; `data` and `actor` are JSON with sorted keys. */
export type EventInput = {
  event_id: string;
  company_id: number | null;
  type: string;
  user_id: number | null;
  email: string | null;
  data: string;
  actor: string | null;
};

type Delivered = Bound<{ id: string }>;

/** The statements behind the rows of new events, in the batch that writes them. Null: the service has none. Times are unix ms. */
export type EventStatements = {
  /** the event rows; a repeat adds none */
  insertEvents: ((values: { events: EventInput[]; now: number }) => Bound) | null;
  /** the envelope of each event of a company */
  makeEnvelopes: ((values: { ids: readonly string[] }) => Bound) | null;
  /** one delivery for each enabled rule; answers their ids, also when it is repeated */
  addDeliveries: (values: { ids: readonly string[]; now: number }) => Delivered;
  /** the posts to the email service, which is at `host`; answers their ids */
  addEmailPosts: ((values: { ids: readonly string[]; now: number; host: string }) => Delivered) | null;
  /** the callbacks of service clients; answers their ids */
  addCallbacks: ((values: { ids: readonly string[]; now: number }) => Delivered) | null;
  /** the delivery `id` of a stored event for a rule that has none of it */
  addReplay: (values: { id: string; event: number; rule: number; now: number; due: number }) => Bound;
};

const hex = (bytes: number) => sql.raw(`lower(hex(randomblob(${bytes})))`);
/** A random uuid of version 4. */
const uuid = sql`${hex(4)} || '-' || ${hex(2)} || '-4' || substr(${hex(2)}, 2) || '-' || substr('89ab', 1 + (random() & 3), 1)
  || substr(${hex(2)}, 2) || '-' || ${hex(6)}`;

/** A value of json_each as JSON. */
const memberValue = sql`json(case m.type when 'text' then json_quote(m.value) when 'true' then 'true' when 'false' then 'false'
  when 'null' then 'null' else m.value end)`;

/** An object with its members in the order of their names; what is deeper was sorted when it was made in JavaScript. */
const sortedObject = (object: SQLWrapper) =>
  sql`json((select json_group_object(m.key, ${memberValue} order by m.key) from json_each(${object}) m))`;

/** Unix ms as the time of an envelope. */
const envelopeTime = (at: SQLWrapper) =>
  sql`strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03d+00:00', ${at} % 1000)`;

const ids = json<readonly string[]>();
const d = action_deliveries;

/** A delivery of an event, which names its person as the event does. */
function insertDelivery(
  log: EventLogTable & { subject_hmac?: AnySQLiteColumn },
  delivery: Pick<InsertValues<typeof d>, "id" | "kind" | "rule_id" | "rule_name" | "host" | "body" | "due_at"> & {
    now: SQLWrapper;
  },
  rest: SQL,
): SQL {
  const { now, ...own } = delivery;
  return insertSelect(
    sealed_deliveries,
    {
      ...own,
      company_id: log.company_id,
      event_id: log.event_id,
      event_type: log.event_type,
      status: "pending",
      created_at: now,
      updated_at: now,
      ...(log.subject_hmac === undefined ? {} : { subject_hmac: log.subject_hmac }),
    },
    rest,
  );
}

/** What a new delivery of a batch is found by: its id is made in the database, and it is due when its doorbell got lost. */
const newDelivery = (now: SQLWrapper) => ({ id: uuid, now, due_at: sql`${now} + ${FIRST_DUE_MS}` });

/** Runs an insert and answers the ids of its rows; a repeated batch finds the rows of the first and answers theirs. */
const idsOf = (insert: SQL) =>
  rows(
    { id: d.id },
    (columns) => sql`${insert}
      on conflict (${name(d.event_id)}, ${name(d.rule_id)}, ${name(d.kind)})
      do update set ${name(d.updated_at)} = ${d.updated_at} returning ${columns}`,
  );

const ownEvents = (log: EventLogTable, wanted: SQL<readonly string[]>) => {
  const { from, value } = each(wanted);
  return sql`from ${from} cross join ${log} on ${log.event_id} = ${value}`;
};

function ruleStatements(log: EventLogTable): Pick<EventStatements, "addDeliveries" | "addReplay"> {
  const r = action_rules;
  // An event of a rule's company and type has its envelope, which is sent as it is.
  const toRule = { kind: "webhook", rule_id: r.id, rule_name: r.name, host: r.host, body: log.envelope } as const;
  const isForRule = sql`${r.company_id} = ${log.company_id} and ${r.event_type} = ${log.event_type}`;
  return {
    addDeliveries: statement({ ids, now: integer }, (p) =>
      idsOf(
        insertDelivery(
          log,
          { ...newDelivery(p.now), ...toRule },
          sql`${ownEvents(log, p.ids)} cross join ${r} on ${isForRule}
            where ${r.enabled} = 1 and ${log.envelope} is not null`,
        ),
      ),
    ),
    addReplay: statement({ id: d.id, event: log.id, rule: r.id, now: integer, due: integer }, (p) =>
      insertDelivery(
        log,
        { id: p.id, now: p.now, due_at: p.due, ...toRule },
        sql`from ${log} join ${r} on ${r.id} = ${p.rule} and ${isForRule}
          where ${log.id} = ${p.event} and ${log.envelope} is not null on conflict do nothing`,
      ),
    ),
  };
}

/**
 * Registers the statements of a service whose own statements write its events, with sealed data and envelopes, the hash of
 * the person and the service client. Call at module level.
 */
export function createSealedEventStatements(
  log: EventLogTable & { subject_hmac: AnySQLiteColumn },
  client: CallbackSpec,
): EventStatements {
  return {
    insertEvents: null,
    makeEnvelopes: null,
    addEmailPosts: null,
    ...ruleStatements(log),
    addCallbacks: statement({ ids, now: integer }, (p) =>
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
          sql`${ownEvents(log, p.ids)} ${client.from} where ${client.where} and ${log.envelope} is not null`,
        ),
      ),
    ),
  };
}

/** Registers the statements of a service. Call at module level. */
export function createEventStatements(
  log: EventLogTable,
  { service, company, actorEmail, posts }: EventSpec,
): EventStatements {
  const members = sql`'company', json(${company}), 'data', ${sortedObject(log.data)}, 'id', ${log.event_id},
    'time', ${envelopeTime(log.created_at)}, 'type', ${log.event_type}`;
  const envelope = sql`case when ${log.actor} is null then json_object(${members})
    else json_object('actor', json(${log.actor}), ${members}) end`;
  const post = sql`json_object('company_id', ${log.company_id}, 'event_type', ${log.event_type},
    'idempotency_key', ${log.event_id}, 'payload', json(${posts.payload}), 'recipients', json(${posts.recipients}),
    'service', ${service})`;
  return {
    insertEvents: statement({ events: json<EventInput[]>(), now: integer }, (p) => {
      const { from, of } = each(p.events);
      const { event_id, company_id, type, user_id, email, data, actor } = of;
      const columns = [log.event_id, log.company_id, log.event_type, log.user_id, actorEmail, log.data, log.actor];
      const names = sql.join([...columns, log.created_at].map(name), sql`, `);
      const values = sql.join([event_id, company_id, type, user_id, email, data, actor, p.now], sql`, `);
      return sql`insert into ${log} (${names}) select ${values} from ${from} where true on conflict do nothing`;
    }),
    makeEnvelopes: statement(
      { ids },
      (p) => sql`update ${log} set ${name(log.envelope)} = ${envelope}
        where ${inList(log.event_id, p.ids)}
          and ${log.envelope} is null and ${log.company_id} is not null`,
    ),
    ...ruleStatements(log),
    addCallbacks: null,
    addEmailPosts: statement({ ids, now: integer, host: text }, (p) =>
      idsOf(
        insertDelivery(
          log,
          {
            ...newDelivery(p.now),
            ...{ kind: "email", rule_id: sql`-${log.company_id}`, rule_name: "", host: p.host, body: post },
          },
          sql`${ownEvents(log, p.ids)} where ${log.company_id} is not null and ${log.event_type} in ${posts.types}`,
        ),
      ),
    ),
  };
}
