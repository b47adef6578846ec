import { type SQLWrapper, sql } from "drizzle-orm";
import { addCounters, countLatency, hourOf, perCompanyAndTotal } from "../../../../db/email/conditions/counters";
import { isUnneededBy } from "../../../../db/email/conditions/direct";
import { eventColumns, eventKeys } from "../../../../db/email/conditions/event-log";
import { addEvent, isUnanswered, ROLL_UP_AFTER_MS, timeOfMessage } from "../../../../db/email/conditions/messages";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { BreakerRow, NewEvent } from "../../../../db/email/rows";
import { direct_contents, event_log, lane_states, messages, provider_events } from "../../../../db/email/schema";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { Db } from "../../../kit/db/db";
import { integer, json, text } from "../../../kit/db/kind";
import { assignments, insertSelect, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { type BreakerMark, type BreakerResult, closeBreakers, countFailures, drainBreakers } from "./breaker.store";
import { leasedResults } from "./lease.store";

/**
 * The result of one attempt or ended lease, as it is stored. Null in `provider`, `provider_message_id`, `scope`, `trace`,
 * `sent_at` and `next_attempt_at` keeps the stored value.
 */
export type Settlement = BreakerResult & {
  status: "sent" | "retrying" | "failed" | "expired" | "suppressed";
  code: string | null;
  /** the step to add to the history of the message, or null for a release */
  event: string | null;
  next_attempt_at: number | null;
  attempt_count: number;
  claim_count: number;
  provider: TransportName | null;
  provider_message_id: string | null;
  sent_at: number | null;
  rank: number;
  trace: Record<string, unknown> | null;
};

/** The event of a result. It is inserted only while the lease of the result holds. */
export type ResultEvent = NewEvent & Pick<Settlement, "token" | "fence">;

/** A pause of one company's lane because of rejected credentials. */
export type CredentialPause = { lane: Lane; companyId: number; scope: "company" | "platform"; fingerprint: string };

/** The breakers that the stored results opened or closed. `opened_ms` is the open time. */
export type BreakerChanges = { opened: (BreakerRow & { opened_ms: number })[]; closed: BreakerRow[] };

/** The effects of storing results. `hasStoredEvents`: a stored provider event about one of the messages is not applied yet. */
export type Settled = BreakerChanges & { hasStoredEvents: boolean };

/** Results with their pauses and events. */
export type Results = {
  settlements: readonly Settlement[];
  pauses: readonly CredentialPause[];
  events: readonly ResultEvent[];
  /** the messages that may have content in `direct_contents` and have ended */
  directIds: readonly string[];
};

const settlements = json<readonly Settlement[]>();

// Does not overwrite a pause that staff set.
const pauseLane = statement(
  {
    lane: lane_states.lane,
    companyId: lane_states.company_id,
    scope: lane_states.scope,
    fingerprint: text,
    now: integer,
  },
  (p) => {
    const pause = {
      paused: true,
      reason: "provider_unauthorized",
      fingerprint: p.fingerprint,
      paused_at: p.now,
      paused_by: null,
    };
    return queryBuilder
      .insert(lane_states)
      .values({ lane: p.lane, company_id: p.companyId, scope: p.scope, ...pause })
      .onConflictDoUpdate({
        target: [lane_states.lane, lane_states.company_id, lane_states.scope],
        set: pause,
        setWhere: sql`${lane_states.paused} = 0 or ${lane_states.fingerprint} is not null`,
      });
  },
);

// The statements for events and roll-ups use the condition of the status update and run before it in one transaction. A
// repeated batch and a result whose lease is lost therefore match no row.

const countResults = statement({ settlements }, (p) => {
  const { result, from } = leasedResults(p.settlements);
  const ended = sql`${from} and ${result.status} <> 'retrying' and ${isCounted}`;
  return countMoves(["sent", "failed", "expired", "suppressed"], result.status, ended);
});

// Counts the latency of messages that were already rolled up while they waited. The roll-up counts all other messages.
const countLateLatency = statement({ settlements }, (p) => {
  const { result, list, where } = leasedResults(p.settlements);
  return countLatency(
    result.sent_at,
    sql`from ${list} cross join ${perCompanyAndTotal} cross join ${messages} on ${messages.id} = ${result.id}
      where ${where} and ${result.status} = 'sent' and ${isCounted}`,
  );
});

const countErrors = statement({ settlements, now: integer }, (p) => {
  const { result, list, where } = leasedResults(p.settlements);
  const figure = { name: "provider_error", a: result.provider, b: result.code } as const;
  return addCounters(
    { ...figure, companyId: messages.company_id, hour: hourOf(p.now), n: sql`1` },
    sql`from ${list} cross join ${perCompanyAndTotal} cross join ${messages} on ${messages.id} = ${result.id} where ${where} and ${isError(result)}`,
  );
});

const isError = ({ provider, code }: Record<"provider" | "code", SQLWrapper>) =>
  sql`${provider} is not null and ${code} is not null`;

const insertEvents = statement({ events: json<readonly ResultEvent[]>(), now: integer }, (p) => {
  const { result: event, from } = leasedResults(p.events);
  return insertSelect(event_log, eventColumns(event, messages, p.now), sql`${from} on conflict do nothing`);
});

const updateMessages = statement({ settlements, now: integer }, (p) => {
  const { result, list, where } = leasedResults(p.settlements);
  const change = assignments(messages, {
    status: result.status,
    variables_enc: sql`case when ${result.status} = 'retrying' then ${messages.variables_enc} end`,
    next_attempt_at: sql`case when ${result.status} = 'retrying' then coalesce(${result.next_attempt_at}, ${messages.next_attempt_at}) end`,
    attempt_count: result.attempt_count,
    claim_count: result.claim_count,
    locked_until: null,
    lease_token: null,
    data_started: false,
    provider: sql`coalesce(${result.provider}, ${messages.provider})`,
    scope: sql`coalesce(${result.scope}, ${messages.scope})`,
    provider_message_id: sql`coalesce(${result.provider_message_id}, ${messages.provider_message_id})`,
    sent_at: sql`coalesce(${result.sent_at}, ${messages.sent_at})`,
    rank: sql`max(${messages.rank}, ${result.rank})`,
    // A message that may have arrived never ends as `expired`, so later attempts keep `delivery_unknown`.
    last_error_code: sql`case when ${result.status} = 'retrying' and ${messages.expires_at} is not null
      and ${isUnanswered} then 'delivery_unknown' else ${result.code} end`,
    trace: sql`coalesce(${result.trace}, ${messages.trace})`,
    events: sql`case when ${result.event} is null then ${messages.events} else ${addEvent(result.event, p.now)} end`,
  });
  return sql`update ${messages} set ${change} from ${list} where ${where}`;
});

// Runs after the statement that ends the messages, in the same batch.
const deleteContents = statement({ ids: json<readonly string[]>() }, (p) => {
  const id = jsonEach(p.ids);
  const from = sql`from ${id.from} cross join ${messages} on ${messages.id} = ${id.value}`;
  return queryBuilder.delete(direct_contents).where(isUnneededBy(from));
});

const findStoredEvents = statement({ settlements }, (p) => {
  const { from, item: result } = jsonEach(p.settlements);
  const { provider_message_id: id, applied, hook_id } = provider_events;
  return selectRows(
    { hook_id },
    (
      columns,
    ) => sql`select ${columns} from ${from} cross join ${provider_events} on ${id} = ${result.provider_message_id}
      and ${applied} = 0 limit 1`,
  );
});

/**
 * Stores results with their events, roll-ups, pauses and breakers in one round trip. A result whose lease is lost changes no
 * message, and neither does a repeated call. `now` is in unix ms.
 */
export async function settleMessages(
  context: WebhooksContext,
  db: Db,
  { settlements, pauses, events, directIds }: Results,
  now: number,
): Promise<Settled> {
  const hasErrors = settlements.some(({ provider, code }) => provider !== null && code !== null);
  const hasLate = settlements.some(({ id, status }) => status === "sent" && timeOfMessage(id) < now - ROLL_UP_AFTER_MS);
  const hasMark = (mark: BreakerMark) => settlements.some(({ breaker }) => breaker === mark);
  const statements = {
    closed: hasMark("closed") ? closeBreakers({ results: settlements }) : null,
    drained: hasMark("accepted") ? drainBreakers({ results: settlements }) : null,
    failing: hasMark("failed") ? countFailures({ results: settlements, now }) : null,
    pauses: pauses.map((pause) => pauseLane({ ...pause, now })),
    counted: countResults({ settlements }),
    latency: hasLate ? countLateLatency({ settlements }) : null,
    errors: hasErrors ? countErrors({ settlements, now }) : null,
    events: toSlices(events).map((slice) => insertEvents({ events: slice, now })),
    moved: updateMessages({ settlements, now }),
    contents: directIds.length === 0 ? null : deleteContents({ ids: directIds }),
    storedEvents: settlements.some(({ provider_message_id: id }) => id !== null)
      ? findStoredEvents({ settlements })
      : null,
  };
  const { closed, failing, storedEvents } = await batchWithEvents(context, db, statements, eventKeys(events));
  return {
    opened: (failing?.rows ?? []).flatMap((row) =>
      row.opened_ms === null ? [] : [{ ...row, opened_ms: row.opened_ms }],
    ),
    closed: (closed?.rows ?? []).filter(({ opens }) => opens > 0),
    hasStoredEvents: storedEvents !== null && storedEvents.rows.length > 0,
  };
}
