import type { PageBackend, PageData } from "../../../../schemas/shell/page.ts";
import type { LocalSettings } from "../shell/settings.ts";
import { createStore, type Readable, type Store } from "../store.ts";
import {
  type Adapter,
  type LiveSettings,
  loadAdapter,
  type Preferences,
  type SessionUser,
  type Tokens,
} from "./adapters/adapter.ts";
import { forgetPendingLink } from "./pending-key.ts";
import { createPreferenceSync } from "./preferences.ts";
import { serviceError, toServiceError } from "./service-error.ts";
import { createSessionManager, type TokensToEnd } from "./session-manager.ts";
import type { SessionState } from "./session-manager-state.ts";
import type { CallbackAddress, CallbackResult, CommandLine } from "./sign-in.ts";

export type { SessionUser } from "./adapters/adapter.ts";
export type { SessionState } from "./session-manager-state.ts";

/** An access token. `expiresAt` is in seconds since the epoch by this machine's clock. */
export type AccessToken = { accessToken: string; expiresAt: number };

/** The session of this browser, in sync across its tabs. */
export type Session = {
  state: Readable<SessionState>;
  /**
   * Returns the access token, or null without a session. First renews a token that is valid for less than `minTtl` seconds
   * (default 30), unless it was received just now.
   */
  getAccessToken: (options?: { minTtl?: number }) => Promise<AccessToken | null>;
  refresh: () => Promise<void>;
  /** Ends the session in all tabs and at the service. */
  logout: () => Promise<void>;
  /** Changes an ended session to signed out. Call when the user goes to the sign-in page after the session has ended. */
  acknowledgeEnd: () => void;
  /** Returns the email of the user whose session ended in this tab, for the next sign-in. Later calls return "". */
  consumeLastEmail: () => string;
  /** Returns the available sign-in methods, cached for 60 s. */
  liveSettings: (options?: { fresh?: boolean }) => Promise<LiveSettings>;
  requestMagicLink: (request: { email: string; next: string; language: string; cli?: CommandLine }) => Promise<void>;
  submitCode: (typed: { email: string; code: string }) => Promise<SessionUser>;
  signInWithWallet: () => Promise<SessionUser>;
  /** Redirects to the provider. */
  startOAuth: (request: { provider: string; next: string; cli?: CommandLine }) => Promise<void>;
  /** Completes the sign-in whose callback has this address. */
  exchangeCode: (address: CallbackAddress) => Promise<CallbackResult>;
  /** Stores tokens as the session of this browser and ends the previous session. */
  accept: (tokens: Tokens) => SessionUser;
  /** Revokes tokens that will not become the session. */
  discard: (tokens: Tokens) => Promise<void>;
  /** Sends changed preferences to the account, if a user is signed in. */
  updatePreferences: (change: Preferences) => Promise<void>;
  /** Calls the service with a token. After a 401 response, retries once with a new token. */
  withToken: <Value>(run: (adapter: Adapter, accessToken: string) => Promise<Value>) => Promise<Value>;
};

const LIVE_SETTINGS_MAX_AGE = 60_000;

/** Creates the session of a page. Without a backend, nobody can sign in. */
export function createSession({ config }: Pick<PageData, "config">, settings: Store<LocalSettings>): Session {
  return config.backend === undefined ? withoutBackend() : withBackend(config.backend, settings);
}

function withBackend(backend: PageBackend, settings: Store<LocalSettings>): Session {
  let adapterPromise: Promise<Adapter> | null = null;
  const adapter = () => {
    adapterPromise ??= loadAdapter(backend).catch((error: unknown) => {
      adapterPromise = null;
      throw toServiceError(error);
    });
    return adapterPromise;
  };
  const preferences = createPreferenceSync(settings, (change) =>
    withToken((service, token) => service.savePreferences(token, change)),
  );
  addEventListener("pagehide", preferences.flush);
  const manager = createSessionManager({
    owner: { backend: backend.url, companyId: backend.type === "platform" ? (backend.companyId ?? null) : null },
    loadAdapter: adapter,
    isPaused: () => settings.get().pauseRefresh === true,
    onReachable: () => preferences.retry(),
  });

  const withToken: Session["withToken"] = async (run) => {
    const service = await adapter();
    const token = await manager.token(30);
    if (token === null) throw serviceError("unauthorized", { status: 401 });
    try {
      return await run(service, token.accessToken);
    } catch (error) {
      if (toServiceError(error).status !== 401) throw error;
      await manager.renew();
      const next = await manager.token(0);
      if (next === null || next.accessToken === token.accessToken) throw error;
      return run(service, next.accessToken);
    }
  };

  let live: { at: number; settings: Promise<LiveSettings> } | null = null;
  const liveSettings: Session["liveSettings"] = ({ fresh = false } = {}) => {
    if (fresh || live === null || Date.now() - live.at > LIVE_SETTINGS_MAX_AGE) {
      const request = { at: Date.now(), settings: adapter().then((service) => service.liveSettings()) };
      request.settings.catch(() => {
        if (live === request) live = null;
      });
      live = request;
    }
    return live.settings;
  };

  const endSession = async (session: TokensToEnd) => {
    if (session !== null)
      await adapter()
        .then((service) => service.logout(session))
        .catch(() => undefined);
  };
  const signIn = async () => (await import("./sign-in.ts")).signInWith(backend, session, adapter);

  const session: Session = {
    state: manager.state,
    async getAccessToken({ minTtl = 30 } = {}) {
      const token = await manager.token(minTtl);
      return token && { accessToken: token.accessToken, expiresAt: Math.floor(token.until / 1000) };
    },
    refresh: manager.renew,
    async logout() {
      preferences.forget();
      await endSession(manager.forget());
    },
    acknowledgeEnd: manager.acknowledgeEnd,
    consumeLastEmail: manager.consumeLastEmail,
    liveSettings,
    requestMagicLink: async (request) => (await signIn()).requestMagicLink(request),
    submitCode: async (typed) => (await signIn()).submitCode(typed),
    signInWithWallet: async () => (await signIn()).signInWithWallet(),
    startOAuth: async (request) => (await signIn()).startOAuth(request),
    exchangeCode: async (address) => (await signIn()).exchangeCode(address),
    accept(tokens) {
      const { user, preferences: account } = manager.accept(tokens, (replaced) => void endSession(replaced));
      preferences.merge(account);
      return user;
    },
    discard: ({ accessToken, refreshToken }) => endSession({ accessToken, refreshToken }),
    async updatePreferences(change) {
      const { status } = manager.state.get();
      if (status === "signed-in" || status === "reconnecting" || status === "loading") await preferences.change(change);
    },
    withToken,
  };
  manager.start();
  forgetLinkOnChange(manager.state);
  if (manager.state.get().status === "signed-out") whenIdle(() => void liveSettings().catch(() => undefined));
  return session;
}

/** Deletes the pending link when a user signs in or out in any tab. */
function forgetLinkOnChange(state: Readable<SessionState>) {
  let last = state.get().status;
  state.subscribe(() => {
    const { status } = state.get();
    if (status === "loading" || status === last) return;
    // A resumed session is not a sign-in: the user may have requested a sign-in link for a command line tool and still be
    // waiting for it.
    const isResumed = last === "loading" || last === "reconnecting";
    if (status === "signed-out" || (status === "signed-in" && !isResumed)) forgetPendingLink();
    last = status;
  });
}

function whenIdle(run: () => void) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 5000 });
  else setTimeout(run, 2000);
}

/**
 * Returns a session for a page without a backend. Sign-in operations, `liveSettings` and `withToken` reject; the others do
 * nothing and return an empty result.
 */
function withoutBackend(): Session {
  const rejectNoBackend = () => Promise.reject(serviceError("no_backend"));
  const resolveNothing = () => Promise.resolve();
  return {
    state: createStore<SessionState>({ status: "none", user: null, error: null }),
    getAccessToken: () => Promise.resolve(null),
    refresh: resolveNothing,
    logout: resolveNothing,
    acknowledgeEnd: () => undefined,
    consumeLastEmail: () => "",
    liveSettings: rejectNoBackend,
    requestMagicLink: rejectNoBackend,
    submitCode: rejectNoBackend,
    signInWithWallet: rejectNoBackend,
    startOAuth: rejectNoBackend,
    exchangeCode: rejectNoBackend,
    accept: () => {
      throw serviceError("no_backend");
    },
    discard: resolveNothing,
    updatePreferences: resolveNothing,
    withToken: rejectNoBackend,
  };
}
