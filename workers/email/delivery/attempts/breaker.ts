import type { BreakerRow } from "../../../../db/email/rows";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { ProviderOutcome } from "../providers/types";
import type { Scope, Sender } from "../sender/sender";
import { type BreakerMark, FAILURE_WEIGHT, FILL_TO_OPEN } from "./breaker.store";

/** Codes that breakers ignore: errors of this service do not concern the sender, and rejected credentials pause the lane. */
const UNCOUNTED: ReadonlySet<string> = new Set(["provider_error", "provider_unauthorized"]);

/** The fields of a claimed message and its sender that breakers use. */
export type MessageWithSender = { row: { id: string; company_id: number }; sender: Pick<Sender, "scope" | "provider"> };

/**
 * The sender breakers of one claim. The stored rows decide which breakers are open. As soon as the outcomes of this claim fill
 * a breaker, `admit` stops further attempts of the sender. `markOf` decides how the stored breaker counts an outcome.
 */
export type Breakers = {
  /** Returns whether the breaker of this sender is open. */
  isOpen(sender: MessageWithSender["sender"], companyId: number): boolean;
  /** Returns the time (unix ms) until which messages of this sender wait for its breaker, or null when they do not wait. */
  waitsUntil(sender: MessageWithSender["sender"], companyId: number): number | null;
  /** Returns whether this attempt may begin. After the open time of a breaker, only one attempt may begin until it succeeds. */
  admit(message: MessageWithSender): boolean;
  /** Records the outcome of an attempt. Only acceptances and retryable failures of the sender count. */
  record(message: MessageWithSender, outcome: ProviderOutcome): void;
  /** Returns how the table counts the outcome of a message, or null when the outcome does not count. */
  markOf(message: MessageWithSender): BreakerMark | null;
};

export type BreakerContext = {
  now: number;
  /** The provider of the first platform sender. Its breaker ignores results of the second platform sender. */
  primaryProvider: TransportName | "none";
  /** Whether messages of this claim wait for a breaker. Messages of the auth lane and of synchronous mode never wait. */
  canWait: boolean;
};

/**
 * `fill`: the stored fill level plus the outcomes of this claim. `hasOpened`: the breaker has opened and not closed since.
 * `remaining`: the number of attempts that may begin before the next acceptance.
 */
type State = {
  openUntil: number;
  fill: number;
  hasOpened: boolean;
  remaining: number;
  marks: Map<string, BreakerMark>;
};

/** Creates the breakers of a claim from the rows that it read. */
export function createBreakers(rows: readonly BreakerRow[], context: BreakerContext): Breakers {
  const { now, primaryProvider, canWait } = context;
  const states = new Map(rows.map((row) => [keyOf(row.scope, row.company_id), toState(row)]));

  const stateOf = ({ scope, provider }: MessageWithSender["sender"], companyId: number): State | null => {
    if (scope === "platform" && provider !== primaryProvider) return null;
    const key = keyOf(scope, companyId);
    const state = states.get(key) ?? toState({ failures: 0, opens: 0, open_until: 0 });
    states.set(key, state);
    return state;
  };
  const stateFor = ({ row, sender }: MessageWithSender) => stateOf(sender, row.company_id);

  const openUntil = (sender: MessageWithSender["sender"], companyId: number) => {
    const state = stateOf(sender, companyId);
    return state !== null && state.openUntil > now ? state.openUntil : null;
  };

  return {
    isOpen: (sender, companyId) => openUntil(sender, companyId) !== null,
    waitsUntil: (sender, companyId) => (canWait ? openUntil(sender, companyId) : null),
    admit: (message) => {
      const state = stateFor(message);
      if (state === null || !canWait) return true;
      state.remaining -= 1;
      return state.remaining >= 0;
    },
    record: (message, outcome) => {
      const state = stateFor(message);
      if (state === null) return;
      if (outcome.kind === "accepted") recordAcceptance(state, message.row.id);
      if (outcome.kind === "retry" && !UNCOUNTED.has(outcome.code)) recordFailure(state, message.row.id);
    },
    markOf: (message) => stateFor(message)?.marks.get(message.row.id) ?? null,
  };
}

function recordFailure(state: State, id: string): void {
  state.marks.set(id, "failed");
  state.fill += FAILURE_WEIGHT;
  if (state.hasOpened || state.fill >= FILL_TO_OPEN) state.remaining = 0;
}

/**
 * Closes a breaker that had opened before the claim. A breaker that this claim has filled stays full, because the accepted
 * attempt began before the breaker was full.
 */
function recordAcceptance(state: State, id: string): void {
  if (state.hasOpened) {
    const { marks: _marks, ...closed } = toState({ failures: 0, opens: 0, open_until: 0 });
    Object.assign(state, closed);
    // `closeBreakers` deletes the row of the breaker, so the earlier marks of this claim must not count.
    state.marks.clear();
    state.marks.set(id, "closed");
  } else if (state.fill > 0 && state.remaining > 0) {
    state.fill -= 1;
    state.marks.set(id, "accepted");
  }
}

function keyOf(scope: Scope, companyId: number): string {
  return `${scope}:${companyId}`;
}

function toState({ failures, opens, open_until }: Pick<BreakerRow, "failures" | "opens" | "open_until">): State {
  const hasOpened = opens > 0;
  return {
    openUntil: open_until,
    fill: failures,
    hasOpened,
    remaining: hasOpened ? 1 : Number.POSITIVE_INFINITY,
    marks: new Map(),
  };
}
