import type { Sender } from "../sender/sender";
import { BREAKER_OPEN } from "./attempt-sender";
import type { BreakerMark } from "./breaker";
import type { MessageRow, Settlement } from "./delivery.store";
import { type AttemptOutcome, type EndedLease, type NextState, nextState, stateAfterLease } from "./policy";
import { appendDelivery, type DeliveryEntry, POSTPONED, readTrace } from "./trace";

/** Ranks of the statuses that this service sets itself (email details 6.4). */
const RANKS: Partial<Record<Settlement["status"], number>> = { sent: 10, failed: 5 };

/** What is known beside the outcome of an attempt. `sender` is null when nobody was asked to send. */
export type AttemptContext = {
  sender: Sender | null;
  canMove: boolean;
  now: number;
  withoutWaits: boolean;
  breaker: BreakerMark | null;
};

/** The result of an attempt as it is stored, with its entry in the trace. */
export function settleAttempt(row: MessageRow, outcome: AttemptOutcome, context: AttemptContext): Settlement {
  const { sender, canMove, now, withoutWaits, breaker } = context;
  const trace = readTrace(row.trace);
  const state = nextState(outcome, {
    lane: row.lane,
    attempt: row.attempt_count,
    faults: trace.delivery.filter((entry) => entry.outcome === "provider_error").length,
    now,
    expiresAt: row.expires_at,
    canMove,
    withoutWaits,
  });
  const entry: DeliveryEntry = {
    at: new Date(now).toISOString(),
    attempt: row.attempt_count,
    provider: sender?.provider ?? null,
    scope: sender?.scope ?? null,
    outcome: outcome.kind === "accepted" ? "accepted" : outcome.code,
    wait_seconds: state.status === "retrying" ? state.waitSeconds : null,
    ...(state.status === "retrying" && state.move ? { move: true } : {}),
    ...(sender?.reason === BREAKER_OPEN ? { reason: BREAKER_OPEN } : {}),
    ...("detail" in outcome && outcome.detail !== undefined ? { detail: outcome.detail } : {}),
  };
  return {
    ...settleState(row, state, now),
    claim_count: 0,
    provider: sender?.provider ?? null,
    scope: sender?.scope ?? null,
    trace: appendDelivery(trace, entry),
    breaker,
  };
}

/** A message that waits until a breaker's time (unix ms) is over: as a release, but due then and with its trace entry. */
export function settlePostponed(row: MessageRow, sender: Sender, openUntil: number, now: number): Settlement {
  const entry: DeliveryEntry = {
    at: new Date(now).toISOString(),
    attempt: row.attempt_count,
    provider: sender.provider,
    scope: sender.scope,
    outcome: POSTPONED,
    wait_seconds: Math.max(0, Math.ceil((openUntil - now) / 1000)),
  };
  return {
    ...settleRelease(row, now),
    next_attempt_at: openUntil,
    trace: appendDelivery(readTrace(row.trace), entry),
  };
}

/** A message that its holder gives back before its attempt began: due now, and the attempt counts for nothing. */
export function settleRelease(row: MessageRow, now: number): Settlement {
  const state: NextState = { status: "retrying", code: row.last_error_code, waitSeconds: 0, move: false };
  return {
    ...settleState(row, state, now),
    event: null,
    detail: null,
    attempt_count: row.attempt_count - 1,
    claim_count: row.claim_count - 1,
  };
}

export type EndedLeaseRow = EndedLease & { id: string; lease_token: string | null; attempt_count: number };

/** A message whose lease ended without a result. */
export function settleEndedLease(row: EndedLeaseRow, now: number): Settlement {
  return settleState(row, stateAfterLease(row, now), now);
}

function settleState(
  row: Pick<EndedLeaseRow, "id" | "lease_token" | "attempt_count" | "claim_count">,
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
    detail: waitSeconds === null ? null : { code, wait_seconds: waitSeconds },
    next_attempt_at: waitSeconds === null ? null : now + waitSeconds * 1000,
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
