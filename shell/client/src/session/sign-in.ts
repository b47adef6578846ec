import type { PageBackend } from "../../../../schemas/shell/page.ts";
import { safeNext } from "../router/next.ts";
import type { Adapter, SessionUser, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { type CallbackAddress, readCallback } from "./callback.ts";
import { forgetPendingLink } from "./pending-key.ts";
import { callbackAddress, consumeFlow, type Flow, startFlow } from "./pkce.ts";
import { type ServiceError, serviceError, toServiceError } from "./service-error.ts";
import type { Session } from "./session.ts";

export type { CallbackAddress } from "./callback.ts";

/** A command line tool that is signing in: its redirect address and its PKCE challenge. */
export type CommandLine = { redirectTo: string; challenge: string };

/** Result of a sign-in callback. */
export type CallbackResult =
  | { kind: "signed-in"; user: SessionUser; next: string; isLink: boolean }
  /** another user is signed in and must confirm */
  | { kind: "ask"; user: SessionUser; current: SessionUser; tokens: Tokens; next: string }
  /** `provider` is set when the sign-in started in this browser */
  | { kind: "refused"; error: ServiceError; next: string; provider?: string }
  /** the address contains no sign-in */
  | { kind: "nothing"; next: string };

/** Stores the sign-in method, so that it is offered first next time. */
export function rememberMethod(method: string): void {
  forgetPendingLink();
  try {
    localStorage.setItem("platform:last-login", method);
  } catch {
    // Without storage, the next visit has no preferred method.
  }
}

/** The code exchanges of this page by address, because a code can be exchanged only once. */
const callbackResults = new Map<string, Promise<CallbackResult>>();
/** Sign-in flows (pkce.ts) by state, kept for retries on the same page after they were removed from storage. */
const flows = new Map<string, Flow>();

/** Returns the sign-in operations. This module is loaded only when one of them is needed. */
export function signInWith(backend: PageBackend, session: Session, adapter: () => Promise<Adapter>) {
  const { origin } = location;
  const acceptTokens = (tokens: Tokens, method: string) => {
    const user = session.accept(tokens);
    rememberMethod(method);
    return user;
  };

  async function tokensOf(callback: ReturnType<typeof readCallback>, flow: Flow | null): Promise<Tokens> {
    if (callback.tokens !== undefined) return callback.tokens;
    const { code, redirectTo } = callback;
    // A Supabase code can be exchanged only with the verifier in the flow.
    if (code === undefined || (backend.type === "supabase" && flow === null)) throw serviceError("auth_code_invalid");
    const service = await adapter();
    return service.exchangeCode(
      flow === null ? { code, redirectTo } : { code, redirectTo: flow.redirectTo, verifier: flow.verifier },
    );
  }

  async function finishCallback(address: CallbackAddress): Promise<CallbackResult> {
    const callback = readCallback(address, backend.type);
    const flow = callback.state === undefined ? null : (flows.get(callback.state) ?? consumeFlow(callback.state));
    if (callback.state !== undefined && flow !== null) flows.set(callback.state, flow);
    const next = safeNext(flow?.next ?? callback.next, origin);
    const refuse = (error: unknown): CallbackResult => ({
      kind: "refused",
      error: toServiceError(error),
      next,
      ...(flow !== null && { provider: flow.provider }),
    });
    if (callback.error !== undefined) return refuse(serviceError(callback.error, { status: 400 }));
    if (callback.code === undefined && callback.tokens === undefined) return { kind: "nothing", next };
    if (callback.state !== undefined && flow === null)
      return refuse(serviceError("invalid_oauth_state", { status: 400 }));
    try {
      const tokens = await tokensOf(callback, flow);
      const { user } = readClaims(tokens.accessToken);
      const current = await currentUser(session);
      if (flow === null && current !== null && current.id !== user.id)
        return { kind: "ask", user, current, tokens, next };
      return {
        kind: "signed-in",
        user: acceptTokens(tokens, flow?.provider ?? "magic_link"),
        next,
        isLink: flow === null,
      };
    } catch (error) {
      return refuse(error);
    }
  }

  return {
    async requestMagicLink({ email, next, language, cli }: Parameters<Session["requestMagicLink"]>[0]) {
      const redirectTo = cli?.redirectTo ?? callbackAddress(origin, safeNext(next, origin));
      const proof = cli && { challenge: cli.challenge };
      await (await adapter()).requestLink({ email: email.trim(), redirectTo, language, ...proof });
    },
    async submitCode(typed: { email: string; code: string }) {
      return acceptTokens(await (await adapter()).verifyCode(typed), "magic_link");
    },
    async signInWithWallet() {
      const service = await adapter();
      if (service.signInWithWallet === undefined) throw serviceError("provider_disabled");
      return acceptTokens(await service.signInWithWallet(), "web3");
    },
    async startOAuth({ provider, next, cli }: Parameters<Session["startOAuth"]>[0]) {
      const service = await adapter();
      const flow = cli ?? (await startFlow(origin, { provider, next: safeNext(next, origin) }));
      location.assign(service.authorizeUrl({ provider, ...flow }));
    },
    exchangeCode(address: CallbackAddress): Promise<CallbackResult> {
      const key = `${address.attempt ?? 0}${address.search}${address.hash}`;
      const existing = callbackResults.get(key);
      if (existing !== undefined) return existing;
      const started = finishCallback(address);
      callbackResults.set(key, started);
      return started;
    },
  };
}

/** Resolves with the signed-in user, or null if nobody is signed in. Waits at most 5 s until the session has loaded. */
function currentUser({ state }: Session): Promise<SessionUser | null> {
  return new Promise((done) => {
    let unsubscribe: () => void = () => undefined;
    const finish = () => {
      clearTimeout(timer);
      unsubscribe();
      const { status, user } = state.get();
      done(status === "signed-in" || status === "reconnecting" ? user : null);
    };
    const timer = setTimeout(finish, 5_000);
    unsubscribe = state.subscribe(() => state.get().status !== "loading" && finish());
    if (state.get().status !== "loading") finish();
  });
}
