import { createStore, type Readable } from "../store.ts";
import type { Adapter, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import {
  adopted,
  ended,
  isDue,
  isGoodFor,
  type KeeperState,
  left,
  loading,
  missed,
  newKeeperState,
  nextAction,
  personOf,
  refused,
  remaining,
  type SessionState,
  tokenToShare,
} from "./keeper-state.ts";
import { leadOf, type Outcome, refreshOnce, retryWait } from "./refresh.ts";
import { refusal } from "./refusal.ts";
import { createChannel, type SharedToken } from "./tabs/channel.ts";
import { createLock } from "./tabs/lock.ts";
import { createRecords, type Owner, type SessionRecord } from "./tabs/record.ts";
import { followWakes } from "./tabs/wakes.ts";

/** How long the other tabs are given to hand over their token, ms. */
const PATIENCE = 150;

type Parts = {
  owner: Owner;
  loadAdapter: () => Promise<Adapter>;
  isPaused: () => boolean;
  /** the service answers, or may again, and somebody is signed in */
  reached: () => void;
};

/** Tokens of a session that is over here. */
export type Spent = { accessToken: string | null; refreshToken: string } | null;

/**
 * Keeps the session of this tab: the access token in memory, the record in the storage, both in step with the other tabs. What it
 * does next is decided in keeper-state.ts; this carries it out.
 */
export function createKeeper({ owner, loadAdapter, isPaused, reached }: Parts) {
  let state: KeeperState = newKeeperState;
  const shown = createStore<SessionState>(state.shown);
  const records = createRecords(owner);
  const lock = createLock();
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const update = (next: Partial<KeeperState>) => {
    state = { ...state, ...next };
    shown.set(state.shown);
  };
  const setAlarm = (ms: number, alarm: "renewal" | "retry") => {
    clearTimeout(timer);
    timer = setTimeout(() => happened({ alarm }), Math.max(0, Math.min(ms, 2 ** 31 - 1)));
  };
  /** A session without a token has nothing to wait for. */
  const stop = (next: KeeperState) => {
    clearTimeout(timer);
    update(next);
  };
  /** One piece of work at a time; who comes meanwhile waits for it. */
  const once = (work: () => Promise<void>): Promise<void> => {
    if (running !== null) return running;
    update({ isRunning: true });
    running = work().finally(() => {
      running = null;
      update({ isRunning: false });
    });
    return running;
  };
  const renew = () => once(refresh);
  const changed = () => happened({ hasChanged: true, record: records.read() });

  const channel = createChannel({
    mine: () => tokenToShare(state, records.read(), Date.now()),
    token: (shared) => void adoptShared(shared),
    changed,
  });

  /** Answers what happened, until there is nothing to do. */
  function happened(what: Partial<KeeperState>) {
    update({ ...what, isPaused: isPaused() });
    for (;;) {
      const { record } = state;
      const action = nextAction(state, Date.now());
      if (action === "rest") return update({ hasChanged: false, alarm: "none", woken: null });
      if (action === "renew" || action === "reached") update({ hasChanged: false, alarm: "none", woken: null });
      else update({ hasChanged: false });
      if (action === "leave") stop(left(state));
      else if (action === "end") stop(ended(state));
      else if (action === "await") void running?.then(changed);
      else if (action === "renew") void renew();
      else if (action === "reached") reached();
      else if (record !== null) {
        if (action === "take-another") stop(loading(state));
        void once(() => take(record));
      }
    }
  }

  function adopt(token: SharedToken, user: NonNullable<SessionState["user"]>) {
    update(adopted(state, token, user));
    setAlarm(remaining(state, Date.now()) - leadOf(token.life), "renewal");
    reached();
  }

  /** Takes over what another tab handed out, when it belongs to the record. */
  function adoptShared(shared: SharedToken | null): boolean {
    const user = personOf(shared, records.read());
    if (shared === null || user === null) return false;
    if (state.held?.generation !== shared.generation || remaining(state, Date.now()) <= 0) adopt(shared, user);
    return true;
  }

  async function take({ generation }: SessionRecord) {
    const isTaken = adoptShared(await channel.ask(generation, PATIENCE));
    if (!isTaken && (state.held === null || isDue(state, Date.now()))) await refresh();
  }

  async function refresh() {
    const adapter = await loadAdapter().catch(() => null);
    if (adapter === null) return later(null);
    for (;;) {
      const before = state.known;
      const outcome = await refreshOnce({ adapter, records, lock }, before);
      if (outcome.kind !== "newer" && outcome.kind !== "waited") return apply(outcome);
      // Its token may have come meanwhile.
      if (state.known > before) return;
      const next = outcome.kind === "newer" ? outcome.record.generation : before + 1;
      if (adoptShared(await channel.ask(next, PATIENCE))) return;
      if (outcome.kind === "newer") update({ known: next });
    }
  }

  function apply(outcome: Exclude<Outcome, { kind: "newer" | "waited" }>) {
    switch (outcome.kind) {
      case "rotated": {
        const { record, tokens } = outcome;
        return adopt(share(record.generation, tokens), readClaims(tokens.accessToken).user);
      }
      case "pending":
        return stop(refused(state, records.read()?.user ?? null, outcome.code));
      case "later":
        return later(outcome.wait);
      case "gone":
        return stop(records.read() === null ? left(state) : ended(state));
      case "ended":
        channel.announce();
        return stop(ended(state));
      case "dropped":
        channel.announce();
        return stop(left(state));
    }
  }

  /** No answer: the session stays, and is tried again. */
  function later(seconds: number | null) {
    setAlarm(Math.max((seconds ?? 0) * 1000, retryWait(state.attempt)), "retry");
    const user = records.read()?.user ?? null;
    update(missed(state, { isPutOff: seconds !== null, user, now: Date.now() }));
  }

  /** Hands new tokens to the other tabs. */
  function share(generation: number, { accessToken, expiresIn }: Tokens): SharedToken {
    const life = expiresIn * 1000;
    const token = { generation, accessToken, until: Date.now() + life, life };
    channel.tell(token);
    return token;
  }

  function spent(): Spent {
    const refreshToken = records.read()?.refreshToken;
    return refreshToken ? { accessToken: state.held?.accessToken ?? null, refreshToken } : null;
  }

  return {
    state: shown as Readable<SessionState>,
    renew,

    /** Begins: with what another tab has, else with a refresh. */
    start() {
      records.listen(changed);
      followWakes((isBack) => {
        const woken = state.shown.status;
        happened(isBack ? { woken, hasChanged: true, record: records.read() } : { woken });
      });
      const record = records.read();
      // One of another service or company is kept for nobody.
      if (record === null) return records.clear();
      if (record.refreshToken === null) return;
      update({ ...loading(state), known: record.generation });
      void loadAdapter().catch(() => null);
      void once(() => take(record));
    },

    /** A token that is good for so many seconds, or came just now; null without a session. */
    async token(minTtl: number): Promise<SharedToken | null> {
      const { status } = state.shown;
      if (status !== "signed-in" && status !== "reconnecting" && status !== "loading") return null;
      if (!isGoodFor(state, minTtl, Date.now()) && !isPaused()) await renew();
      return remaining(state, Date.now()) > 0 ? state.held : null;
    },

    /** Makes received tokens the session of this browser, and hands those that they replace to `end`. */
    accept(tokens: Tokens, end: (replaced: Spent) => void) {
      const claims = readClaims(tokens.accessToken);
      if (owner.companyId !== null && claims.user.companyId !== owner.companyId)
        throw refusal("company_mismatch", { status: 403 });
      const replaced = spent();
      // Time as the first generation keeps it growing over sign-outs.
      const generation = Math.max(Date.now(), state.known + 1);
      records.write({ generation, refreshToken: tokens.refreshToken, user: claims.user });
      adopt(share(generation, tokens), claims.user);
      end(replaced);
      return claims;
    },

    /** Forgets the session here and in all tabs. Returns what the service has to end. */
    forget(): Spent {
      const session = spent();
      records.clear();
      channel.announce();
      stop(left(state));
      return session;
    },

    /** The person has seen that the session ended. */
    acknowledgeEnd() {
      const { status, user } = state.shown;
      if (status !== "expired") return;
      stop(left(state));
      update({ lastEmail: user?.email ?? "" });
    },

    /** The address of whose session ended here, handed out once. */
    takeLastEmail(): string {
      const email = state.lastEmail;
      update({ lastEmail: "" });
      return email;
    },
  };
}
