import type { SessionUser } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { renewalLead } from "./refresh.ts";
import type { SharedToken } from "./tabs/channel.ts";
import type { SessionRecord } from "./tabs/record.ts";

export type SessionStatus = "none" | "loading" | "signed-out" | "signed-in" | "pending" | "expired" | "reconnecting";
/** `error` is the error code while the status is `pending`. */
export type SessionState = { status: SessionStatus; user: SessionUser | null; error: string | null };

/** A token younger than this is not renewed, ms. Otherwise each request for more than its whole lifetime would renew it. */
const FRESH_AGE = 10_000;
/** A token with less time left is not shared with other tabs and does not hide an outage, ms. */
const MIN_REMAINING = 30_000;

/** Everything that the next action depends on, except the time. */
export type SessionManagerState = {
  /** the state that views see */
  readonly publicState: SessionState;
  readonly token: SharedToken | null;
  /** newest generation seen by this tab */
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
  /** the status when the user or the network returned; null when that is handled */
  readonly woken: SessionStatus | null;
};

/**
 * The next action:
 * - `leave`: the user signed out
 * - `end`: the service ended the session
 * - `await`: wait for the running work
 * - `take`: take over the stored session of the same user
 * - `take-another`: take over the stored session of another user
 * - `renew`: renew the token
 * - `reached`: report that the service may be reachable again
 * - `rest`: nothing to do
 */
export type SessionManagerAction = "leave" | "end" | "await" | "take" | "take-another" | "renew" | "reached" | "rest";

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
 * because they are the sign-ins and sign-outs of other tabs.
 */
export function nextAction(s: SessionManagerState, now: number): SessionManagerAction {
  if (s.hasChanged) {
    if (s.record === null) return "leave";
    if (s.record.refreshToken === null) return "end";
    if (s.token === null || s.record.generation > s.generation) {
      if (s.isRunning) return "await";
      return s.publicState.user?.id === s.record.user?.id ? "take" : "take-another";
    }
  }
  const isDueOnReturn = s.woken === "signed-in" && isDue(s, now) && !s.isPaused;
  const isDueByTimer = s.alarm === "retry" || (s.alarm === "renewal" && !s.isPaused);
  if (s.woken === "reconnecting" || isDueOnReturn || isDueByTimer) return s.isRunning ? "rest" : "renew";
  return s.woken === "signed-in" ? "reached" : "rest";
}

/** Returns the remaining lifetime of the token, ms. */
export const remaining = ({ token }: SessionManagerState, now: number): number =>
  token === null ? 0 : token.until - now;

export const isDue = (s: SessionManagerState, now: number): boolean =>
  s.token !== null && remaining(s, now) <= renewalLead(s.token.life);

/** Returns whether the token is valid for at least `seconds`, or was received just now. */
export const isGoodFor = (s: SessionManagerState, seconds: number, now: number): boolean =>
  s.token !== null &&
  remaining(s, now) >= Math.min(seconds * 1000, Math.max(s.token.life - FRESH_AGE, s.token.life / 2));

/** Returns the token to share with other tabs. Returns null if it is not the record's or expires within 30 seconds. */
export const tokenToShare = (s: SessionManagerState, record: SessionRecord | null, now: number): SharedToken | null =>
  remaining(s, now) > MIN_REMAINING && record?.generation === s.token?.generation ? s.token : null;

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
export const asSignedIn = (s: SessionManagerState, token: SharedToken, user: SessionUser): SessionManagerState => ({
  ...s,
  token,
  generation: token.generation,
  attempt: 0,
  lastEmail: "",
  publicState: newPublicState("signed-in", user),
});

/** State until this tab has a token for the record. */
export const asLoading = (s: SessionManagerState): SessionManagerState => ({
  ...s,
  token: null,
  publicState: newPublicState("loading"),
});

export const asSignedOut = (s: SessionManagerState): SessionManagerState => ({
  ...s,
  token: null,
  lastEmail: "",
  publicState: s.publicState.status === "signed-out" ? s.publicState : newPublicState("signed-out"),
});

/** State after the service ended the session. Only a session in use is shown as expired. */
export function asEnded(s: SessionManagerState): SessionManagerState {
  const { status, user } = s.publicState;
  if (status === "expired") return { ...s, token: null };
  const wasUsed = (status === "signed-in" || status === "reconnecting") && user !== null;
  return wasUsed ? { ...s, token: null, publicState: newPublicState("expired", user) } : asSignedOut(s);
}

/** State while the service denies access. The session remains. */
export const asPending = (s: SessionManagerState, user: SessionUser | null, code: string): SessionManagerState => ({
  ...s,
  token: null,
  publicState: newPublicState("pending", user, code),
});

/** State after a refresh without a response, or with a requested delay. A delay is not shown while the token is valid. */
export function asUnanswered(
  s: SessionManagerState,
  at: { isPutOff: boolean; user: SessionUser | null; now: number },
): SessionManagerState {
  const isQuiet = (at.isPutOff && remaining(s, at.now) > MIN_REMAINING) || s.publicState.status === "reconnecting";
  return {
    ...s,
    attempt: s.attempt + 1,
    publicState: isQuiet ? s.publicState : newPublicState("reconnecting", s.publicState.user ?? at.user),
  };
}
