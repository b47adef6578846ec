import type { SessionUser } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { renewalLead } from "./refresh.ts";
import type { SharedToken } from "./tabs/channel.ts";
import type { SessionRecord } from "./tabs/record.ts";

export type SessionStatus = "none" | "loading" | "signed-out" | "signed-in" | "pending" | "expired" | "reconnecting";
/** `error` is the error code while the status is `pending`. */
export type SessionState = { status: SessionStatus; user: SessionUser | null; error: string | null };

/**
 * A token younger than this is not renewed, ms. Otherwise every request with a `minTtl` above the whole lifetime of a token
 * would renew it.
 */
const FRESH_AGE = 10_000;
/**
 * Minimum remaining lifetime, ms. A token with less is not shared with other tabs, and a refresh that the service delays is
 * then shown as `reconnecting`.
 */
const MIN_REMAINING = 30_000;

/** Everything that the next action depends on, except the time. */
export type SessionManagerState = {
  /** the state that views see */
  readonly publicState: SessionState;
  readonly token: SharedToken | null;
  /** newest generation of the record (SessionRecord) seen by this tab */
  readonly generation: number;
  /** consecutive refreshes without a response */
  readonly attempt: number;
  /** email of the user whose session ended in this tab, until the next sign-in or sign-out */
  readonly lastEmail: string;
  /** the stored record as last read */
  readonly record: SessionRecord | null;
  /** a developer paused the renewal */
  readonly isPaused: boolean;
  /** a refresh, or a request to other tabs, is running */
  readonly isRunning: boolean;
  /** the record changed and the change is not handled yet */
  readonly hasChanged: boolean;
  /** the timer that fired and is not handled yet */
  readonly alarm: "none" | "renewal" | "retry";
  /** the status at the time when the user or the network returned; null after the return was handled */
  readonly woken: SessionStatus | null;
};

/**
 * The next action:
 * - `leave`: the user signed out
 * - `end`: the service ended the session
 * - `await`: wait for the running work
 * - `adopt`: take over the stored session of the same user
 * - `adopt-other-user`: take over the stored session of another user
 * - `renew`: renew the token
 * - `report-reachable`: report that the service may be reachable again
 * - `idle`: nothing to do
 */
export type SessionManagerAction =
  | "leave"
  | "end"
  | "await"
  | "adopt"
  | "adopt-other-user"
  | "renew"
  | "report-reachable"
  | "idle";

/** State before the start. */
export const initialState: SessionManagerState = {
  publicState: { status: "signed-out", user: null, error: null },
  token: null,
  generation: 0,
  attempt: 0,
  lastEmail: "",
  record: null,
  isPaused: false,
  isRunning: false,
  hasChanged: false,
  alarm: "none",
  woken: null,
};

/**
 * Returns the next action at a time (ms since the epoch), without side effects. Changes of the record are handled first,
 * because they are sign-ins, sign-outs and refreshes of other tabs.
 */
export function nextAction(state: SessionManagerState, now: number): SessionManagerAction {
  if (state.hasChanged) {
    if (state.record === null) return "leave";
    if (state.record.refreshToken === null) return "end";
    if (state.token === null || state.record.generation > state.generation) {
      if (state.isRunning) return "await";
      return state.publicState.user?.id === state.record.user?.id ? "adopt" : "adopt-other-user";
    }
  }
  const isDueOnReturn = state.woken === "signed-in" && isDue(state, now) && !state.isPaused;
  const isDueByTimer = state.alarm === "retry" || (state.alarm === "renewal" && !state.isPaused);
  if (state.woken === "reconnecting" || isDueOnReturn || isDueByTimer) return state.isRunning ? "idle" : "renew";
  return state.woken === "signed-in" ? "report-reachable" : "idle";
}

/** Returns the remaining lifetime of the token, ms. */
export const remaining = ({ token }: SessionManagerState, now: number): number =>
  token === null ? 0 : token.until - now;

export const isDue = (state: SessionManagerState, now: number): boolean =>
  state.token !== null && remaining(state, now) <= renewalLead(state.token.life);

/** Returns whether the token is valid for at least `seconds`, or was received just now. */
export const isValidFor = (state: SessionManagerState, seconds: number, now: number): boolean =>
  state.token !== null &&
  remaining(state, now) >= Math.min(seconds * 1000, Math.max(state.token.life - FRESH_AGE, state.token.life / 2));

/**
 * Returns the token to share with other tabs. Returns null if the token does not belong to the record or expires within 30
 * seconds.
 */
export const tokenToShare = (
  state: SessionManagerState,
  record: SessionRecord | null,
  now: number,
): SharedToken | null =>
  remaining(state, now) > MIN_REMAINING && record?.generation === state.token?.generation ? state.token : null;

/**
 * Returns the user of a shared token, or null when it does not belong to the record. The record may be older than the token.
 */
export function userOfSharedToken(shared: SharedToken | null, record: SessionRecord | null): SessionUser | null {
  if (shared === null || record === null || record.user === null || record.generation > shared.generation) return null;
  const user = record.generation === shared.generation ? record.user : readClaims(shared.accessToken).user;
  return user.id === record.user.id ? user : null;
}

const newPublicState = (
  status: SessionStatus,
  user: SessionUser | null = null,
  error: string | null = null,
): SessionState => ({
  status,
  user,
  error,
});

/** State after a token was received. */
export const asSignedIn = (state: SessionManagerState, token: SharedToken, user: SessionUser): SessionManagerState => ({
  ...state,
  token,
  generation: token.generation,
  attempt: 0,
  lastEmail: "",
  publicState: newPublicState("signed-in", user),
});

/** State until this tab has a token for the record. */
export const asLoading = (state: SessionManagerState): SessionManagerState => ({
  ...state,
  token: null,
  publicState: newPublicState("loading"),
});

export const asSignedOut = (state: SessionManagerState): SessionManagerState => ({
  ...state,
  token: null,
  lastEmail: "",
  publicState: state.publicState.status === "signed-out" ? state.publicState : newPublicState("signed-out"),
});

/** State after the service ended the session. Only a session in use is shown as expired. */
export function asEnded(state: SessionManagerState): SessionManagerState {
  const { status, user } = state.publicState;
  if (status === "expired") return { ...state, token: null };
  const wasUsed = (status === "signed-in" || status === "reconnecting") && user !== null;
  return wasUsed ? { ...state, token: null, publicState: newPublicState("expired", user) } : asSignedOut(state);
}

/** State while the service denies access. The session remains. */
export const asPending = (state: SessionManagerState, user: SessionUser | null, code: string): SessionManagerState => ({
  ...state,
  token: null,
  publicState: newPublicState("pending", user, code),
});

/**
 * State after a refresh without a response, or after the service requested a delay. A delay is not shown while the token is
 * valid for more than 30 s.
 */
export function asReconnecting(
  state: SessionManagerState,
  retry: { isDelayed: boolean; user: SessionUser | null; now: number },
): SessionManagerState {
  const keepsState =
    (retry.isDelayed && remaining(state, retry.now) > MIN_REMAINING) || state.publicState.status === "reconnecting";
  return {
    ...state,
    attempt: state.attempt + 1,
    publicState: keepsState ? state.publicState : newPublicState("reconnecting", state.publicState.user ?? retry.user),
  };
}
