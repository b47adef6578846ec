import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { addCounters, bucketOf, hourOf, perCompanyAndTotal } from "../../../../db/email/conditions/counters";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import { addStep, hasProviderId } from "../../../../db/email/conditions/messages";
import { countProvided, isCounted } from "../../../../db/email/conditions/stats";
import type { CompanyProviderRow, MessageRow, NewEvent } from "../../../../db/email/rows";
import {
  broadcasts,
  company_providers,
  event_log,
  figure_hours,
  messages,
  provider_events,
  suppressions,
} from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { allColumns, insertSelect, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The columns of a message that are needed to apply a provider event. */
const messageColumns = {
  id: messages.id,
  company_id: messages.company_id,
  service: messages.service,
  template_key: messages.template_key,
  event_type: messages.event_type,
  lane: messages.lane,
  scope: messages.scope,
  to_user_id: messages.to_user_id,
  to_enc: messages.to_enc,
  template_version: messages.template_version,
};

export type EventMessage = Pick<MessageRow, keyof typeof messageColumns>;

const findById = statement({ id: messages.id }, (p) =>
  queryBuilder.select(messageColumns).from(messages).where(eq(messages.id, p.id)),
);

const findByProviderId = statement({ providerMessageId: text }, (p) =>
  queryBuilder.select(messageColumns).from(messages).where(hasProviderId(p.providerMessageId)).limit(1),
);

// Reads the messages of the address that were accepted since the broadcast began, which are few.
const findByBroadcast = statement({ ref: broadcasts.provider_ref, hashes: json<readonly string[]>() }, (p) => {
  const hash = jsonEach(p.hashes);
  return selectRows(
    messageColumns,
    (columns) => sql`select ${columns} from ${broadcasts} cross join ${hash.from} cross join ${messages}
      on ${messages.company_id} = ${broadcasts.company_id} and ${messages.email_hmac} = ${hash.value}
        and ${messages.accepted_at} >= coalesce(${broadcasts.started_at}, 0) and ${messages.broadcast_id} = ${broadcasts.id}
      where ${broadcasts.provider_ref} = ${p.ref} limit 1`,
  );
});

const findProvider = statement({ companyId: company_providers.company_id }, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(eq(company_providers.company_id, p.companyId)),
);

const key = { scope: provider_events.signing_scope, hookId: provider_events.hook_id };
const isSameEvent = (p: Record<keyof typeof key, SQL>) =>
  and(eq(provider_events.signing_scope, p.scope), eq(provider_events.hook_id, p.hookId));

const findEarlier = statement(key, (p) =>
  queryBuilder.select({ applied: provider_events.applied }).from(provider_events).where(isSameEvent(p)),
);

/** The values to look up for a request, which may not be verified yet. Null matches nothing. */
export type FactsInput = {
  companyId: number | null;
  scope: string;
  hookId: string;
  messageId: string | null;
  providerMessageId: string | null;
  /** `provider_ref` of a broadcast, and the hashes of a recipient's address */
  broadcast: { ref: string; hashes: readonly string[] } | null;
};

/** Returns the provider row with its secrets, the message, and whether the event was applied before, in one round trip. */
export async function readFacts(
  db: Db,
  { companyId, scope, hookId, messageId, providerMessageId, broadcast }: FactsInput,
): Promise<{ provider: CompanyProviderRow | null; message: EventMessage | null; isRepeat: boolean }> {
  const results = await db.batch({
    provider: companyId === null ? null : findProvider({ companyId }),
    byId: messageId === null ? null : findById({ id: messageId }),
    byProvider: providerMessageId === null ? null : findByProviderId({ providerMessageId }),
    // An event that names one of our messages is about that message.
    byBroadcast: broadcast === null || messageId !== null ? null : findByBroadcast(broadcast),
    earlier: hookId === "" ? null : findEarlier({ scope, hookId }),
  });
  return {
    provider: results.provider?.first ?? null,
    message: results.byId?.first ?? results.byProvider?.first ?? results.byBroadcast?.first ?? null,
    isRepeat: results.earlier?.first?.applied === true,
  };
}

/** An event to apply to its message. A null `suppression` suppresses no address; its `expires_at` is in unix ms. */
export type Application = {
  id: string;
  scope: string;
  hookId: string;
  status: MessageRow["status"];
  rank: number;
  bounce: NonNullable<MessageRow["bounce"]> | null;
  code: string | null;
  step: { type: string; at: number; stream: string; detail?: string };
  events: readonly NewEvent[];
  suppression: {
    reason: (typeof suppressions.$inferInsert)["reason"];
    lanes: string[];
    expires_at: number | null;
  } | null;
  now: number;
};

const messageKey = { ...key, id: messages.id };
const rankedKey = { ...messageKey, rank: integer };

// The last statement of the batch marks the event as applied. All other statements require an event that is not marked yet, so
// a repeated batch changes nothing.
const isNew = (p: Record<keyof typeof key, SQL>) =>
  sql`not exists (select 1 from ${provider_events} where ${isSameEvent(p)} and ${provider_events.applied} = 1)`;
const isTargetMessage = (p: Record<keyof typeof messageKey, SQL>) => sql`${eq(messages.id, p.id)} and ${isNew(p)}`;

// An event changes the status of a message only if its rank is higher. A message that expired, was cancelled, or was suppressed
// before it was sent keeps its status.
const isStatusChange = (p: { rank: SQL }) =>
  sql`(${p.rank} > ${messages.rank} and ${messages.status} not in ('expired', 'cancelled') and not (${messages.status} = 'suppressed' and ${messages.rank} = 0))`;

const hasNoStep = (type: SQL) =>
  sql`not exists (select 1 from json_each(${messages.events}) s where s.value ->> 'type' = ${type})`;

const countStatusChange = statement({ ...rankedKey, status: text }, (p) =>
  countProvided(p.status, sql`from ${messages} where ${isTargetMessage(p)} and ${isStatusChange(p)} and ${isCounted}`),
);

// Counts the time from sending to the first `delivered` event.
const countLatencyOf = statement({ ...messageKey, now: integer }, (p) =>
  addCounters(
    {
      name: "delivery_latency",
      a: messages.lane,
      b: bucketOf(sql`(${p.now} - ${messages.sent_at})`),
      companyId: messages.company_id,
      hour: hourOf(p.now),
      n: sql`1`,
    },
    sql`from ${messages} cross join ${perCompanyAndTotal} where ${isTargetMessage(p)} and ${messages.sent_at} is not null and ${hasNoStep(sql`'delivered'`)}`,
  ),
);

const insertEvents = statement(
  { ...messageKey, events: json<readonly NewEvent[]>(), type: text, now: integer },
  (p) => {
    const { from, item: event } = jsonEach(p.events);
    return insertSelect(
      event_log,
      eventColumns(event, messages, p.now),
      sql`from ${from} cross join ${messages} where ${isTargetMessage(p)} and ${hasNoStep(p.type)} on conflict do nothing`,
    );
  },
);

const insertSuppression = statement(
  { ...messageKey, reason: suppressions.reason, lanes: suppressions.lanes, expiresAt: nullable(integer), now: integer },
  (p) => {
    const { company_id, email_hmac, reason, lanes, expires_at } = suppressions;
    const values = {
      company_id: messages.company_id,
      email_hmac: messages.email_hmac,
      email_masked: messages.to_masked,
      reason: p.reason,
      lanes: p.lanes,
      expires_at: p.expiresAt,
      created_at: p.now,
    };
    const unqualified = ({ name }: { name: string }) => sql.identifier(name);
    return insertSelect(
      suppressions,
      values,
      sql`from ${messages} where ${isTargetMessage(p)} on conflict (${unqualified(company_id)}, ${unqualified(email_hmac)}, ${unqualified(reason)})
        do update set ${unqualified(lanes)} = excluded.${unqualified(lanes)}, ${unqualified(expires_at)} = excluded.${unqualified(expires_at)}`,
    );
  },
);

const updateMessageStatus = statement(
  {
    ...rankedKey,
    status: messages.status,
    bounce: nullable(messages.bounce),
    code: nullable(text),
    step: json<Application["step"]>(),
    now: integer,
  },
  (p) => {
    const ifStatusChanges = (value: SQL, column: SQL | typeof messages.status) =>
      sql`case when ${isStatusChange(p)} then ${value} else ${column} end`;
    return queryBuilder
      .update(messages)
      .set({
        status: ifStatusChanges(p.status, messages.status),
        rank: ifStatusChanges(p.rank, sql`${messages.rank}`),
        sent_at: ifStatusChanges(sql`coalesce(${messages.sent_at}, ${p.now})`, sql`${messages.sent_at}`),
        last_error_code: ifStatusChanges(p.code, sql`${messages.last_error_code}`),
        // A later, weaker bounce does not overwrite a permanent one.
        bounce: sql`case when ${messages.bounce} ->> 'type' = 'permanent' then ${messages.bounce} else coalesce(${p.bounce}, ${messages.bounce}) end`,
        variables_enc: ifStatusChanges(sql`null`, sql`${messages.variables_enc}`),
        next_attempt_at: ifStatusChanges(sql`null`, sql`${messages.next_attempt_at}`),
        locked_until: ifStatusChanges(sql`null`, sql`${messages.locked_until}`),
        lease_token: ifStatusChanges(sql`null`, sql`${messages.lease_token}`),
        events: addStep(sql`json(${p.step})`),
      })
      .where(isTargetMessage(p));
  },
);

const countEvent = statement({ ...key, type: text, result: text }, (p) => {
  const { company_id, hour, name, a, b, n } = figure_hours;
  const unqualified = (column: { name: string }) => sql.identifier(column.name);
  const keys = sql.join([company_id, hour, name, a, b].map(unqualified), sql`, `);
  return sql`insert into ${figure_hours} (${keys}, ${unqualified(n)}) select 0, 0, 'provider_event', ${p.type}, ${p.result}, 1
    where ${isNew(p)} on conflict (${keys}) do update set ${unqualified(n)} = ${unqualified(n)} + 1`;
});

const markApplied = statement({ ...key, now: integer }, (p) => {
  const row = { signing_scope: p.scope, hook_id: p.hookId, applied: true, created_at: p.now };
  const done = { applied: true, body_enc: null, provider_message_id: null };
  return queryBuilder
    .insert(provider_events)
    .values(row)
    .onConflictDoUpdate({ target: [provider_events.signing_scope, provider_events.hook_id], set: done });
});

/** Returns the statements that apply an event. Commit them with batchWithEvents. */
export function applicationOf(application: Application) {
  const { id, scope, hookId, status, rank, bounce, code, step, events, suppression, now } = application;
  const target = { id, scope, hookId };
  return {
    counted: countStatusChange({ ...target, rank, status }),
    latency: status === "delivered" ? countLatencyOf({ ...target, now }) : null,
    events: events.length === 0 ? null : insertEvents({ ...target, events, type: step.type, now }),
    suppressed:
      suppression === null
        ? null
        : insertSuppression({
            ...target,
            reason: suppression.reason,
            lanes: suppression.lanes as never,
            now,
            expiresAt: suppression.expires_at,
          }),
    figure: countEvent({ scope, hookId, type: step.type, result: "applied" }),
    moved: updateMessageStatus({ ...target, rank, status, bounce, code, step, now }),
    marked: markApplied({ scope, hookId, now }),
  };
}

/** Returns the statements that mark an event as applied without changing a message, so that a repeat costs one round trip. */
export const markWithoutEffect = (received: {
  scope: string;
  hookId: string;
  now: number;
  type: string;
  result: string;
}) => ({
  figure: countEvent({ scope: received.scope, hookId: received.hookId, type: received.type, result: received.result }),
  marked: markApplied({ scope: received.scope, hookId: received.hookId, now: received.now }),
});

const insertWaiting = statement({ ...key, providerMessageId: text, body: text, sealId: text, now: integer }, (p) =>
  queryBuilder
    .insert(provider_events)
    .values({
      signing_scope: p.scope,
      hook_id: p.hookId,
      provider_message_id: p.providerMessageId,
      body_enc: p.body,
      seal_id: p.sealId,
      applied: false,
      created_at: p.now,
    })
    .onConflictDoNothing(),
);

/**
 * Stores an event whose message is unknown. Returns the message if its provider id was stored in the meantime. The event and
 * the provider id can be stored in either order: the later of the two finds the earlier one.
 */
export async function storeWaiting(
  db: Db,
  row: Parameters<typeof insertWaiting>[0],
  type: string,
): Promise<EventMessage | null> {
  const { scope, hookId, providerMessageId } = row;
  const { message } = await db.batch({
    figure: countEvent({ scope, hookId, type, result: "waiting" }),
    stored: insertWaiting(row),
    message: findByProviderId({ providerMessageId }),
  });
  return message.first;
}

const waitingColumns = {
  signing_scope: provider_events.signing_scope,
  hook_id: provider_events.hook_id,
  body_enc: provider_events.body_enc,
  seal_id: provider_events.seal_id,
  providerMessageId: provider_events.provider_message_id,
};

/** A stored event whose message is now known. */
export type WaitingEvent = EventMessage &
  Pick<typeof provider_events.$inferSelect, "signing_scope" | "hook_id" | "body_enc" | "seal_id">;

/** Statement: the stored events since a time (unix ms) whose message is now known. */
export const findStoredEvents = statement({ since: integer, limit: integer }, (p) =>
  selectRows(
    { ...messageColumns, ...waitingColumns },
    (
      columns,
    ) => sql`select ${columns} from ${provider_events} cross join ${messages} on ${hasProviderId(provider_events.provider_message_id)}
      where ${and(eq(provider_events.applied, false), gt(provider_events.created_at, p.since))} limit ${p.limit}`,
  ),
);

const providerIds = json<readonly string[]>();

/** Statement: the stored events of the messages with these provider ids. */
export const findStoredEventsOf = statement({ providerIds }, (p) => {
  const id = jsonEach(p.providerIds);
  return selectRows(
    { ...messageColumns, ...waitingColumns },
    (
      columns,
    ) => sql`select ${columns} from ${id.from} cross join ${provider_events} on ${provider_events.provider_message_id} = ${id.value} and ${provider_events.applied} = 0
      cross join ${messages} on ${hasProviderId(id.value)}`,
  );
});
