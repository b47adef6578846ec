import type { MessageRow } from "../../../db/email/rows";
import type { Lane } from "../../../schemas/email/lanes";
import { type WaitPolicy, waitAfter } from "../../kit/outbox/wait";
import { SECOND_MS } from "../../kit/time";
import type { ProviderOutcome } from "../providers/types";

/** How a lane repeats an attempt. Waits in seconds; `moveFrom`: first attempt of the other sender. */
export type LanePolicy = WaitPolicy & {
  attempts: number;
  moveFrom: number;
  /** A `Retry-After` above this many seconds moves the message to the other sender at once; null: it never does. */
  patience: number | null;
};

const PATIENT: LanePolicy = {
  attempts: 8,
  waits: [30, 60, 120, 240, 480, 960],
  later: 1920,
  asked: "instead",
  moveFrom: 4,
  patience: null,
};

export const LANE_POLICIES: Readonly<Record<Lane, LanePolicy>> = {
  auth: { attempts: 6, waits: [2, 6, 15, 30], later: 60, asked: "instead", moveFrom: 3, patience: 10 },
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
  | { kind: "final"; code: LocalCode; detail?: string; pause?: false }
  | { kind: "suppressed"; code: "recipient_suppressed" | "unsubscribed" };

/** What an attempt is judged by. `attempt` counts from 1; `faults`: earlier outcomes `provider_error`; times unix ms. */
export type AttemptFacts = {
  lane: Lane;
  attempt: number;
  faults: number;
  now: number;
  expiresAt: number | null;
  /** There is another sender and the message has not moved to it yet. */
  canMove: boolean;
  /** The synchronous mode repeats at once. */
  withoutWaits: boolean;
};

/** The next state of a message that was being sent. `waitSeconds` is set for `retrying` only; `move` asks for the other sender. */
export type NextState =
  | { status: "sent"; code: null; providerMessageId: string }
  | { status: "retrying"; code: string | null; waitSeconds: number; move: boolean }
  | { status: "failed" | "expired" | "suppressed"; code: string };

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
  const isSpent = facts.attempt >= policy.attempts || (code === "provider_error" && facts.faults >= MAX_FAULTS);
  if (isSpent) return { status: "failed", code };
  const isImpatient =
    policy.patience !== null && retryAfterSeconds !== undefined && retryAfterSeconds > policy.patience;
  const move = isImpatient && facts.canMove;
  const waitSeconds = move || facts.withoutWaits ? 0 : waitAfter(policy, facts.attempt, retryAfterSeconds);
  const isTooLate = facts.expiresAt !== null && facts.now + waitSeconds * SECOND_MS >= facts.expiresAt;
  return isTooLate ? { status: "expired", code: "expired" } : { status: "retrying", code, waitSeconds, move };
}

/** A message whose lease ended without a result. */
export type EndedLease = Pick<
  MessageRow,
  "provider_message_id" | "expires_at" | "data_started" | "claim_count" | "last_error_code"
>;

/** Claims without a result after which a message is given up. */
const MAX_CLAIMS = 20;

/** What becomes of a message whose holder never came back. */
export function stateAfterLease(row: EndedLease, now: number): NextState {
  if (row.provider_message_id !== null) {
    return { status: "sent", code: null, providerMessageId: row.provider_message_id };
  }
  if (row.expires_at !== null && row.expires_at <= now) return { status: "expired", code: "expired" };
  if (row.data_started) return { status: "failed", code: "delivery_unknown" };
  if (row.claim_count >= MAX_CLAIMS) return { status: "failed", code: "abandoned" };
  return { status: "retrying", code: row.last_error_code, waitSeconds: 0, move: false };
}
