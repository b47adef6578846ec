import { createStore, type Readable } from "../store.ts";
import type { Adapter, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { type Outcome, refreshOnce, renewalLead, retryDelay } from "./refresh.ts";
import { serviceError } from "./service-error.ts";
import {
  asEnded,
  asLoading,
  asPending,
  asReconnecting,
  asSignedIn,
  asSignedOut,
  initialState,
  isDue,
  isValidFor,
  nextAction,
  remaining,
  type SessionManagerState,
  type SessionState,
  tokenToShare,
  userOfSharedToken,
} from "./session-manager-state.ts";
import { createChannel, type SharedToken } from "./tabs/channel.ts";
import { createLock } from "./tabs/lock.ts";
import { createRecords, type Owner, type SessionRecord } from "./tabs/record.ts";
import { onWake } from "./tabs/wakes.ts";

/** How long other tabs may take to share their token, ms. */
const MAX_WAIT = 150;

type Options = {
  owner: Owner;
  loadAdapter: () => Promise<Adapter>;
  isPaused: () => boolean;
  /** called when the service responds or may be reachable again, and a user is signed in */
  onReachable: () => void;
};

/** Tokens of a session that ended in this browser. The service must still revoke them. */
export type TokensToEnd = { accessToken: string | null; refreshToken: string } | null;

/**
 * Manages the session of this tab. It keeps the access token in memory and the record in storage, in sync with other tabs.
 * session-manager-state.ts decides the next action; this module runs it.
 */
export function createSessionManager({ owner, loadAdapter, isPaused, onReachable }: Options) {
  let state: SessionManagerState = initialState;
  const publicState = createStore<SessionState>(state.publicState);
  const records = createRecords(owner);
  const lock = createLock();
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const update = (next: Partial<SessionManagerState>) => {
    state = { ...state, ...next };
    publicState.set(state.publicState);
  };
  const setAlarm = (ms: number, alarm: "renewal" | "retry") => {
    clearTimeout(timer);
    timer = setTimeout(() => handle({ alarm }), Math.max(0, Math.min(ms, 2 ** 31 - 1)));
  };
  /** Changes to a state without a token, which needs no timer. */
  const stop = (next: SessionManagerState) => {
    clearTimeout(timer);
    update(next);
  };
  /** Runs one task at a time. Concurrent callers get the promise of the running task. */
  const runExclusively = (work: () => Promise<void>): Promise<void> => {
    if (running !== null) return running;
    update({ isRunning: true });
    running = work().finally(() => {
      running = null;
      update({ isRunning: false });
    });
    return running;
  };
  const renew = () => runExclusively(refresh);
  const handleRecordChange = () => handle({ hasChanged: true, record: records.read() });

  const channel = createChannel({
    tokenToShare: () => tokenToShare(state, records.read(), Date.now()),
    onToken: (shared) => void adoptShared(shared),
    onChange: handleRecordChange,
  });

  /** Applies an event and runs actions until none is left. */
  function handle(change: Partial<SessionManagerState>) {
    update({ ...change, isPaused: isPaused() });
    for (;;) {
      const { record } = state;
      const action = nextAction(state, Date.now());
      if (action === "idle") return update({ hasChanged: false, alarm: "none", woken: null });
      if (action === "renew" || action === "report-reachable")
        update({ hasChanged: false, alarm: "none", woken: null });
      else update({ hasChanged: false });
      if (action === "leave") stop(asSignedOut(state));
      else if (action === "end") stop(asEnded(state));
      else if (action === "await") void running?.then(handleRecordChange);
      else if (action === "renew") void renew();
      else if (action === "report-reachable") onReachable();
      else if (record !== null) {
        if (action === "adopt-other-user") stop(asLoading(state));
        void runExclusively(() => adoptSharedOrRefresh(record));
      }
    }
  }

  function adopt(token: SharedToken, user: NonNullable<SessionState["user"]>) {
    update(asSignedIn(state, token, user));
    setAlarm(remaining(state, Date.now()) - renewalLead(token.life), "renewal");
    onReachable();
  }

  /** Adopts a token that another tab shared. Returns false if the token does not belong to the record. */
  function adoptShared(shared: SharedToken | null): boolean {
    const user = userOfSharedToken(shared, records.read());
    if (shared === null || user === null) return false;
    if (state.token?.generation !== shared.generation || remaining(state, Date.now()) <= 0) adopt(shared, user);
    return true;
  }

  async function adoptSharedOrRefresh({ generation }: SessionRecord) {
    const isAdopted = adoptShared(await channel.requestToken(generation, MAX_WAIT));
    if (!isAdopted && (state.token === null || isDue(state, Date.now()))) await refresh();
  }

  async function refresh() {
    const adapter = await loadAdapter().catch(() => null);
    if (adapter === null) return scheduleRetry(null);
    for (;;) {
      const tokenGeneration = state.generation;
      const outcome = await refreshOnce({ adapter, records, lock }, tokenGeneration);
      if (outcome.kind !== "newer" && outcome.kind !== "waited") return apply(outcome);
      // The other tab's token may have arrived meanwhile.
      if (state.generation > tokenGeneration) return;
      const next = outcome.kind === "newer" ? outcome.record.generation : tokenGeneration + 1;
      if (adoptShared(await channel.requestToken(next, MAX_WAIT))) return;
      if (outcome.kind === "newer") update({ generation: next });
    }
  }

  function apply(outcome: Exclude<Outcome, { kind: "newer" | "waited" }>) {
    switch (outcome.kind) {
      case "rotated": {
        const { record, tokens } = outcome;
        return adopt(share(record.generation, tokens), readClaims(tokens.accessToken).user);
      }
      case "pending":
        return stop(asPending(state, records.read()?.user ?? null, outcome.code));
      case "later":
        return scheduleRetry(outcome.wait);
      case "gone":
        return stop(records.read() === null ? asSignedOut(state) : asEnded(state));
      case "ended":
        channel.announceChange();
        return stop(asEnded(state));
      case "dropped":
        channel.announceChange();
        return stop(asSignedOut(state));
    }
  }

  /** Keeps the session after a refresh without a response, and retries. */
  function scheduleRetry(seconds: number | null) {
    setAlarm(Math.max((seconds ?? 0) * 1000, retryDelay(state.attempt)), "retry");
    const user = records.read()?.user ?? null;
    update(asReconnecting(state, { isDelayed: seconds !== null, user, now: Date.now() }));
  }

  /** Shares new tokens with the other tabs. */
  function share(generation: number, { accessToken, expiresIn }: Tokens): SharedToken {
    const life = expiresIn * 1000;
    const token = { generation, accessToken, until: Date.now() + life, life };
    channel.shareToken(token);
    return token;
  }

  function tokensToEnd(): TokensToEnd {
    const refreshToken = records.read()?.refreshToken;
    return refreshToken ? { accessToken: state.token?.accessToken ?? null, refreshToken } : null;
  }

  return {
    state: publicState as Readable<SessionState>,
    renew,

    /** Resumes the stored session with the token of another tab, else with a refresh. */
    start() {
      records.listen(handleRecordChange);
      onWake((hasPossiblyMissedMessages) => {
        const woken = state.publicState.status;
        handle(hasPossiblyMissedMessages ? { woken, hasChanged: true, record: records.read() } : { woken });
      });
      const record = records.read();
      // Removes a record of another service or company.
      if (record === null) return records.clear();
      if (record.refreshToken === null) return;
      update({ ...asLoading(state), generation: record.generation });
      void loadAdapter().catch(() => null);
      void runExclusively(() => adoptSharedOrRefresh(record));
    },

    /** Returns a token that is valid for `minTtl` seconds or was received just now. Returns null without a session. */
    async token(minTtl: number): Promise<SharedToken | null> {
      const { status } = state.publicState;
      if (status !== "signed-in" && status !== "reconnecting" && status !== "loading") return null;
      if (!isValidFor(state, minTtl, Date.now()) && !isPaused()) await renew();
      return remaining(state, Date.now()) > 0 ? state.token : null;
    },

    /**
     * Stores received tokens as the session of this browser and passes the replaced tokens to `onReplaced`. Throws
     * `company_mismatch` if the tokens belong to another company than the configured one.
     */
    accept(tokens: Tokens, onReplaced: (replaced: TokensToEnd) => void) {
      const claims = readClaims(tokens.accessToken);
      if (owner.companyId !== null && claims.user.companyId !== owner.companyId)
        throw serviceError("company_mismatch", { status: 403 });
      const replaced = tokensToEnd();
      // Generations start at the current time, so that they increase even after a sign-out has deleted the record.
      const generation = Math.max(Date.now(), state.generation + 1);
      records.write({ generation, refreshToken: tokens.refreshToken, user: claims.user });
      adopt(share(generation, tokens), claims.user);
      onReplaced(replaced);
      return claims;
    },

    /** Deletes the session in all tabs. Returns the tokens that the service must revoke. */
    forget(): TokensToEnd {
      const session = tokensToEnd();
      records.clear();
      channel.announceChange();
      stop(asSignedOut(state));
      return session;
    },

    /** Changes an ended session to signed out. Call when the user goes to the sign-in page after the session has ended. */
    acknowledgeEnd() {
      const { status, user } = state.publicState;
      if (status !== "expired") return;
      stop(asSignedOut(state));
      update({ lastEmail: user?.email ?? "" });
    },

    /** Returns the email of the user whose session ended in this tab. Later calls return an empty string. */
    consumeLastEmail(): string {
      const email = state.lastEmail;
      update({ lastEmail: "" });
      return email;
    },
  };
}
