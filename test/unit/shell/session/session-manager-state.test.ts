import { describe, expect, it } from "vitest";
import {
  asEnded,
  asReconnecting,
  asSignedIn,
  asSignedOut,
  initialState,
  isValidFor,
  nextAction,
  type SessionManagerAction,
  type SessionManagerState,
  type SessionStatus,
  tokenToShare,
  userOfSharedToken,
} from "../../../../shell/client/src/session/session-manager-state.ts";
import { tokenOf } from "./tokens.ts";

const user = (id: string) => ({
  id,
  email: `${id}@example.com`,
  name: "Mina",
  avatarUrl: null,
  provider: "magic_link",
  groups: [],
  isStaff: false,
  isCompanyOwner: false,
  companyId: 1,
});
const mina = user("7");
const record = {
  v: 1,
  generation: 2,
  refreshToken: "prt_2",
  backend: "https://id.example",
  companyId: 1,
  user: mina,
} as const;
/** A token that is valid for 10 minutes and is renewed 90 s before its expiry. */
const token = { generation: 2, accessToken: tokenOf({ sub: "7", company_id: 1 }), until: 600_000, life: 600_000 };
const stateOf = (status: SessionStatus, person: typeof mina | null = mina) => ({ status, user: person, error: null });
const signedIn = { ...asSignedIn(initialState, token, mina), record };

type Row = [title: string, action: SessionManagerAction, state: Partial<SessionManagerState>, now?: number];

function check(base: SessionManagerState, rows: Row[]) {
  it.each(rows)("%s: %s", (_title, action, change, now = 0) => {
    expect(nextAction({ ...base, ...change }, now)).toBe(action);
  });
}

describe("the session manager after a change of the record", () => {
  check({ ...signedIn, hasChanged: true }, [
    ["leaves a session whose record was removed", "leave", { record: null }],
    ["leaves the session even during a refresh", "leave", { record: null, isRunning: true }],
    ["ends a session without a refresh token", "end", { record: { ...record, refreshToken: null, user: null } }],
    ["does nothing at a known generation", "idle", {}],
    ["takes over a newer generation", "adopt", { record: { ...record, generation: 3 } }],
    [
      "takes over the session of another user",
      "adopt-other-user",
      { record: { ...record, generation: 3, user: user("8") } },
    ],
    ["takes over any generation when it has no token", "adopt", { token: null }],
    ["waits for the running refresh", "await", { token: null, isRunning: true }],
    ["handles the record before the token", "adopt", { record: { ...record, generation: 3 }, alarm: "renewal" }],
    ["ignores the record without a change event", "idle", { record: null, hasChanged: false }],
  ]);
});

describe("the session manager when its timer fires", () => {
  check(signedIn, [
    ["renews the token", "renew", { alarm: "renewal" }],
    ["does not renew while paused", "idle", { alarm: "renewal", isPaused: true }],
    ["retries a refresh without a response, even while paused", "renew", { alarm: "retry", isPaused: true }],
    ["does not renew while a refresh runs", "idle", { alarm: "retry", isRunning: true }],
  ]);
});

describe("the session manager when the user or the network returns", () => {
  check({ ...signedIn, woken: "signed-in" }, [
    ["reports that the service may be reached", "report-reachable", {}],
    ["renews the token 90 s before its expiry", "renew", {}, 510_000],
    ["does not renew the token earlier", "report-reachable", {}, 509_999],
    ["does not renew while paused", "report-reachable", { isPaused: true }, 510_000],
    ["does not renew during another renewal", "idle", { isRunning: true }, 510_000],
    ["does not renew without a token", "report-reachable", { token: null }],
    ["handles a changed record first", "adopt", { hasChanged: true, record: { ...record, generation: 3 } }],
  ]);
  check({ ...signedIn, publicState: stateOf("reconnecting"), woken: "reconnecting" }, [
    ["retries after a refresh without a response", "renew", {}],
    ["retries even while paused", "renew", { isPaused: true }],
  ]);
  check({ ...initialState, woken: "signed-out" }, [["does nothing without a session", "idle", {}]]);
});

describe("the end of a session", () => {
  it.each<[SessionStatus, SessionStatus]>([
    ["signed-in", "expired"],
    ["reconnecting", "expired"],
    ["expired", "expired"],
    ["loading", "signed-out"],
    ["pending", "signed-out"],
  ])("is shown in status %s as %s, and removes the token", (before, after) => {
    const state = asEnded({ ...signedIn, publicState: stateOf(before) });
    expect([state.publicState.status, state.token]).toEqual([after, null]);
  });

  it("is shown once, as a sign-out, when it happened in another tab", () => {
    const state = asSignedOut(signedIn);
    expect(state).toMatchObject({ token: null, publicState: { status: "signed-out", user: null } });
    expect(asSignedOut(state).publicState).toBe(state.publicState);
  });
});

describe("a refresh without a response", () => {
  const at = { isDelayed: false, user: null, now: 0 };

  it("is shown as a lost connection of the signed-in user", () => {
    expect(asReconnecting(signedIn, at)).toMatchObject({ attempt: 1, token, publicState: stateOf("reconnecting") });
  });

  it("is not shown while the server has requested a delay and the token has 30 s left", () => {
    expect(asReconnecting(signedIn, { ...at, isDelayed: true, now: 569_999 }).publicState.status).toBe("signed-in");
    expect(asReconnecting(signedIn, { ...at, isDelayed: true, now: 570_000 }).publicState.status).toBe("reconnecting");
  });

  it("shows the user of the record at the start of a page", () => {
    const state = asReconnecting({ ...initialState, publicState: stateOf("loading", null) }, { ...at, user: mina });
    expect(state.publicState).toEqual(stateOf("reconnecting"));
  });
});

it.each([
  ["with enough time left", 500, 100_000, true],
  ["with too little time left", 501, 100_000, false],
  ["received just now, for more than its lifetime", 3600, 10_000, true],
  ["received a while ago, for more than its lifetime", 3600, 10_001, false],
])("decides whether a token is valid for the requested time %s (%i s at %i ms)", (_title, seconds, now, isGood) => {
  expect(isValidFor(signedIn, seconds, now)).toBe(isGood);
});

it("shares a token with other tabs when it belongs to the record and has more than 30 s left", () => {
  expect(tokenToShare(signedIn, record, 569_999)).toBe(token);
  expect(tokenToShare(signedIn, record, 570_000)).toBeNull();
  expect(tokenToShare(signedIn, { ...record, generation: 3 }, 0)).toBeNull();
});

it("accepts another tab's token for the user of the record, even if the record is older", () => {
  expect(userOfSharedToken(token, record)).toBe(mina);
  expect(userOfSharedToken(token, { ...record, generation: 1 })?.id).toBe("7");
  expect(userOfSharedToken(token, { ...record, generation: 3 })).toBeNull();
  expect(userOfSharedToken(token, { ...record, generation: 1, user: user("8") })).toBeNull();
  expect(userOfSharedToken(token, { ...record, refreshToken: null, user: null })).toBeNull();
  expect(userOfSharedToken(token, null)).toBeNull();
});
