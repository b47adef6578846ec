import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import worker from "../../../workers/hosting/worker";
import { countRoundTrips } from "../db/counted-database";
import { createIdentityDouble, type Introspect } from "../identity/identity-double";
import { nextTick, tick } from "../jobs/jobs";

/** The bindings that vitest.config.ts gives the Worker. */
export const testEnv = env as unknown as HostingBindings;

let lastCompany = 100_000 + Math.floor(Math.random() * 1_000_000_000);

/** A company that no other test uses. */
export function freshCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

type Options = {
  /** bindings and variables over those of test/support/settings.ts; undefined takes one away */
  vars?: { [Name in keyof HostingBindings]?: HostingBindings[Name] | undefined };
  introspect?: Introspect;
};

/** The Worker over the real database, queues and Durable Objects; identity is a double with its own key. */
export async function startHosting(options: Options = {}) {
  const identity = await createIdentityDouble(options.introspect);
  const database = countRoundTrips(testEnv.DB);
  const bindings = {
    ...testEnv,
    DB: database.db,
    ...identity.bindings,
    ...options.vars,
  } as HostingBindings;

  type Init = RequestInit & { bearer?: string; json?: unknown; bindings?: Partial<HostingBindings> };

  /** Calls the Worker by its front door; `bindings` of the call go over those of the harness. */
  async function call(path: string, init: Init = {}): Promise<Response> {
    const { bearer, json, bindings: own, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    const request = new Request(`http://hosting.localhost${path}`, {
      method: json === undefined ? "GET" : "POST",
      ...rest,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const ctx = createExecutionContext();
    const response = await worker.fetch(request as never, own ? { ...bindings, ...own } : bindings, ctx);
    // A stream ends within what the Worker waits for: it has to be read first.
    const body = await response.arrayBuffer();
    await waitOnExecutionContext(ctx);
    return new Response([204, 304].includes(response.status) ? null : body, response);
  }

  return {
    bindings,
    call,
    introspected: identity.introspected,
    told: identity.told,
    setIdentityAway: identity.setAway,
    token: identity.token,
    revoke: identity.revoke,
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
