import { FAILED_RANK } from "../../../../db/email/conditions/messages";
import type { MessageRow } from "../../../../db/email/rows";
import { OWN_ID_TRANSPORTS } from "../../../../db/email/transports";
import type { Db } from "../../../kit/db/db";
import { iso, SECOND_MS } from "../../../kit/time";
import { openAddress } from "../../records/seal/seal";
import { hasEvent, messageEvent, type SealedMessage } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import { storedTrace } from "../messages/stored-trace";
import {
  appendDelivery,
  countOutcomes,
  type DeliveryEntry,
  POSTPONED,
  RATE_LIMITED,
  readTrace,
} from "../messages/trace";
import type { Sender } from "../sender/sender";
import { BREAKER_OPEN } from "./attempt-sender";
import type { BreakerMark } from "./breaker.store";
import {
  type AttemptOutcome,
  type EndedLease,
  isUnanswered,
  type NextState,
  nextState,
  stateAfterLease,
} from "./policy";
import {
  type CredentialPause,
  type ResultEvent,
  type Settled,
  type Settlement,
  settleMessages,
} from "./settlement.store";

/** The ranks of the statuses that an attempt sets. A provider event changes a status only if its own rank is higher. */
const RANKS: Partial<Record<Settlement["status"], number>> = { sent: 10, failed: FAILED_RANK };

/** The input of `settleAttempt` besides the message and the outcome. `sender` is null when no provider was called. */
export type AttemptContext = {
  sender: Sender | null;
  canSwitch: boolean;
  /** whether a pause for rejected credentials of this sender takes effect */
  isHeldByPause: boolean;
  now: number;
  retriesAtOnce: boolean;
  breaker: BreakerMark | null;
  /** whether the default content was sent instead of the custom template */
  isDefault?: boolean;
  /** unix ms; missing for a message that was due at its acceptance */
  scheduledAt?: number | null | undefined;
};

/** Returns the result to store for an attempt, with the entry of the attempt in the trace. */
export function settleAttempt(row: MessageRow, outcome: AttemptOutcome, context: AttemptContext): Settlement {
  const { sender, canSwitch, isHeldByPause, scheduledAt, now, retriesAtOnce, breaker, isDefault = false } = context;
  const trace = readTrace(row.trace);
  const unknownOutcomes = countOutcomes(trace, "delivery_unknown");
  const state = nextState(outcome, {
    lane: row.lane,
    attempt: row.attempt_count,
    rateLimits: countOutcomes(trace, RATE_LIMITED),
    faults: countOutcomes(trace, "provider_error"),
    unknownOutcomes,
    isPossiblyDelivered:
      isUnanswered(row.provider, row.last_error_code) ||
      (outcome.kind === "retry" && isUnanswered(sender?.provider, outcome.code)) ||
      trace.delivery.some((entry) => isUnanswered(entry.provider, entry.outcome)),
    now,
    dueSince: scheduledAt ?? row.accepted_at,
    expiresAt: row.expires_at,
    canSwitch,
    isHeldByPause,
    retriesAtOnce,
  });
  const entry: DeliveryEntry = {
    at: iso(now),
    attempt: row.attempt_count,
    provider: sender?.provider ?? null,
    scope: sender?.scope ?? null,
    outcome: outcome.kind === "accepted" ? "accepted" : outcome.code,
    wait_seconds: state.status === "retrying" ? state.waitSeconds : null,
    ...(state.status === "retrying" && state.move ? { move: true } : {}),
    ...(sender?.reason === BREAKER_OPEN ? { reason: BREAKER_OPEN } : {}),
    ...(isDefault ? { content: "default" } : {}),
    ...("detail" in outcome && outcome.detail !== undefined ? { detail: outcome.detail } : {}),
  };
  const settled = settleState(row, state, now);
  return {
    ...settled,
    provider_message_id: OWN_ID_TRANSPORTS.some((name) => name === sender?.provider)
      ? null
      : settled.provider_message_id,
    attempt_count: row.attempt_count - (state.status === "retrying" && state.isUncounted === true ? 1 : 0),
    claim_count: 0,
    provider: sender?.provider ?? null,
    scope: sender?.scope ?? null,
    trace: storedTrace(appendDelivery(trace, entry), { isFinal: state.status !== "retrying" }),
    breaker,
  };
}

/** Returns the result for a message that waits for a breaker: a release with a trace entry, due at `openUntil` (unix ms). */
export function settlePostponed(row: MessageRow, sender: Sender, openUntil: number, now: number): Settlement {
  const entry: DeliveryEntry = {
    at: iso(now),
    attempt: row.attempt_count,
    provider: sender.provider,
    scope: sender.scope,
    outcome: POSTPONED,
    wait_seconds: Math.max(0, Math.ceil((openUntil - now) / SECOND_MS)),
  };
  return {
    ...settleRelease(row, now),
    next_attempt_at: openUntil,
    trace: storedTrace(appendDelivery(readTrace(row.trace), entry), { isFinal: false }),
  };
}

/** Returns the result for a message whose attempt did not begin. The message is due now and the attempt does not count. */
export function settleRelease(row: MessageRow, now: number): Settlement {
  const state: NextState = { status: "retrying", code: row.last_error_code, waitSeconds: 0, move: false };
  return {
    ...settleState(row, state, now),
    event: null,
    attempt_count: row.attempt_count - 1,
    claim_count: row.claim_count - 1,
  };
}

/** The fields of a message with an ended lease that decide its result. */
type EndedLeaseRow = EndedLease & Pick<MessageRow, "id" | "lease_token" | "attempt_count" | "scope" | "trace">;

/**
 * Returns the result for a message whose lease ended before a result was stored. The trace of bulk mail then has an entry without
 * a provider, because a mail API may have accepted the mail (see couldSendTwice).
 */
export function settleEndedLease(row: EndedLeaseRow, now: number): Settlement {
  const settled = settleState(row, stateAfterLease(row, now), now);
  if (row.lane !== "bulk" || settled.status !== "retrying") return settled;
  const entry: DeliveryEntry = {
    at: iso(now),
    attempt: row.attempt_count,
    provider: null,
    scope: row.scope,
    outcome: "delivery_unknown",
    wait_seconds: 0,
  };
  return { ...settled, trace: storedTrace(appendDelivery(readTrace(row.trace), entry), { isFinal: false }) };
}

function settleState(
  row: Pick<MessageRow, "id" | "lease_token" | "attempt_count" | "claim_count">,
  state: NextState,
  now: number,
): Settlement {
  const { status, code } = state;
  const waitSeconds = status === "retrying" ? state.waitSeconds : null;
  return {
    id: row.id,
    token: row.lease_token ?? "",
    status,
    code,
    event: status,
    next_attempt_at: waitSeconds === null ? null : now + waitSeconds * SECOND_MS,
    attempt_count: row.attempt_count,
    claim_count: row.claim_count,
    provider: null,
    scope: null,
    provider_message_id: status === "sent" ? state.providerMessageId : null,
    sent_at: status === "sent" ? now : null,
    rank: RANKS[status] ?? 0,
    trace: null,
    breaker: null,
  };
}

/**
 * Stores results with their events, pauses and breakers. `messages` maps the message ids of the results to their rows. `now`
 * is in unix ms. Returns the breakers that opened or closed, and whether a stored provider event can now be applied.
 */
export async function storeSettlements(
  services: Pick<EmailServices, "webhooks" | "keys">,
  db: Db,
  messages: ReadonlyMap<string, SealedMessage>,
  { settlements, pauses }: { settlements: readonly Settlement[]; pauses: readonly CredentialPause[] },
  now: number,
): Promise<Settled> {
  const keys = await services.keys();
  const events = settlements.map(async ({ id, token, fence, status, code }): Promise<ResultEvent[]> => {
    const message = messages.get(id);
    if (message === undefined || !hasEvent(status)) return [];
    const to = await openAddress(message, keys);
    const event = await messageEvent(keys, message, { status, to, facts: { error_code: code, reason: code }, now });
    return event === null ? [] : [{ ...event, token, ...(fence === undefined ? {} : { fence }) }];
  });
  // Only mail of this lane can have content of its own.
  const directIds = settlements.flatMap(({ id, status }) =>
    status !== "retrying" && messages.get(id)?.lane === "transactional" ? [id] : [],
  );
  const results = { settlements, pauses, events: (await Promise.all(events)).flat(), directIds };
  return settleMessages(services.webhooks, db, results, now);
}
