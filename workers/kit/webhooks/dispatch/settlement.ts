import { readRetryAfter } from "../../net/retry-after";
import { describeOutcome, type Outcome } from "../posting/attempt";
import type { ClaimedRow } from "./claim.store";
import type { Result } from "./settlement.store";

const MAX_WAIT_SECONDS = 3600;
const SECRET_WAIT_MS = 300_000;
/** The number of claims without any result after which a delivery is given up. */
export const MAX_CLAIMS = 16;
const PERMANENT = new Set([400, 401, 403, 405, 410, 413, 422]);
const WITH_RETRY_AFTER = new Set([429, 503]);

/**
 * Returns whether a status comes from the host itself. Cloudflare returns 520 to 527 and 530 when it cannot reach the
 * host.
 */
function isTargetResponse(status: number): boolean {
  return !((status >= 520 && status <= 527) || status === 530);
}

/**
 * Returns the next status of a delivery after an outcome, the error code, and the delay in ms that the receiver
 * requested.
 */
export function classify(outcome: Outcome, nowMs: number) {
  if (outcome.kind === "none") {
    const next = outcome.code === "ssrf_blocked" ? ("dead" as const) : ("retry" as const);
    return { next, code: outcome.code, waitMs: null };
  }
  const { status } = outcome;
  if (status >= 200 && status < 300) return { next: "delivered" as const, code: null, waitMs: null };
  if (status >= 300 && status < 400) return { next: "dead" as const, code: "redirect_blocked" as const, waitMs: null };
  if (PERMANENT.has(status)) return { next: "dead" as const, code: "http_status" as const, waitMs: null };
  const requestedWait = WITH_RETRY_AFTER.has(status) ? readRetryAfter(outcome.retryAfter, nowMs) : null;
  const waitMs = requestedWait === null ? null : Math.min(MAX_WAIT_SECONDS, Math.max(1, requestedWait)) * 1000;
  return { next: "retry" as const, code: "http_status" as const, waitMs };
}

type AttemptFacts = {
  trigger: "dispatch" | "automatic_retry";
  runId: number | null;
  maxAttempts: number;
  now: number;
};

/** Returns the result of an attempt to send a claimed row. */
export function settleAttempt(
  row: ClaimedRow,
  outcome: Outcome,
  { trigger, runId, maxAttempts, now }: AttemptFacts,
): Result {
  const { next, code, waitMs } = classify(outcome, now);
  const attempt = row.attempt_count + 1;
  const isLast = next === "retry" && attempt >= maxAttempts;
  const ending = next === "delivered" ? "succeeded" : next === "dead" || isLast ? "given_up" : "failed";
  return {
    ...keyOf(row, now),
    status: next === "delivered" ? "success" : "failure",
    http_status: outcome.kind === "answer" ? outcome.status : null,
    error_code: code,
    error_message: next === "delivered" ? null : describeOutcome(outcome),
    attempt_number: attempt,
    requeue_count: row.requeue_count,
    duration_ms: outcome.durationMs,
    trigger,
    run_id: runId,
    next,
    wait_ms: waitMs,
    answered: isResponsive(outcome),
    gone: outcome.kind === "answer" && outcome.status === 410,
    counts: [countName(row, "attempted"), countName(row, ending)],
  };
}

/**
 * Returns whether the host responded. Only timeouts and connection errors count against a host. Returns null when the
 * name or address was rejected, because no request was sent.
 */
function isResponsive(outcome: Outcome): boolean | null {
  if (outcome.kind === "answer") return isTargetResponse(outcome.status);
  return outcome.code === "timeout" || outcome.code === "connection_error" ? false : null;
}

/** Returns the result of a row that is released without an attempt. */
export function settleWithoutAttempt(row: ClaimedRow, now: number): Result {
  return unsent(row, now, { next: "free", error_code: null, error_message: null, wait_ms: null }, []);
}

/**
 * Returns the result of a row whose secret, Authorization value or body cannot be opened. The row is due again in 300
 * s, and no attempt is counted.
 */
export function settleSecretUnavailable(row: ClaimedRow, now: number): Result {
  const error = { error_code: "secret_unavailable", error_message: "the secret cannot be read" };
  return unsent(row, now, { next: "postpone", ...error, wait_ms: SECRET_WAIT_MS }, []);
}

const FINAL_REASONS = {
  abandoned: "every attempt was interrupted",
  rule_deleted: "the rule was deleted",
  email_disabled: "posts to the email service are turned off",
};

/** Returns the result of a row that is given up without an attempt. */
export function settleDead(row: ClaimedRow, code: keyof typeof FINAL_REASONS, now: number): Result {
  const error = { error_code: code, error_message: FINAL_REASONS[code] };
  return unsent(row, now, { next: "dead", ...error, wait_ms: null }, [countName(row, "given_up")]);
}

type Unsent = Omit<Extract<Result, { status: null }>, "status" | keyof ReturnType<typeof keyOf> | "counts">;

function unsent(row: ClaimedRow, now: number, rest: Unsent, counts: string[]): Result {
  return { ...keyOf(row, now), status: null, ...rest, counts };
}

function keyOf(row: ClaimedRow, now: number) {
  return { seq: row.seq, id: row.id, token: row.lease_token, at: now };
}

/** Returns the count name of a retry run for a row. */
function countName(row: ClaimedRow, ending: "attempted" | "succeeded" | "failed" | "given_up"): string {
  return `${row.kind === "email" ? "email_events" : "webhook_deliveries"}_${ending}`;
}
