import { CREDENTIALS_WAIT_MS } from "../../../../db/email/conditions/messages";
import type { MessageRow } from "../../../../db/email/rows";
import { ONE_CALL_TRANSPORTS } from "../../../../db/email/transports";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { type BackoffPolicy, backoffAfter } from "../../../kit/outbox/wait";
import { DAY_MS, SECOND_MS } from "../../../kit/time";
import type { ProviderOutcome } from "../providers/types";

/** The retry policy of a lane. Waits are in seconds. From attempt `switchFrom` on, the attempts use the other sender. */
export type LanePolicy = BackoffPolicy & {
  attempts: number;
  switchFrom: number;
  /** A longer `Retry-After` (in seconds) moves the message to the other sender at once. Null: `Retry-After` never moves it. */
  maxRetryAfterSeconds: number | null;
};

const PATIENT_POLICY: LanePolicy = {
  attempts: 8,
  delays: [30, 60, 120, 240, 480, 960],
  lastDelay: 1920,
  switchFrom: 4,
  maxRetryAfterSeconds: null,
};

export const LANE_POLICIES: Readonly<Record<Lane, LanePolicy>> = {
  auth: { attempts: 6, delays: [2, 6, 15, 30], lastDelay: 60, switchFrom: 3, maxRetryAfterSeconds: 10 },
  transactional: PATIENT_POLICY,
  bulk: PATIENT_POLICY,
};

/** Codes of outcomes that are known before a provider is called. */
export type LocalCode =
  | "template_missing"
  | "variables_unreadable"
  | "attachments_missing"
  | "variable_url_not_allowed"
  | "provider_not_configured"
  | "company_smtp_disabled"
  | "platform_sender_not_allowed"
  | "delivery_unknown"
  | "from_not_allowed";

export type AttemptOutcome =
  | Exclude<ProviderOutcome, { kind: "lost" }>
  | { kind: "final"; code: LocalCode; detail?: string }
  | { kind: "suppressed"; code: "recipient_suppressed" | "unsubscribed" | "recipient_removed" };

/**
 * The input of `nextState`. `attempt` starts at 1. `rateLimits`, `faults` and `unknownOutcomes` count the earlier attempts with the
 * outcomes `provider_rate_limited`, `provider_error` and `delivery_unknown`. Times are in unix ms.
 */
export type AttemptFacts = {
  lane: Lane;
  attempt: number;
  rateLimits: number;
  faults: number;
  unknownOutcomes: number;
  /** The provider may have accepted this attempt or an earlier one. Such a message never ends as `expired`. */
  isPossiblyDelivered: boolean;
  now: number;
  /** the time of acceptance, or the later time for which the message is scheduled */
  dueSince: number;
  expiresAt: number | null;
  /** Another sender exists and the message has not moved to it yet. */
  canSwitch: boolean;
  /** A pause holds the message back when the provider rejects the credentials. */
  isHeldByPause: boolean;
  /** Synchronous mode retries at once. */
  retriesAtOnce: boolean;
};

/**
 * The state that follows `sending`. `waitSeconds` is the time until the retry. `move`: the retry uses the other sender.
 * `isUncounted`: the attempt does not count towards the maximum of the lane.
 */
export type NextState =
  | { status: "sent"; code: null; providerMessageId: string }
  | { status: "retrying"; code: string | null; waitSeconds: number; move: boolean; isUncounted?: true }
  | { status: "failed" | "expired" | "suppressed"; code: string };

/** Time after the message became due during which rate-limited attempts do not count. */
const RATE_LIMITED_LIFE_MS = DAY_MS;

/** Maximum number of retries after unexpected errors of this service. */
const MAX_FAULTS = 3;

/** Returns the state that follows `sending` for the outcome of an attempt. */
export function nextState(outcome: AttemptOutcome, facts: AttemptFacts): NextState {
  switch (outcome.kind) {
    case "accepted":
      return { status: "sent", code: null, providerMessageId: outcome.providerMessageId };
    case "suppressed":
      return { status: "suppressed", code: outcome.code };
    case "final":
      return { status: "failed", code: outcome.code };
    case "retry":
      return nextRetry(outcome, facts);
  }
}

function nextRetry(outcome: Extract<AttemptOutcome, { kind: "retry" }>, facts: AttemptFacts): NextState {
  const { code, retryAfterSeconds } = outcome;
  const policy = LANE_POLICIES[facts.lane];
  if (code === "provider_unauthorized") {
    if (facts.lane === "auth" && facts.canSwitch) return { status: "retrying", code, waitSeconds: 0, move: true };
    if (facts.retriesAtOnce) return { status: "failed", code };
    if (facts.isHeldByPause) return waitForPause(code, facts);
  }
  // Mail that may have arrived is sent once more, except bulk mail.
  if (code === "delivery_unknown" && (facts.lane === "bulk" || facts.unknownOutcomes > 0))
    return { status: "failed", code };
  // A rate limit is not a fault of the message, so rate-limited attempts do not count for 24 hours.
  const isUncounted =
    code === "provider_rate_limited" && !facts.retriesAtOnce && facts.now < facts.dueSince + RATE_LIMITED_LIFE_MS;
  const isExhausted =
    (!isUncounted && facts.attempt >= policy.attempts) || (code === "provider_error" && facts.faults >= MAX_FAULTS);
  if (isExhausted) return { status: "failed", code };
  const isWaitTooLong =
    policy.maxRetryAfterSeconds !== null &&
    retryAfterSeconds !== undefined &&
    retryAfterSeconds > policy.maxRetryAfterSeconds;
  const move = isWaitTooLong && facts.canSwitch;
  // Rate-limited attempts do not count, but they lengthen the wait.
  const waitSeconds =
    move || facts.retriesAtOnce ? 0 : backoffAfter(policy, facts.attempt + facts.rateLimits, retryAfterSeconds);
  const isTooLate = facts.expiresAt !== null && facts.now + waitSeconds * SECOND_MS >= facts.expiresAt;
  if (isTooLate) return finalStateOfExpired(code === "delivery_unknown" || facts.isPossiblyDelivered);
  return { status: "retrying", code, waitSeconds, move, ...(isUncounted ? { isUncounted } : {}) };
}

const finalStateOfExpired = (isPossiblyDelivered: boolean): FinalState =>
  isPossiblyDelivered ? { status: "failed", code: "delivery_unknown" } : { status: "expired", code: "expired" };

/**
 * Keeps the message due until the pause ends, and does not count the attempt. Ends a message that has expired, or that has
 * waited longer than `CREDENTIALS_WAIT_MS`.
 */
function waitForPause(code: string, { now, dueSince, expiresAt, isPossiblyDelivered }: AttemptFacts): NextState {
  if (expiresAt !== null && expiresAt <= now) return finalStateOfExpired(isPossiblyDelivered);
  if (expiresAt === null && dueSince + CREDENTIALS_WAIT_MS <= now) return { status: "failed", code };
  return { status: "retrying", code, waitSeconds: 0, move: false, isUncounted: true };
}

/** A message whose lease ended without a result. */
export type EndedLease = Pick<
  MessageRow,
  "lane" | "provider_message_id" | "expires_at" | "data_started" | "claim_count" | "last_error_code"
>;

/** The number of claims without a result after which a message fails as `abandoned`. */
const MAX_CLAIMS = 20;

/**
 * Returns the state of a message whose lease ended without a result. Bulk mail is never sent twice: it fails if DATA had
 * begun. Other mail may have arrived. It is retried until it expires, and then ends as `failed` instead of `expired`.
 */
export function stateAfterLease(row: EndedLease, now: number): NextState {
  if (row.provider_message_id !== null) {
    return { status: "sent", code: null, providerMessageId: row.provider_message_id };
  }
  const isBulk = row.lane === "bulk";
  const isOver = row.expires_at !== null && row.expires_at <= now;
  if (isBulk ? row.data_started : isOver) return { status: "failed", code: "delivery_unknown" };
  if (isOver) return { status: "expired", code: "expired" };
  if (row.claim_count >= MAX_CLAIMS) return { status: "failed", code: "abandoned" };
  const code = isBulk ? row.last_error_code : "delivery_unknown";
  return { status: "retrying", code, waitSeconds: 0, move: false };
}

/** The final state of a waiting message that is not attempted again. */
export type FinalState = { status: "expired" | "failed"; code: string };

/**
 * Returns whether the provider may have accepted the mail although no response arrived in time. This is the case after the
 * content (SMTP) or the request (HTTP mail API) was sent.
 */
export const isUnanswered = (provider: string | null | undefined, code: string | null): boolean =>
  code === "delivery_unknown" ||
  (code === "provider_timeout" && ONE_CALL_TRANSPORTS.some((transport) => transport === provider));

/**
 * Returns the final state of a message that expired or waited too long for credentials. `ending` in expiry.store.ts is the
 * same rule in SQL.
 */
export function finalStateOfWaiting({
  expires_at,
  last_error_code,
  provider,
}: Pick<MessageRow, "expires_at" | "last_error_code" | "provider">): FinalState {
  if (expires_at === null) return { status: "failed", code: last_error_code ?? "provider_unauthorized" };
  return finalStateOfExpired(isUnanswered(provider, last_error_code));
}
