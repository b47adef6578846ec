import { createStore, type Readable } from "../store.ts";
import type { Adapter, SessionUser, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { leadOf, type Outcome, refreshOnce, retryWait } from "./refresh.ts";
import { refusal } from "./refusal.ts";
import { createChannel, type SharedToken } from "./tabs/channel.ts";
import { createLock } from "./tabs/lock.ts";
import { createRecords, type Owner, type SessionRecord } from "./tabs/record.ts";
import { followWakes } from "./tabs/wakes.ts";

type SessionStatus = "none" | "loading" | "signed-out" | "signed-in" | "pending" | "expired" | "reconnecting";
/** `error`: code of the refusal while it is `pending`. */
export type SessionState = { status: SessionStatus; user: SessionUser | null; error: string | null };

/** How long the other tabs are given to hand over their token, ms. */
const PATIENCE = 150;
/** Age up to which a token is not renewed for want of time left, ms: one that asks for more than a whole life asks in vain. */
const JUST_NOW = 10_000;

type Parts = {
  owner: Owner;
  loadAdapter: () => Promise<Adapter>;
  isPaused: () => boolean;
  /** the service answers, or may again, and somebody is signed in */
  reached: () => void;
};

/** Tokens of a session that is over here. */
export type Spent = { accessToken: string | null; refreshToken: string } | null;

/** Keeps the session of this tab: the access token in memory, the record in the storage, both in step with the other tabs. */
export function createKeeper({ owner, loadAdapter, isPaused, reached }: Parts) {
  const state = createStore<SessionState>({ status: "signed-out", user: null, error: null });
  const records = createRecords(owner);
  const lock = createLock();
  let held: SharedToken | null = null;
  /** newest generation that was seen here */
  let known = 0;
  let running: Promise<void> | null = null;
  let attempt = 0;
  /** address of whose session ended here, until somebody is signed in or out */
  let lastEmail = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const remaining = () => (held === null ? 0 : held.until - Date.now());
  const isDue = () => held !== null && remaining() <= leadOf(held.life);
  const show = (status: SessionStatus, user: SessionUser | null, error: string | null = null) =>
    state.set({ status, user, error });
  const wait = (ms: number, run: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, Math.min(ms, 2 ** 31 - 1)));
  };
  const drop = () => {
    held = null;
    clearTimeout(timer);
  };
  /** One piece of work at a time; who comes meanwhile waits for it. */
  const once = (work: () => Promise<void>): Promise<void> => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };

  const channel = createChannel({
    mine: () => (held !== null && remaining() > 30_000 && records.read()?.generation === held.generation ? held : null),
    token: (shared) => void adoptShared(shared),
    changed: sync,
  });

  function adopt(token: SharedToken, user: SessionUser) {
    held = token;
    known = token.generation;
    attempt = 0;
    lastEmail = "";
    show("signed-in", user);
    wait(remaining() - leadOf(token.life), () => {
      if (!isPaused()) void renew();
    });
    reached();
  }

  /** Takes over what another tab handed out, when it belongs to the record, which may be behind what tabs tell each other. */
  function adoptShared(shared: SharedToken | null): boolean {
    const record = records.read();
    if (shared === null || record === null || record.user === null || record.generation > shared.generation)
      return false;
    const user = record.generation === shared.generation ? record.user : readClaims(shared.accessToken).user;
    if (user.id !== record.user.id) return false;
    if (held?.generation !== shared.generation || remaining() <= 0) adopt(shared, user);
    return true;
  }

  function leave() {
    drop();
    lastEmail = "";
    if (state.get().status !== "signed-out") show("signed-out", null);
  }

  /** The service ended the session. Who was using it is asked; who was about to is not. */
  function end() {
    drop();
    const { status, user } = state.get();
    if (status === "expired") return;
    if ((status === "signed-in" || status === "reconnecting") && user !== null) show("expired", user);
    else leave();
  }

  /** Follows the record, which another tab has changed. */
  function sync() {
    const record = records.read();
    if (record === null) return leave();
    if (record.refreshToken === null) return end();
    if (held !== null && record.generation <= known) return;
    if (running !== null) return void running.then(sync);
    if (state.get().user?.id !== record.user?.id) {
      drop();
      show("loading", null);
    }
    void once(() => take(record));
  }

  async function take({ generation }: SessionRecord) {
    const isTaken = adoptShared(await channel.ask(generation, PATIENCE));
    if (!isTaken && (held === null || isDue())) await refresh();
  }

  async function refresh() {
    const adapter = await loadAdapter().catch(() => null);
    if (adapter === null) return later(null);
    for (;;) {
      const before = known;
      const outcome = await refreshOnce({ adapter, records, lock }, before);
      if (outcome.kind !== "newer" && outcome.kind !== "waited") return apply(outcome);
      // Its token may have come meanwhile.
      if (known > before) return;
      const next = outcome.kind === "newer" ? outcome.record.generation : before + 1;
      if (adoptShared(await channel.ask(next, PATIENCE))) return;
      if (outcome.kind === "newer") known = next;
    }
  }

  function apply(outcome: Exclude<Outcome, { kind: "newer" | "waited" }>) {
    switch (outcome.kind) {
      case "rotated": {
        const { record, tokens } = outcome;
        const token = share(record.generation, tokens);
        channel.tell(token);
        return adopt(token, readClaims(tokens.accessToken).user);
      }
      case "pending":
        drop();
        return show("pending", records.read()?.user ?? null, outcome.code);
      case "later":
        return later(outcome.wait);
      case "gone": {
        const record = records.read();
        return record === null ? leave() : end();
      }
      case "ended":
        channel.announce();
        return end();
      case "dropped":
        channel.announce();
        return leave();
    }
  }

  /** No answer: the session stays, and is tried again. */
  function later(seconds: number | null) {
    wait(Math.max((seconds ?? 0) * 1000, retryWait(attempt)), () => void renew());
    attempt += 1;
    const { status, user } = state.get();
    // A service that only wants to be asked later is no trouble while the token holds.
    if (seconds !== null && remaining() > 30_000) return;
    if (status !== "reconnecting") show("reconnecting", user ?? records.read()?.user ?? null);
  }

  const share = (generation: number, { accessToken, expiresIn }: Tokens): SharedToken => {
    const life = expiresIn * 1000;
    return { generation, accessToken, until: Date.now() + life, life };
  };

  const renew = () => once(refresh);
  const spent = (): Spent => {
    const refreshToken = records.read()?.refreshToken;
    return refreshToken ? { accessToken: held?.accessToken ?? null, refreshToken } : null;
  };

  return {
    state: state as Readable<SessionState>,
    renew,

    /** Begins: with what another tab has, else with a refresh. */
    start() {
      records.listen(sync);
      followWakes((isBack) => {
        const { status } = state.get();
        if (isBack) sync();
        if (status === "reconnecting" || (status === "signed-in" && isDue() && !isPaused())) void renew();
        else if (status === "signed-in") reached();
      });
      const record = records.read();
      // One of another service or company is kept for nobody.
      if (record === null) return records.clear();
      if (record.refreshToken === null) return;
      known = record.generation;
      show("loading", null);
      void loadAdapter().catch(() => null);
      void once(() => take(record));
    },

    /** A token that is good for so many seconds, or came just now; null without a session. */
    async token(minTtl: number): Promise<SharedToken | null> {
      const { status } = state.get();
      if (status !== "signed-in" && status !== "reconnecting" && status !== "loading") return null;
      const isGood = () =>
        held !== null && remaining() >= Math.min(minTtl * 1000, Math.max(held.life - JUST_NOW, held.life / 2));
      if (!isGood() && !isPaused()) await renew();
      return remaining() > 0 ? held : null;
    },

    /** Makes received tokens the session of this browser, and hands those that they replace to `end`. */
    accept(tokens: Tokens, end: (replaced: Spent) => void) {
      const claims = readClaims(tokens.accessToken);
      if (owner.companyId !== null && claims.user.companyId !== owner.companyId)
        throw refusal("company_mismatch", { status: 403 });
      const replaced = spent();
      // Time as the first generation keeps it growing over sign-outs.
      const generation = Math.max(Date.now(), known + 1);
      records.write({ generation, refreshToken: tokens.refreshToken, user: claims.user });
      const token = share(generation, tokens);
      channel.tell(token);
      adopt(token, claims.user);
      end(replaced);
      return claims;
    },

    /** Forgets the session here and in all tabs. Returns what the service has to end. */
    forget(): Spent {
      const session = spent();
      records.clear();
      channel.announce();
      leave();
      return session;
    },

    /** The person has seen that the session ended. */
    acknowledgeEnd() {
      const { status, user } = state.get();
      if (status !== "expired") return;
      leave();
      lastEmail = user?.email ?? "";
    },

    /** The address of whose session ended here, handed out once. */
    takeLastEmail(): string {
      const email = lastEmail;
      lastEmail = "";
      return email;
    },
  };
}
