import type { SessionUser } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { renewalLead } from "./refresh.ts";
import type { SharedToken } from "./tabs/channel.ts";
import type { SessionRecord } from "./tabs/record.ts";

export type SessionStatus = "none" | "loading" | "signed-out" | "signed-in" | "pending" | "expired" | "reconnecting";
/** `error`: code of the refusal while it is `pending`. */
export type SessionState = { status: SessionStatus; user: SessionUser | null; error: string | null };

/** Age up to which a token is not renewed for want of time left, ms: one that asks for more than a whole life asks in vain. */
const FRESH_AGE = 10_000;
/** A token with less time left is not handed to other tabs, and does not hide that the service is away, ms. */
const MIN_REMAINING = 30_000;

/** Everything that the next action of a keeper depends on, besides the time. */
export type SessionManagerState = {
  /** what pages see */
  readonly publicState: SessionState;
  readonly token: SharedToken | null;
  /** newest generation that was seen here */
  readonly generation: number;
  /** refreshes in a row that got no answer */
  readonly attempt: number;
  /** address of whose session ended here, until somebody is signed in or out */
  readonly lastEmail: string;
  /** the record of the browser as it was last read */
  readonly record: SessionRecord | null;
  /** a developer has paused the renewal */
  readonly isPaused: boolean;
  /** a refresh, or the question to the other tabs, is on its way */
  readonly isRunning: boolean;
  /** what happened and is not answered yet: another tab changed the record, the timer rang, a person or the network came back */
  readonly hasChanged: boolean;
  readonly alarm: "none" | "renewal" | "retry";
  /** the status when a person or the network came back */
  readonly woken: SessionStatus | null;
};

/**
 * What a keeper does next: `leave` a session that is gone, `end` one that the service ended, `await` the work that runs before it
 * looks again, `take` the session of the record over, as that of `another` person or of the same, `renew` the token, say that
 * the service may be `reached` again, or `rest`.
 */
export type SessionManagerAction = "leave" | "end" | "await" | "take" | "take-another" | "renew" | "reached" | "rest";

/** The state of a keeper before its start. */
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

/** The next action at a time (unix ms); pure. The record comes first: people sign in and out in other tabs by it. */
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

/** Time that the token has left, ms. */
export const remaining = ({ token }: SessionManagerState, now: number): number =>
  token === null ? 0 : token.until - now;

export const isDue = (s: SessionManagerState, now: number): boolean =>
  s.token !== null && remaining(s, now) <= renewalLead(s.token.life);

/** Whether the token is good for so many seconds, or came just now. */
export const isGoodFor = (s: SessionManagerState, seconds: number, now: number): boolean =>
  s.token !== null &&
  remaining(s, now) >= Math.min(seconds * 1000, Math.max(s.token.life - FRESH_AGE, s.token.life / 2));

/** The token for the other tabs: only that of the record, and not for its last seconds. */
export const tokenToShare = (s: SessionManagerState, record: SessionRecord | null, now: number): SharedToken | null =>
  remaining(s, now) > MIN_REMAINING && record?.generation === s.token?.generation ? s.token : null;

/** The person of a token that another tab handed out; null when it does not belong to the record, which may be behind it. */
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

/** A token is there. */
export const asSignedIn = (s: SessionManagerState, token: SharedToken, user: SessionUser): SessionManagerState => ({
  ...s,
  token,
  generation: token.generation,
  attempt: 0,
  lastEmail: "",
  publicState: newPublicState("signed-in", user),
});

/** Nobody is known until the token of the record is there. */
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

/** The service ended the session. Who was using it is asked; who was about to is not. */
export function asEnded(s: SessionManagerState): SessionManagerState {
  const { status, user } = s.publicState;
  if (status === "expired") return { ...s, token: null };
  const wasUsed = (status === "signed-in" || status === "reconnecting") && user !== null;
  return wasUsed ? { ...s, token: null, publicState: newPublicState("expired", user) } : asSignedOut(s);
}

/** The service gives no access for now; the session stays. */
export const asPending = (s: SessionManagerState, user: SessionUser | null, code: string): SessionManagerState => ({
  ...s,
  token: null,
  publicState: newPublicState("pending", user, code),
});

/**
 * The service gave no answer, or one that named a wait. One that only wants to be asked later is no trouble while the token
 * holds.
 */
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
