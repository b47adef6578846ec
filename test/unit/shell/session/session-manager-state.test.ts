import { describe, expect, it } from "vitest";
import {
  asEnded,
  asSignedIn,
  asSignedOut,
  asUnanswered,
  initialState,
  isGoodFor,
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
/** Lives 10 minutes and is renewed 90 s before its end. */
const token = { generation: 2, accessToken: tokenOf({ sub: "7", company_id: 1 }), until: 600_000, life: 600_000 };
const shown = (status: SessionStatus, person: typeof mina | null = mina) => ({ status, user: person, error: null });
const signedIn = { ...asSignedIn(initialState, token, mina), record };

type Row = [what: string, action: SessionManagerAction, state: Partial<SessionManagerState>, now?: number];

function check(base: SessionManagerState, rows: Row[]) {
  it.each(rows)("%s: %s", (_what, action, change, now = 0) => {
    expect(nextAction({ ...base, ...change }, now)).toBe(action);
  });
}

describe("after a change of the record, a keeper", () => {
  check({ ...signedIn, hasChanged: true }, [
    ["leaves a session that is gone", "leave", { record: null }],
    ["also while a refresh runs", "leave", { record: null, isRunning: true }],
    ["ends one without a refresh token", "end", { record: { ...record, refreshToken: null, user: null } }],
    ["rests at a generation that it knows", "rest", {}],
    ["takes a newer one", "take", { record: { ...record, generation: 3 } }],
    ["takes that of another person", "take-another", { record: { ...record, generation: 3, user: user("8") } }],
    ["takes any while it has no token", "take", { token: null }],
    ["waits for the refresh that runs", "await", { token: null, isRunning: true }],
    ["looks at the record before the token", "take", { record: { ...record, generation: 3 }, alarm: "renewal" }],
    ["takes no notice of the record by itself", "rest", { record: null, hasChanged: false }],
  ]);
});

describe("when its timer rings, a keeper", () => {
  check(signedIn, [
    ["renews", "renew", { alarm: "renewal" }],
    ["not while that is paused", "rest", { alarm: "renewal", isPaused: true }],
    ["but tries a refresh without an answer again, paused or not", "renew", { alarm: "retry", isPaused: true }],
    ["not while a refresh runs", "rest", { alarm: "retry", isRunning: true }],
  ]);
});

describe("when a person or the network is back, a keeper", () => {
  check({ ...signedIn, woken: "signed-in" }, [
    ["says that the service may be reached", "reached", {}],
    ["90 s before the end of its token, renews it", "renew", {}, 510_000],
    ["not a moment before", "reached", {}, 509_999],
    ["not while that is paused", "reached", { isPaused: true }, 510_000],
    ["not twice at a time", "rest", { isRunning: true }, 510_000],
    ["that has no token renews none", "reached", { token: null }],
    ["first follows the record", "take", { hasChanged: true, record: { ...record, generation: 3 } }],
  ]);
  check({ ...signedIn, publicState: shown("reconnecting"), woken: "reconnecting" }, [
    ["without an answer tries again", "renew", {}],
    ["paused or not", "renew", { isPaused: true }],
  ]);
  check({ ...initialState, woken: "signed-out" }, [["without a session rests", "rest", {}]]);
});

describe("the end of a session", () => {
  it.each<[SessionStatus, SessionStatus]>([
    ["signed-in", "expired"],
    ["reconnecting", "expired"],
    ["expired", "expired"],
    ["loading", "signed-out"],
    ["pending", "signed-out"],
  ])("that was %s is shown as %s, and takes the token away", (before, after) => {
    const state = asEnded({ ...signedIn, publicState: shown(before) });
    expect([state.publicState.status, state.token]).toEqual([after, null]);
  });

  it("that another tab brought is a sign-out, and shown once", () => {
    const state = asSignedOut(signedIn);
    expect(state).toMatchObject({ token: null, publicState: { status: "signed-out", user: null } });
    expect(asSignedOut(state).publicState).toBe(state.publicState);
  });
});

describe("a refresh without an answer", () => {
  const at = { isPutOff: false, user: null, now: 0 };

  it("is shown as a lost connection, with the person who is signed in", () => {
    expect(asUnanswered(signedIn, at)).toMatchObject({ attempt: 1, token, publicState: shown("reconnecting") });
  });

  it("that the service put off is not shown as long as the token has 30 s left", () => {
    expect(asUnanswered(signedIn, { ...at, isPutOff: true, now: 569_999 }).publicState.status).toBe("signed-in");
    expect(asUnanswered(signedIn, { ...at, isPutOff: true, now: 570_000 }).publicState.status).toBe("reconnecting");
  });

  it("at the start of a page shows the person of the record", () => {
    const state = asUnanswered({ ...initialState, publicState: shown("loading", null) }, { ...at, user: mina });
    expect(state.publicState).toEqual(shown("reconnecting"));
  });
});

it.each([
  ["with enough time left", 500, 100_000, true],
  ["with too little", 501, 100_000, false],
  ["that came just now, for more than its whole life", 3600, 10_000, true],
  ["that came a while ago, for more than its whole life", 3600, 10_001, false],
])("a token %s (%i s): %i ms", (_what, seconds, now, isGood) => {
  expect(isGoodFor(signedIn, seconds, now)).toBe(isGood);
});

it("a token goes to other tabs when it is that of the record and has more than 30 s left", () => {
  expect(tokenToShare(signedIn, record, 569_999)).toBe(token);
  expect(tokenToShare(signedIn, record, 570_000)).toBeNull();
  expect(tokenToShare(signedIn, { ...record, generation: 3 }, 0)).toBeNull();
});

it("a token of another tab is taken for the person of the record, which may be behind it", () => {
  expect(userOfSharedToken(token, record)).toBe(mina);
  expect(userOfSharedToken(token, { ...record, generation: 1 })?.id).toBe("7");
  expect(userOfSharedToken(token, { ...record, generation: 3 })).toBeNull();
  expect(userOfSharedToken(token, { ...record, generation: 1, user: user("8") })).toBeNull();
  expect(userOfSharedToken(token, { ...record, refreshToken: null, user: null })).toBeNull();
  expect(userOfSharedToken(token, null)).toBeNull();
});
