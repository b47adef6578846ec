import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import type { Log } from "../../../workers/kit/log";
import type { SiblingBindings } from "../../../workers/kit/sibling-services";
import type { WebhooksContext } from "../../../workers/kit/webhooks/context";
import { countRoundTrips } from "../db/counted-database";
import { createIdentityDouble, type Introspect } from "../identity/identity-double";
import { nextTick, tick } from "../jobs/jobs";

let lastCompany = 100_000 + Math.floor(Math.random() * 1_000_000_000);

/** A company that no other test uses. */
export function freshCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

/** The default export of a Worker beside identity. */
type Worker<B> = {
  fetch: (request: never, env: B, ctx: ReturnType<typeof createExecutionContext>) => Response | Promise<Response>;
  scheduled: Parameters<typeof tick<B>>[0]["scheduled"];
};

export type SiblingOptions<B> = {
  /** bindings and variables over those of test/support/settings.ts; undefined takes one away */
  vars?: { [Name in keyof B]?: B[Name] | undefined };
  introspect?: Introspect;
};

/** A service beside identity, as the suites see it that all such services share. */
export type Sibling = {
  service: string;
  worker: Worker<SiblingBindings> & {
    queue: (batch: MessageBatch<unknown>, env: SiblingBindings, ctx: ExecutionContext) => Promise<void>;
  };
  services: (
    env: SiblingBindings,
    request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
  ) => { webhooks: WebhooksContext };
  /** the bindings that vitest.config.ts gives the Worker */
  testEnv: SiblingBindings & { OPERATOR_KEY?: string | undefined };
  start: (options?: { vars?: Record<string, unknown>; introspect?: Introspect }) => Promise<SiblingHarness>;
};

type SiblingHarness = Awaited<ReturnType<typeof startSibling<SiblingBindings>>>;

/** A Worker beside identity over the real database, queues and Durable Objects; identity is a double with its own key. */
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
    /** the answer is handed over unread; `settle` waits for what the Worker still does */
    isStream?: boolean;
  };

  /** Calls the Worker by its front door; `bindings` of the call go over those of the harness. */
  async function call(path: string, init: Init = {}): Promise<Response> {
    const { bearer, json, bindings: own, isStream, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    const request = new Request(`http://${service}.localhost${path}`, {
      method: json === undefined ? "GET" : "POST",
      ...rest,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const ctx = createExecutionContext();
    const response = await worker.fetch(request as never, own ? { ...bindings, ...own } : bindings, ctx);
    if (isStream) {
      streaming.push(ctx);
      return response;
    }
    // A stream ends within what the Worker waits for: it has to be read first.
    const body = await response.arrayBuffer();
    await waitOnExecutionContext(ctx);
    const isEmpty = rest.method === "HEAD" || [204, 304].includes(response.status);
    return new Response(isEmpty ? null : body, response);
  }

  return {
    bindings,
    call,
    /** Waits for what the Worker does behind answers that were handed over unread; read them first. */
    settle: async () => void (await Promise.all(streaming.splice(0).map((ctx) => waitOnExecutionContext(ctx)))),
    introspected: identity.introspected,
    ruleNotices: identity.ruleNotices,
    setIdentityAway: identity.setAway,
    token: identity.token,
    revoke: identity.revoke,
    removeMember: identity.removeMember,
    /** D1 calls so far */
    roundTrips: database.count,
    /** Rings a Cron Trigger, at a time of its own unless one is given (unix ms). */
    ring: (cron: string, scheduledTime = nextTick()) => tick(worker, bindings, cron, scheduledTime),
  };
}

/** Status and error code of an answer. */
export async function refusalOf(response: Response): Promise<[number, string | undefined]> {
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return [response.status, isJson ? (JSON.parse(text) as { error_code?: string }).error_code : undefined];
}
