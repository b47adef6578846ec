import { and, eq, sql } from "drizzle-orm";
import { eventColumns, eventKeys } from "../../../../db/email/conditions/event-log";
import { type ItemColumns, messageValues, type SharedColumns } from "../../../../db/email/conditions/new-messages";
import { countMessages, isCounted } from "../../../../db/email/conditions/stats";
import type { NewEvent, SendRequestRow } from "../../../../db/email/rows";
import { company_profiles, event_log, messages } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { insertSelect, jsonEach, jsonMembers, queryBuilder, selectRows } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { idUnlessRequested, insertRequest, releaseExpiredKey } from "./idempotency.store";

/** A request, stored for idempotent replays. Requests that create one message, except batches, are stored in the message. */
export type NewRequest = Pick<SendRequestRow, "id" | "idempotency_key" | "path" | "fingerprint" | "response">;

export type StoredAcceptance = {
  /** the origin of the request; `now` in unix ms */
  origin: { service: string; companyId: number; now: number };
  /** null when the request creates no messages */
  messages: { shared: SharedColumns; items: readonly ItemColumns[] } | null;
  /** null without an idempotency key, or when the only message stores the key */
  request: NewRequest | null;
  /** the idempotency key, or null; a request from before `windowStart` (unix ms) no longer blocks the key */
  key: { key: string; windowStart: number } | null;
  /** the company name to store, or null */
  name: string | null;
  /** events of messages that are not sent */
  events: readonly NewEvent[];
  /** further statements of the same batch */
  statements: readonly Bound[];
};

/** Statement: stores the name of a company for later mail. */
const storeName = statement(
  { companyId: company_profiles.company_id, name: company_profiles.name, now: integer },
  (p) =>
    queryBuilder
      .insert(company_profiles)
      .values({ company_id: p.companyId, name: p.name, updated_at: p.now })
      .onConflictDoUpdate({
        target: company_profiles.company_id,
        set: { name: sql`excluded.name`, updated_at: sql`excluded.updated_at` },
        setWhere: sql`${company_profiles.name} <> excluded.name`,
      }),
);

const insertMessages = statement({ messages: json<readonly ItemColumns[]>(), shared: json<SharedColumns>() }, (p) => {
  const { from, item } = jsonEach(p.messages);
  const shared = jsonMembers(p.shared);
  const { company_id: companyId, service } = shared;
  const id = idUnlessRequested(item.id, { service, companyId, key: item.idempotency_key });
  return insertSelect(messages, { ...messageValues(shared, item), id }, sql`from ${from}`);
});

const ids = json<readonly string[]>();

/** Statement: count the messages that the roll-up will not count, because their ids are older than the last roll-up. */
export const countLate = statement({ ids }, (p) => {
  const id = jsonEach(p.ids);
  return countMessages(sql`from ${id.from} cross join ${messages} on ${messages.id} = ${id.value} where ${isCounted}`);
});

const insertAcceptedEvents = statement({ events: json<readonly NewEvent[]>(), now: integer }, (p) => {
  const { from, item: event } = jsonEach(p.events);
  return insertSelect(
    event_log,
    eventColumns(event, messages, p.now),
    sql`from ${from} cross join ${messages} on ${messages.id} = ${event.id} where true on conflict do nothing`,
  );
});

/** Statement: the id of a message if it belongs to the company. */
export const findMessage = statement({ id: messages.id, companyId: messages.company_id }, (p) =>
  queryBuilder
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.id, p.id), eq(messages.company_id, p.companyId))),
);

/** Statement: the encrypted addresses of the listed messages of a company. Omits messages that are no longer stored. */
export const findAddresses = statement({ companyId: messages.company_id, ids }, (p) => {
  const { id, company_id, to_enc } = messages;
  const idList = jsonEach(p.ids);
  return selectRows(
    { id, company_id, to_enc },
    (columns) => sql`select ${columns} from ${idList.from} cross join ${messages} on ${id} = ${idList.value}
      where ${company_id} = ${p.companyId}`,
  );
});

/** Statement: the current statuses of messages. */
export const findStatuses = statement({ ids }, (p) => {
  const { id, status } = messages;
  const idList = jsonEach(p.ids);
  return selectRows(
    { id, status },
    (columns) => sql`select ${columns} from ${idList.from} cross join ${messages} on ${id} = ${idList.value}`,
  );
});

/**
 * Stores a request with its messages and events in one transaction. Throws ConstraintError and stores nothing when the
 * idempotency key is in use or an earlier try of this call has stored the rows.
 */
export async function storeAcceptance(context: WebhooksContext, acceptance: StoredAcceptance): Promise<void> {
  const { origin, messages, request, key, name, events, statements: more } = acceptance;
  const { service, companyId, now } = origin;
  if (messages === null && request === null && name === null && more.length === 0) return;
  const statements = {
    expired:
      key === null ? null : releaseExpiredKey({ service, companyId, key: key.key, windowStart: key.windowStart }),
    request: request === null ? null : insertRequest({ ...request, service, company_id: companyId, created_at: now }),
    name: name === null ? null : storeName({ companyId, name, now }),
    ...(messages === null ? {} : messageStatements(messages, events, now)),
    more,
  };
  await batchWithEvents(context, context.dbOf(companyId), statements, eventKeys(events));
}

function messageStatements(
  { shared, items }: NonNullable<StoredAcceptance["messages"]>,
  events: readonly NewEvent[],
  now: number,
) {
  return {
    messages: toSlices(items).map((slice) => insertMessages({ messages: slice, shared })),
    counted: countLate({ ids: items.map(({ id }) => id) }),
    events: toSlices(events).map((slice) => insertAcceptedEvents({ events: slice, now })),
  };
}
