import type { BreakerRow } from "../../../../db/email/rows";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { ProviderOutcome } from "../providers/types";
import type { Scope, Sender } from "../sender/sender";
import { type BreakerMark, FAILURE_WEIGHT, FILL_TO_OPEN } from "./breaker.store";

/** A fault of this service tells nothing about the sender, and refused credentials have a pause of their own. */
const UNCOUNTED: ReadonlySet<string> = new Set(["provider_error", "provider_unauthorized"]);

/** A claimed message and its sender, as far as a breaker looks at them. */
export type Guarded = { row: { id: string; company_id: number }; sender: Pick<Sender, "scope" | "provider"> };

/**
 * The sender breakers of one claim. The table decides about open ones; what is noted here ends the
 * attempts of this claim once the table will open one, and says how its results are counted there.
 */
export type Breakers = {
  /** Whether the breaker of this sender is open. */
  isOpen(sender: Guarded["sender"], companyId: number): boolean;
  /** Until when (unix ms) a message of this sender waits for its breaker; null: it does not. */
  waitsUntil(sender: Guarded["sender"], companyId: number): number | null;
  /** Whether this attempt may begin. After the time of a breaker only one may, until it is known how that one ended. */
  admit(message: Guarded): boolean;
  /** Records how an attempt ended. Only acceptances and retryable failures of the sender count. */
  note(message: Guarded, outcome: ProviderOutcome): void;
  /** How the outcome of a message is counted in the table; null: it is not. */
  markOf(message: Guarded): BreakerMark | null;
};

export type BreakerContext = {
  now: number;
  /** The provider of the first platform sender. What the other one does tells nothing about it. */
  primaryProvider: TransportName | "none";
  /** Whether messages of this claim wait for a breaker. Those of the auth lane and of the synchronous mode never do. */
  canWait: boolean;
};

/**
 * `fill` as stored, moved by the outcomes of this claim; `hasOpened`: the table had opened it before the claim; `room`: attempts
 * that may begin before the next acceptance.
 */
type State = {
  openUntil: number;
  fill: number;
  hasOpened: boolean;
  remaining: number;
  marks: Map<string, BreakerMark>;
};

/** The breakers of a claim by the rows that it read. */
export function createBreakers(rows: readonly BreakerRow[], context: BreakerContext): Breakers {
  const { now, primaryProvider, canWait } = context;
  const states = new Map(rows.map((row) => [keyOf(row.scope, row.company_id), toState(row)]));

  const stateOf = ({ scope, provider }: Guarded["sender"], companyId: number): State | null => {
    if (scope === "platform" && provider !== primaryProvider) return null;
    const key = keyOf(scope, companyId);
    const state = states.get(key) ?? toState({ failures: 0, opens: 0, open_until: 0 });
    states.set(key, state);
    return state;
  };
  const stateFor = ({ row, sender }: Guarded) => stateOf(sender, row.company_id);

  const openUntil = (sender: Guarded["sender"], companyId: number) => {
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
    note: (message, outcome) => {
      const state = stateFor(message);
      if (state === null) return;
      if (outcome.kind === "accepted") noteAcceptance(state, message.row.id);
      if (outcome.kind === "retry" && !UNCOUNTED.has(outcome.code)) noteFailure(state, message.row.id);
    },
    markOf: (message) => stateFor(message)?.marks.get(message.row.id) ?? null,
  };
}

function noteFailure(state: State, id: string): void {
  state.marks.set(id, "failed");
  state.fill += FAILURE_WEIGHT;
  if (state.hasOpened || state.fill >= FILL_TO_OPEN) state.remaining = 0;
}

/** Closes a breaker on trial. One that opens by this claim stays open: the attempt had begun before. */
function noteAcceptance(state: State, id: string): void {
  if (state.hasOpened) {
    const { marks: _marks, ...closed } = toState({ failures: 0, opens: 0, open_until: 0 });
    Object.assign(state, closed);
    // The row goes, and with it what this claim had added.
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
