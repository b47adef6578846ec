import { env } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import type { LaneStateRow } from "../../../db/email/rows";
import { company_providers, lane_states } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import type { EmailBindings, LaneMessage } from "../../../workers/email/bindings";
import type { ProviderCredentials } from "../../../workers/email/delivery/providers/types";
import {
  credentialsAad,
  fingerprintCredentials,
  type SenderKeys,
} from "../../../workers/email/delivery/sender/credentials";
import { transports } from "../../../workers/email/delivery/transports/catalog";
import { consume } from "../../../workers/email/operations/jobs/consume.job";
import { type EmailServices, services } from "../../../workers/email/services";
import type { EmailSettings } from "../../../workers/email/settings";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import { type Db, oneDatabase } from "../../../workers/kit/db/db";
import type { Log } from "../../../workers/kit/log";
import { db, readRows, runTogether } from "./rows";

const testEnv = env as unknown as EmailBindings;

const silent: Log = { info: () => {}, note: () => {}, warn: () => {}, error: () => {}, with: () => silent };

let lastCompany = 500_000_000 + Math.floor(Math.random() * 400_000_000);

/** Returns the id of a company that no other test uses. */
export function createCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

/** A request that the mail API received. */
export type ApiCall = {
  idempotencyKey: string;
  bearer: string;
  requestId: string;
  url: string;
  mail: {
    from: string;
    to: string[];
    subject: string;
    html: string;
    text: string;
    headers?: Record<string, string>;
    attachments?: object[];
    tags?: object[];
  };
};

/** The mail API's response; `call` counts from 1 for each idempotency key. */
export type ApiResponder = (call: number, request: ApiCall, init: RequestInit) => Response | Promise<Response>;

export const accept: ApiResponder = (_call, request) => Response.json({ id: `prov-${request.idempotencyKey}` });
export const rejectWith =
  (status: number, headers: Record<string, string> = {}): ApiResponder =>
  () =>
    new Response("no", { status, headers });

/** A queue of the service, by the end of its name. */
type QueueName = keyof EmailServices["queues"];

export type Harness = ReturnType<typeof startDelivery>;

/**
 * Starts delivery with `respond` as the mail API, queues that record their messages, and a clock that the test
 * advances. Bulk mail has no pace. `settings` override test/support/settings.ts; `at` is the start time (ms since the epoch).
 */
export function startDelivery(
  options: { respond?: ApiResponder; settings?: Partial<EmailSettings>; at?: number } = {},
) {
  let now = options.at ?? Date.now();
  clock.now = () => now;
  const calls: ApiCall[] = [];
  const enqueued: { lane: QueueName; ids: string[]; delaySeconds: number }[] = [];
  const firstEnqueued: string[] = [];
  const state = { respond: options.respond ?? accept };

  const fetchDouble: typeof fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const request: ApiCall = {
      idempotencyKey: headers.get("idempotency-key") ?? "",
      bearer: (headers.get("authorization") ?? "").replace("Bearer ", ""),
      requestId: headers.get("x-request-id") ?? "",
      url: String(input),
      mail: await new Response(init.body).json<ApiCall["mail"]>(),
    };
    calls.push(request);
    return state.respond(calls.filter((call) => call.idempotencyKey === request.idempotencyKey).length, request, init);
  };

  const queue = (lane: QueueName): Queue<LaneMessage> =>
    ({
      sendBatch: async (messages: Iterable<MessageSendRequest<LaneMessage>>) => {
        for (const { body, delaySeconds = 0 } of messages) enqueued.push({ lane, ids: body.ids, delaySeconds });
      },
    }) as unknown as Queue<LaneMessage>;

  const webhooks: EmailServices["webhooks"]["queues"]["first"] = {
    sendBatch: async (messages) => {
      for (const { body } of messages) firstEnqueued.push(...body.ids);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  };

  const build = (overrides: Partial<EmailServices> = {}): EmailServices => {
    const base = services(testEnv, {
      requestId: "test",
      log: silent,
      waitUntil: () => undefined,
    });
    const harnessServices = {
      ...base,
      settings: { ...base.settings, bulkRates: { company: 0, sender: 0 }, ...options.settings },
      queues: {
        auth: queue("auth"),
        transactional: queue("transactional"),
        bulk: queue("bulk"),
        erasures: queue("erasures"),
      },
      webhooks: { ...base.webhooks, queues: { first: webhooks, service: null } },
      fetch: fetchDouble,
      ...overrides,
    };
    return withDb(harnessServices, harnessServices.platformDb);
  };

  return {
    calls,
    enqueued,
    /** ids of deliveries that were enqueued for their first attempt */
    firstEnqueued,
    build,
    state,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    /** Delivers a queue message as the runtime does. Returns whether the batch was acknowledged or retried. */
    async consumeIds(ids: string[], lane: Lane = "auth", consumer = build()): Promise<"acked" | "retried"> {
      return this.consumeBodies([{ v: 1, kind: "send", ids, request_id: "r" }], lane, consumer);
    },
    async consumeBodies(bodies: unknown[], lane: QueueName, consumer = build()): Promise<"acked" | "retried"> {
      let result: "acked" | "retried" | null = null;
      const messages = bodies.map((body, index) => ({ id: `q${index}`, body, timestamp: new Date(), attempts: 1 }));
      await consume(consumer, {
        queue: `email-${lane}`,
        messages,
        ackAll: () => {
          result = "acked";
        },
        retryAll: () => {
          result = "retried";
        },
      } as unknown as MessageBatch<unknown>);
      if (result === null) throw new Error("the batch was neither acknowledged nor retried");
      return result;
    },
  };
}

/** Returns the services with another database. */
export function withDb(services: EmailServices, db: Db): EmailServices {
  const databases = oneDatabase(db);
  return { ...services, ...databases, webhooks: { ...services.webhooks, ...databases } };
}

/** Returns the email service's encryption keys in tests. */
export const testKeys = () => startServices().keys();

/** Returns the dependencies of the email service in tests. */
export function startServices(): EmailServices {
  return services(testEnv, { requestId: "t", log: silent, waitUntil: () => undefined });
}

/** Returns the email service's settings in tests. */
export const testSettings = (): EmailSettings => startServices().settings;

/** Returns the active lane pauses of a company. */
export async function pausesOfCompany(
  companyId: number,
): Promise<Pick<LaneStateRow, "lane" | "scope" | "fingerprint">[]> {
  const isPausedCompany = and(eq(lane_states.company_id, companyId), eq(lane_states.paused, true));
  const pauses = await readRows(lane_states, isPausedCompany);
  return pauses.map(({ lane, scope, fingerprint }) => ({ lane, scope, fingerprint }));
}

/** Stores the provider of a company and replaces an existing one. */
export async function storeProvider(
  companyId: number,
  credentials: ProviderCredentials,
  columns: { from_email?: string; from_name?: string; bulk_from_email?: string; reply_to?: string } = {},
): Promise<void> {
  const keys: Awaited<ReturnType<typeof testKeys>> & SenderKeys = await testKeys();
  const { kind, ...secret } = credentials;
  const sealId = crypto.randomUUID();
  const sealed = await seal(JSON.stringify(secret), keys.credentials, credentialsAad(companyId, sealId));
  const row = {
    company_id: companyId,
    seal_id: sealId,
    provider: kind,
    from_email: "hello@aster.example",
    from_name: "Aster",
    ...columns,
    credentials_enc: sealed,
    fingerprint: await fingerprintCredentials(transports[kind], credentials, keys),
    updated_at: clock.now(),
  };
  await runTogether(
    db.delete(company_providers).where(eq(company_providers.company_id, companyId)),
    db.insert(company_providers).values(row),
  );
}
