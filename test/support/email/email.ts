import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import type { SuppressionHit } from "../../../db/email/rows";
import { service_clients, unsubscribes } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import type { EmailBindings, LaneMessage } from "../../../workers/email/bindings";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import worker from "../../../workers/email/worker";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { countRoundTrips } from "../db/counted-database";
import { createIdentityDouble, type Introspect } from "../identity/identity-double";
import { mergeOnce } from "../merged-bindings";
import { insertRow, suppressHash } from "./rows";

/** The Worker's bindings from vitest.config.ts. */
export const testEnv = env as unknown as EmailBindings;

let lastCompany = 100_000 + Math.floor(Math.random() * 1_000_000_000);

/** Returns the id of a company that no other test uses. */
export function createCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

type Options = {
  /** variables that override test/support/settings.ts; undefined removes a variable */
  vars?: Partial<Record<keyof EmailBindings, string | undefined>>;
  introspect?: Introspect;
};

/** An email Worker with test doubles of the other services, which record the requests that they receive. */
export type EmailHarness = Awaited<ReturnType<typeof startEmail>>;

/**
 * Starts the Worker with the real database and Durable Objects. Queues record their messages, and identity is a test
 * double with its own signing key.
 */
export async function startEmail(options: Options = {}) {
  const identity = await createIdentityDouble(options.introspect);
  const queueMessages: Record<string, LaneMessage[]> = {
    auth: [],
    transactional: [],
    bulk: [],
    erasures: [],
    webhooks: [],
    service: [],
  };
  const database = countRoundTrips(testEnv.DB);

  const queue = (lane: string): Queue<LaneMessage> =>
    ({
      send: async (body: LaneMessage) => void queueMessages[lane]?.push(body),
      sendBatch: async (messages: Iterable<{ body: LaneMessage }>) => {
        for (const { body } of messages) queueMessages[lane]?.push(body);
      },
    }) as unknown as Queue<LaneMessage>;

  const bindings = {
    ...testEnv,
    ...options.vars,
    DB: database.db,
    QUEUE_AUTH: queue("auth"),
    QUEUE_TRANSACTIONAL: queue("transactional"),
    QUEUE_BULK: queue("bulk"),
    QUEUE_ERASURES: queue("erasures"),
    WEBHOOKS_QUEUE: queue("webhooks"),
    SERVICE_QUEUE: queue("service"),
    ...identity.bindings,
  } as unknown as EmailBindings;

  const bindingsWith = mergeOnce(bindings);

  async function call(
    path: string,
    init: RequestInit & { bearer?: string; json?: unknown; bindings?: Partial<EmailBindings> } = {},
  ): Promise<Response> {
    const { bearer, json, bindings: changed, ...requestInit } = init;
    const headers = new Headers(requestInit.headers);
    if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    const request = new Request(`http://email.localhost${path}`, {
      method: json === undefined ? "GET" : "POST",
      ...requestInit,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const ctx = createExecutionContext();
    const waitUntil = ctx.waitUntil.bind(ctx);
    ctx.waitUntil = (work) => {
      mark();
      waitUntil(work);
    };
    const before = database.count();
    let beforeHandOver = Number.NaN;
    const mark = () => {
      if (Number.isNaN(beforeHandOver)) beforeHandOver = database.count() - before;
    };
    const response = await worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>,
      bindingsWith(changed),
      ctx,
    );
    mark();
    // A streamed body ends only when it is read, so the body is read before waiting for the background work.
    const body = await response.arrayBuffer();
    const bufferedResponse = new Response([204, 302, 304].includes(response.status) ? null : body, response);
    roundTrips.set(bufferedResponse, beforeHandOver);
    await waitOnExecutionContext(ctx);
    return bufferedResponse;
  }

  const roundTrips = new WeakMap<Response, number>();

  return {
    bindings,
    queueMessages,
    introspected: identity.introspected,
    ruleNotices: identity.ruleNotices,
    pausedBulkNotices: identity.pausedBulkNotices,
    setIdentityAway: identity.setUnavailable,
    setStaff: identity.setStaff,
    setReport: identity.setReport,
    setAudience: identity.setAudience,
    audienceRequests: identity.audienceRequests,
    rejectFilter: identity.rejectFilter,
    call,
    /** D1 round trips before the response; background work after it does not count */
    acceptTripsOf: (response: Response) => roundTrips.get(response) ?? Number.NaN,
    keySetReads: identity.keySetReads,
    loseKeySet: identity.loseKeySet,
    /** statements of the largest batch so far */
    largestBatch: database.largestBatch,
    /** statements so far */
    statements: database.countStatements,
    token: identity.token,
    revoke: identity.revoke,
    removeMember: identity.removeMember,
  };
}

type Scopes = {
  service?: string;
  lanes?: Lane[];
  prefixes?: string[];
  companies?: number[] | null;
  active?: boolean;
  /** the company whose owners created the key */
  owner?: number;
};

/** Stores a service key with the given scopes. Returns its plaintext and id. */
export async function createKey(scopes: Scopes = {}): Promise<{ key: string; id: number }> {
  const key = `esk_${crypto.randomUUID().replaceAll("-", "")}${"x".repeat(11)}`;
  const service = scopes.service ?? "identity";
  const { id } = await insertRow(service_clients, {
    service,
    name: service,
    key_prefix: key.slice(0, 12),
    key_hash: await sha256Hex(key),
    allowed_lanes: scopes.lanes ?? ["auth", "transactional"],
    allowed_template_prefixes: scopes.prefixes ?? [`${service}.`],
    allowed_company_ids: scopes.companies ?? (scopes.owner === undefined ? null : [scopes.owner]),
    owner_company_id: scopes.owner ?? null,
    seal_id: crypto.randomUUID(),
    active: scopes.active !== false,
    created_at: Date.now(),
    last_used_at: Date.now(),
  });
  return { key, id };
}

/** Suppresses an address of the company, or stores an unsubscribe of that category. */
export async function storeSuppression(
  companyId: number,
  address: string,
  row: { reason: SuppressionHit["reason"]; expiresAt?: number; lanes?: Lane[] } | { unsubscribed: string },
): Promise<void> {
  const keys = await keysOf(testEnv);
  const hash = await hashAddress(keys.peppers[0] ?? new Uint8Array(), address);
  if ("unsubscribed" in row) {
    const columns = { company_id: companyId, email_hmac: hash };
    await insertRow(unsubscribes, { ...columns, category: row.unsubscribed, source: "page", created_at: 1 });
  } else {
    const { reason, lanes = [], expiresAt = null } = row;
    await suppressHash(companyId, hash, { reason, lanes, expires_at: expiresAt });
  }
}

/** Returns the body of a request that sends a magic link to one address. `overrides` replace its fields. */
export function magicLink(companyId: number, overrides: Record<string, unknown> = {}) {
  return {
    company_id: companyId,
    template_key: "identity.auth.magic_link.requested",
    to: [{ email: "Mina@example.com", user_id: 5 }],
    variables: {
      company_name: "Aster Labs",
      magic_link_url: "https://auth.example.com/verify?token=secret-token",
      recipient_name: "Mina",
    },
    ...overrides,
  };
}
