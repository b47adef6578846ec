import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import type { Log } from "../../../workers/kit/log";
import type { SiblingBindings } from "../../../workers/kit/sibling-services";
import type { WebhooksContext } from "../../../workers/kit/webhooks/context";
import { countRoundTrips } from "../db/counted-database";
import { createIdentityDouble, type Introspect } from "../identity/identity-double";
import { nextTick, tick } from "../jobs/jobs";
import { mergeOnce } from "../merged-bindings";

let lastCompany = 100_000 + Math.floor(Math.random() * 1_000_000_000);

/** Returns the id of a company that no other test uses. */
export function freshCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

/** The default export of a Worker other than identity. */
type Worker<B> = {
  fetch: (request: never, env: B, ctx: ReturnType<typeof createExecutionContext>) => Response | Promise<Response>;
  scheduled: Parameters<typeof tick<B>>[0]["scheduled"];
};

export type SiblingOptions<B> = {
  /** bindings and variables that override test/support/settings.ts; undefined removes an entry */
  vars?: { [Name in keyof B]?: B[Name] | undefined };
  introspect?: Introspect;
};

/** A service other than identity, as the shared suites use it. */
export type Sibling = {
  service: string;
  worker: Worker<SiblingBindings> & {
    queue: (batch: MessageBatch<unknown>, env: SiblingBindings, ctx: ExecutionContext) => Promise<void>;
  };
  services: (
    env: SiblingBindings,
    request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
  ) => { webhooks: WebhooksContext };
  /** the bindings of the Worker in vitest.config.ts */
  testEnv: SiblingBindings & { OPERATOR_KEY?: string | undefined };
  start: (options?: { vars?: Record<string, unknown>; introspect?: Introspect }) => Promise<SiblingHarness>;
};

type SiblingHarness = Awaited<ReturnType<typeof startSibling<SiblingBindings>>>;

/**
 * Starts a Worker other than identity with the real database, queues and Durable Objects. Identity is a test double
 * with its own signing key.
 */
export async function startSibling<B extends SiblingBindings>(
  service: string,
  worker: Worker<B>,
  options: SiblingOptions<B> = {},
) {
  const identity = await createIdentityDouble(options.introspect);
  const testEnv = env as unknown as B;
  const database = countRoundTrips(testEnv.DB);
  const bindings = { ...testEnv, DB: database.db, ...identity.bindings, ...options.vars } as B;
  const streaming: ReturnType<typeof createExecutionContext>[] = [];

  type Init = RequestInit & {
    bearer?: string;
    json?: unknown;
    bindings?: Partial<B>;
    /** returns the response with its body unread; `settle` waits for the Worker's remaining work */
    isStream?: boolean;
  };

  const bindingsWith = mergeOnce(bindings);

  /** Sends a request to the Worker; `bindings` override the bindings of the harness. */
  async function call(path: string, init: Init = {}): Promise<Response> {
    const { bearer, json, bindings: requestBindings, isStream, ...requestInit } = init;
    const headers = new Headers(requestInit.headers);
    if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    const request = new Request(`http://${service}.localhost${path}`, {
      method: json === undefined ? "GET" : "POST",
      ...requestInit,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const ctx = createExecutionContext();
    const response = await worker.fetch(request as never, bindingsWith(requestBindings), ctx);
    if (isStream) {
      streaming.push(ctx);
      return response;
    }
    // A streamed body must be read first, because the Worker's background work includes it.
    const body = await response.arrayBuffer();
    await waitOnExecutionContext(ctx);
    const isEmpty = requestInit.method === "HEAD" || [204, 304].includes(response.status);
    return new Response(isEmpty ? null : body, response);
  }

  return {
    bindings,
    call,
    /** Waits for the Worker's remaining work after `isStream` calls. Read their bodies first. */
    settle: async () => void (await Promise.all(streaming.splice(0).map((ctx) => waitOnExecutionContext(ctx)))),
    identity,
    introspected: identity.introspected,
    ruleNotices: identity.ruleNotices,
    setIdentityAway: identity.setUnavailable,
    token: identity.token,
    revoke: identity.revoke,
    removeMember: identity.removeMember,
    /** the number of D1 calls so far */
    roundTrips: database.count,
    /** Runs a Cron Trigger, by default at a unique time (ms since the epoch). */
    runCron: (cron: string, scheduledTime = nextTick()) => tick(worker, bindings, cron, scheduledTime),
  };
}

/** Returns the status and error code of a response. */
export async function readError(response: Response): Promise<[number, string | undefined]> {
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return [response.status, isJson ? (JSON.parse(text) as { error_code?: string }).error_code : undefined];
}
