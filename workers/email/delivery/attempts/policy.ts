import { REFUSED_LIFE_MS } from "../../../../db/email/conditions/messages";
import type { MessageRow } from "../../../../db/email/rows";
import { ONE_CALL_TRANSPORTS } from "../../../../db/email/transports";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { type WaitPolicy, waitAfter } from "../../../kit/outbox/wait";
import { DAY_MS, SECOND_MS } from "../../../kit/time";
import type { ProviderOutcome } from "../providers/types";

/** How a lane repeats an attempt. Waits in seconds; `switchFrom`: first attempt of the other sender. */
export type LanePolicy = WaitPolicy & {
  attempts: number;
  switchFrom: number;
  /** A `Retry-After` above this many seconds moves the message to the other sender at once; null: it never does. */
  patience: number | null;
};

const PATIENT: LanePolicy = {
  attempts: 8,
  waits: [30, 60, 120, 240, 480, 960],
  later: 1920,
  switchFrom: 4,
  patience: null,
};

export const LANE_POLICIES: Readonly<Record<Lane, LanePolicy>> = {
  auth: { attempts: 6, waits: [2, 6, 15, 30], later: 60, switchFrom: 3, patience: 10 },
  transactional: PATIENT,
  bulk: PATIENT,
};

/** Outcomes that are known before a provider is called. */
export type LocalCode =
  | "template_missing"
  | "variables_unreadable"
  | "variable_url_not_allowed"
  | "provider_not_configured"
  | "company_smtp_disabled"
  | "platform_sender_not_allowed";

export type AttemptOutcome =
  | Exclude<ProviderOutcome, { kind: "lost" }>
  | { kind: "final"; code: LocalCode; detail?: string }
  | { kind: "suppressed"; code: "recipient_suppressed" | "unsubscribed" };

/**
 * What an attempt is judged by. `attempt` counts from 1; `rateLimits`, `faults`, `unknowns`: earlier outcomes
 * `provider_rate_limited`, `provider_error` and `delivery_unknown`; times unix ms.
 */
export type AttemptFacts = {
  lane: Lane;
  attempt: number;
  rateLimits: number;
  faults: number;
  unknowns: number;
  /** This attempt or an earlier one may have been taken: such a message is not told to have expired. */
  mayHaveArrived: boolean;
  now: number;
  acceptedAt: number;
  expiresAt: number | null;
  /** There is another sender and the message has not moved to it yet. */
  canSwitch: boolean;
  /** A pause holds the message back once its sender refuses the credentials. */
  isHeldByPause: boolean;
  /** The synchronous mode repeats at once. */
  withoutWaits: boolean;
};

/**
 * The next state of a message that was being sent. `waitSeconds` is set for `retrying` only; `move` asks for the other
 * sender; `isUncounted`: the attempt is none of those that the lane allows.
 */
export type NextState =
  | { status: "sent"; code: null; providerMessageId: string }
  | { status: "retrying"; code: string | null; waitSeconds: number; move: boolean; isUncounted?: true }
  | { status: "failed" | "expired" | "suppressed"; code: string };

/** How long after its acceptance a message is rate limited by its provider without using up attempts. */
const RATE_LIMITED_LIFE_MS = DAY_MS;

/** Retries of an unexpected fault of the service itself. */
const MAX_FAULTS = 3;

/** The move of a message out of `sending` by the outcome of its attempt. */
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
    if (facts.withoutWaits) return { status: "failed", code };
    if (facts.isHeldByPause) return waitForPause(code, facts);
  }
  // What may have arrived is sent once more, and bulk mail never.
  if (code === "delivery_unknown" && (facts.lane === "bulk" || facts.unknowns > 0)) return { status: "failed", code };
  // A provider that asks for fewer mails refuses the pace, not the message.
  const isUncounted =
    code === "provider_rate_limited" && !facts.withoutWaits && facts.now < facts.acceptedAt + RATE_LIMITED_LIFE_MS;
  const isExhausted =
    (!isUncounted && facts.attempt >= policy.attempts) || (code === "provider_error" && facts.faults >= MAX_FAULTS);
  if (isExhausted) return { status: "failed", code };
  const isImpatient =
    policy.patience !== null && retryAfterSeconds !== undefined && retryAfterSeconds > policy.patience;
  const move = isImpatient && facts.canSwitch;
  // Refusals that use up no attempt lengthen the wait all the same.
  const waitSeconds =
    move || facts.withoutWaits ? 0 : waitAfter(policy, facts.attempt + facts.rateLimits, retryAfterSeconds);
  const isTooLate = facts.expiresAt !== null && facts.now + waitSeconds * SECOND_MS >= facts.expiresAt;
  if (isTooLate) return endOfLife(code === "delivery_unknown" || facts.mayHaveArrived);
  return { status: "retrying", code, waitSeconds, move, ...(isUncounted ? { isUncounted } : {}) };
}

const endOfLife = (mayHaveArrived: boolean): Ending =>
  mayHaveArrived ? { status: "failed", code: "delivery_unknown" } : { status: "expired", code: "expired" };

/** Due when the pause ends. The refusal uses no attempt up: a wrong key loses no mail. */
function waitForPause(code: string, { now, acceptedAt, expiresAt, mayHaveArrived }: AttemptFacts): NextState {
  if (expiresAt !== null && expiresAt <= now) return endOfLife(mayHaveArrived);
  if (expiresAt === null && acceptedAt + REFUSED_LIFE_MS <= now) return { status: "failed", code };
  return { status: "retrying", code, waitSeconds: 0, move: false, isUncounted: true };
}

/** A message whose lease ended without a result. */
export type EndedLease = Pick<
  MessageRow,
  "lane" | "provider_message_id" | "expires_at" | "data_started" | "claim_count" | "last_error_code"
>;

/** Claims without a result after which a message is given up. */
const MAX_CLAIMS = 20;

/**
 * What becomes of a message whose holder never came back. Of bulk mail it is known whether its content was begun; any other
 * may have arrived, so it is sent again while it lives, and is not told to have expired afterwards.
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

/** How a waiting message ends that nobody sends any more. */
export type Ending = { status: "expired" | "failed"; code: string };

/** Whether nobody knows if a provider took the mail: it got the content, or the whole call, and did not answer in time. */
export const isUnanswered = (provider: string | null | undefined, code: string | null): boolean =>
  code === "delivery_unknown" ||
  (code === "provider_timeout" && ONE_CALL_TRANSPORTS.some((transport) => transport === provider));

/** What a message comes to whose life is over, or that has waited too long for credentials (the same in expiry.store.ts). */
export function endOfWaiting({
  expires_at,
  last_error_code,
  provider,
}: Pick<MessageRow, "expires_at" | "last_error_code" | "provider">): Ending {
  if (expires_at === null) return { status: "failed", code: last_error_code ?? "provider_unauthorized" };
  return endOfLife(isUnanswered(provider, last_error_code));
}
