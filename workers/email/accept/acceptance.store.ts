import { and, eq, sql } from "drizzle-orm";
import { eventColumns, eventKeys } from "../../../db/email/event-log";
import type { MessageRow, NewEvent, SendRequestRow } from "../../../db/email/rows";
import { company_profiles, event_log, message_events, messages, stats_days } from "../../../db/email/schema";
import { integer, json } from "../../kit/db/kind";
import { each, insertSelect, membersOf, q, rows } from "../../kit/db/query";
import { toSlices } from "../../kit/db/slices";
import { statement } from "../../kit/db/statement";
import { iso } from "../../kit/time";
import type { WebhooksContext } from "../../kit/webhooks/context";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { dropOldRequest, insertRequest } from "./idempotency.store";

const SHARED = [
  ...(["company_id", "service", "client_id", "send_request_id", "template_key", "event_type"] as const),
  ...(["language", "lane", "category", "scope", "accepted_at", "request_id"] as const),
];
const OWN = [
  ...(["id", "status", "to_enc", "to_masked", "to_user_id", "email_hmac", "variables_enc"] as const),
  ...(["default_checksum", "expires_at", "last_error_code", "trace"] as const),
];

/** What the messages of one accepted request share; `accepted_at` is also their first `next_attempt_at`. */
export type SharedColumns = Pick<MessageRow, (typeof SHARED)[number]>;

/** What is each message's own. */
export type OwnColumns = Pick<MessageRow, (typeof OWN)[number]>;

/** A request to be kept for repeats. `windowStart` (unix ms): an older one of the same key makes room. */
export type NewRequest = Pick<SendRequestRow, "id" | "idempotency_key" | "path" | "fingerprint" | "response"> & {
  windowStart: number;
};

export type Acceptance = {
  shared: SharedColumns;
  messages: readonly OwnColumns[];
  /** null without an idempotency key */
  request: NewRequest | null;
  /** the name to keep for the company, or null */
  name: string | null;
  /** events of messages that are not sent */
  events: readonly NewEvent[];
};

/** Keeps a company's name for later mail. */
const storeName = statement(
  { companyId: company_profiles.company_id, name: company_profiles.name, now: integer },
  (p) =>
    q
      .insert(company_profiles)
      .values({ company_id: p.companyId, name: p.name, updated_at: p.now })
      .onConflictDoUpdate({
        target: company_profiles.company_id,
        set: { name: sql`excluded.name`, updated_at: sql`excluded.updated_at` },
        setWhere: sql`${company_profiles.name} <> excluded.name`,
      }),
);

const pick = <T extends object, K extends keyof T>(from: T, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;

const insertMessages = statement({ messages: json<readonly OwnColumns[]>(), shared: json<SharedColumns>() }, (p) => {
  const { from, of: own } = each(p.messages);
  const shared = pick(membersOf(p.shared), SHARED);
  const values = { ...shared, ...pick(own, OWN), next_attempt_at: shared.accepted_at };
  return insertSelect(messages, values, sql`from ${from}`);
});

const ids = json<readonly string[]>();

// The first event of each new message is its status.
const insertFirstEvents = statement({ ids }, (p) => {
  const id = each(p.ids);
  return insertSelect(
    message_events,
    { company_id: messages.company_id, message_id: messages.id, type: messages.status, at: messages.accepted_at },
    sql`from ${id.from} cross join ${messages} on ${messages.id} = ${id.value} order by ${messages.id}`,
  );
});

const { company_id, day, lane, event_type, queued, suppressed } = stats_days;

const countAccepted = statement({ company_id, day, lane, event_type, queued, suppressed }, (p) =>
  q
    .insert(stats_days)
    .values(p)
    .onConflictDoUpdate({
      target: [company_id, day, lane, event_type],
      set: {
        queued: sql`${queued} + excluded.queued`,
        suppressed: sql`${suppressed} + excluded.suppressed`,
      },
    }),
);

const insertAcceptedEvents = statement({ events: json<readonly NewEvent[]>(), now: integer }, (p) => {
  const { from, of: event } = each(p.events);
  return insertSelect(
    event_log,
    eventColumns(event, messages, p.now),
    sql`from ${from} cross join ${messages} on ${messages.id} = ${event.id} where true on conflict do nothing`,
  );
});

/** Whether the company has a message: a row, or none. */
export const findMessage = statement({ id: messages.id, companyId: messages.company_id }, (p) =>
  q
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.id, p.id), eq(messages.company_id, p.companyId))),
);

/** The sealed addresses of those of a company's messages that are stored. */
export const findAddresses = statement({ companyId: messages.company_id, ids }, (p) => {
  const { id, company_id, to_enc } = messages;
  const asked = each(p.ids);
  return rows(
    { id, company_id, to_enc },
    (columns) => sql`select ${columns} from ${asked.from} cross join ${messages} on ${id} = ${asked.value}
      where ${company_id} = ${p.companyId}`,
  );
});

/** The present statuses of messages. */
export const findStatuses = statement({ ids }, (p) => {
  const { id, status } = messages;
  const asked = each(p.ids);
  return rows(
    { id, status },
    (columns) => sql`select ${columns} from ${asked.from} cross join ${messages} on ${id} = ${asked.value}`,
  );
});

/**
 * Stores a request, its messages, their first events and the roll-up in one transaction. Throws ConstraintError, and
 * stores nothing, when the idempotency key is taken or the batch was stored before.
 */
export async function storeAcceptance(context: WebhooksContext, acceptance: Acceptance): Promise<void> {
  const { shared, request, name, events } = acceptance;
  if (acceptance.messages.length === 0 && request === null && name === null) return;
  const statements = {
    ...(request === null ? {} : requestStatements(shared, request)),
    name: name === null ? null : storeName({ companyId: shared.company_id, name, now: shared.accepted_at }),
    ...(acceptance.messages.length === 0 ? {} : messageStatements(acceptance)),
  };
  await batchWithEvents(context, statements, eventKeys(events));
}

function requestStatements({ service, company_id, accepted_at }: SharedColumns, request: NewRequest) {
  const { windowStart, ...own } = request;
  const key = own.idempotency_key;
  return {
    room: dropOldRequest({ service, companyId: company_id, key, windowStart }),
    request: insertRequest({ ...own, service, company_id, created_at: accepted_at }),
  };
}

function messageStatements({ shared, messages: own, events }: Acceptance) {
  const { company_id, lane, event_type, accepted_at: now } = shared;
  const suppressed = own.filter(({ status }) => status === "suppressed").length;
  const count = { queued: own.length - suppressed, suppressed };
  return {
    messages: toSlices(own).map((slice) => insertMessages({ messages: slice, shared })),
    first: insertFirstEvents({ ids: own.map(({ id }) => id) }),
    counted: countAccepted({ company_id, day: iso(now).slice(0, 10), lane, event_type, ...count }),
    events: toSlices(events).map((slice) => insertAcceptedEvents({ events: slice, now })),
  };
}
