import { env } from "cloudflare:test";
import { and, asc, eq, sql } from "drizzle-orm";
import type { LaneStateRow, MessageRow } from "../../../db/email/rows";
import {
  company_providers,
  default_contents,
  lane_states,
  message_events,
  messages,
  stats_days,
} from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/lanes";
import type { Doorbell, EmailBindings } from "../../../workers/email/bindings";
import { messageAad } from "../../../workers/email/messages/seal";
import { consume } from "../../../workers/email/queue/consume.job";
import {
  credentialsAad,
  fingerprintCredentials,
  type ProviderCredentials,
  type SenderKeys,
} from "../../../workers/email/sender/credentials";
import { type EmailServices, services } from "../../../workers/email/services";
import type { EmailSettings } from "../../../workers/email/settings";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import type { Db } from "../../../workers/kit/db/db";
import { messageId } from "../../../workers/kit/ids";
import type { Log } from "../../../workers/kit/log";
import { db, deleteRows, insertRow, readRows } from "./rows";

const testEnv = env as unknown as EmailBindings;

const silent: Log = { info: () => {}, warn: () => {}, error: () => {}, with: () => silent };

let lastCompany = 500_000_000 + Math.floor(Math.random() * 400_000_000);

/** A company that no other test uses. */
export function freshCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

/** One call of the mail API as the provider saw it. */
export type ApiCall = {
  idempotencyKey: string;
  bearer: string;
  requestId: string;
  url: string;
  mail: { from: string; to: string[]; subject: string; html: string; text: string; headers?: Record<string, string> };
};

/** What the mail API answers; `call` counts from 1 for each idempotency key. */
export type ApiAnswer = (call: number, seen: ApiCall, init: RequestInit) => Response | Promise<Response>;

export const accept: ApiAnswer = (_call, seen) => Response.json({ id: `prov-${seen.idempotencyKey}` });
export const refuse =
  (status: number, headers: Record<string, string> = {}): ApiAnswer =>
  () =>
    new Response("no", { status, headers });

export type Harness = ReturnType<typeof startDelivery>;

/**
 * The delivery side with a mail API that `answer` plays, recorded queues and a clock that the test moves. `settings`
 * replace those of test/support/settings.ts; `at` is where the clock starts (unix ms).
 */
export function startDelivery(options: { answer?: ApiAnswer; settings?: Partial<EmailSettings>; at?: number } = {}) {
  let now = options.at ?? Date.now();
  clock.now = () => now;
  const calls: ApiCall[] = [];
  const rung: { lane: Lane; ids: string[]; delaySeconds: number }[] = [];
  const firstRung: string[] = [];
  const state = { answer: options.answer ?? accept };

  const fetchDouble: typeof fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const seen: ApiCall = {
      idempotencyKey: headers.get("idempotency-key") ?? "",
      bearer: (headers.get("authorization") ?? "").replace("Bearer ", ""),
      requestId: headers.get("x-request-id") ?? "",
      url: String(input),
      mail: JSON.parse(String(init.body)),
    };
    calls.push(seen);
    return state.answer(calls.filter((call) => call.idempotencyKey === seen.idempotencyKey).length, seen, init);
  };

  const queue = (lane: Lane): Queue<Doorbell> =>
    ({
      sendBatch: async (messages: Iterable<MessageSendRequest<Doorbell>>) => {
        for (const { body, delaySeconds = 0 } of messages) rung.push({ lane, ids: body.ids, delaySeconds });
      },
    }) as unknown as Queue<Doorbell>;

  const webhooks: EmailServices["actions"]["queues"]["first"] = {
    sendBatch: async (messages) => {
      for (const { body } of messages) firstRung.push(...body.ids);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  };

  const build = (overrides: Partial<EmailServices> = {}): EmailServices => {
    const base = services(testEnv, {
      requestId: "test",
      log: silent,
      waitUntil: () => undefined,
    });
    const own = {
      ...base,
      settings: { ...base.settings, ...options.settings },
      queues: { auth: queue("auth"), transactional: queue("transactional"), bulk: queue("bulk") },
      actions: { ...base.actions, queues: { first: webhooks, service: null } },
      fetch: fetchDouble,
      ...overrides,
    };
    return withDb(own, own.db);
  };

  return {
    calls,
    rung,
    /** deliveries of webhooks whose first attempt was rung for */
    firstRung,
    build,
    state,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    /** Delivers queue messages as the platform does; answers how each batch was acknowledged. */
    async consumeIds(ids: string[], lane: Lane = "auth", consumer = build()): Promise<"acked" | "retried"> {
      return this.consumeBodies([{ v: 1, kind: "send", ids, request_id: "r" }], lane, consumer);
    },
    async consumeBodies(bodies: unknown[], lane: Lane, consumer = build()): Promise<"acked" | "retried"> {
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

/** The services over another database. */
export function withDb(services: EmailServices, db: Db): EmailServices {
  return { ...services, db, actions: { ...services.actions, db } };
}

/** The keys of the tests. */
export const testKeys = () => startServices().keys();

function startServices(): EmailServices {
  return services(testEnv, { requestId: "t", log: silent, waitUntil: () => undefined });
}

/** The settings of the tests. */
export const testSettings = (): EmailSettings => startServices().settings;

const CHECKSUM = "delivery-harness-content";

/** Stores a message as an accept does: sealed, queued, counted. Answers its id (32 hex). */
export async function storeMessage(
  companyId: number,
  overrides: Partial<MessageRow> & { variables?: Record<string, string>; to?: string } = {},
): Promise<string> {
  const { variables, to = "mina@example.com", ...columns } = overrides;
  const id = messageId().slice(4);
  const keys = await testKeys();
  const now = clock.now();
  const lane = columns.lane ?? "auth";
  const row: MessageRow = {
    id,
    company_id: companyId,
    service: "identity",
    client_id: null,
    send_request_id: null,
    template_key: "identity.auth.magic_link.requested",
    event_type: lane === "auth" ? "identity.auth.magic_link.requested" : "identity.user.invitation_revoked",
    version_id: null,
    default_checksum: CHECKSUM,
    template_version: null,
    language: "en",
    lane,
    category: lane,
    scope: "platform",
    status: "queued",
    to_enc: await seal(to, keys.variables, messageAad("to_enc", companyId, id)),
    to_masked: "m***@example.com",
    to_user_id: null,
    email_hmac: `hmac-${companyId}`,
    variables_enc: await seal(
      JSON.stringify(variables ?? { company_name: "Aster", magic_link_url: "https://auth.example.com/x?t=secret" }),
      keys.variables,
      messageAad("variables_enc", companyId, id),
    ),
    provider: "",
    provider_message_id: null,
    attempt_count: 0,
    claim_count: 0,
    next_attempt_at: now,
    locked_until: null,
    lease_token: null,
    data_started: false,
    accepted_at: now,
    expires_at: lane === "auth" ? now + 120_000 : null,
    sent_at: null,
    rank: 0,
    last_error_code: null,
    bounce: null,
    trace: {},
    request_id: "req-of-accept",
    ...columns,
  };
  await storeContent();
  await insertRow(messages, row);
  await countQueued(row);
  return id;
}

/** The content that stored messages are pinned to, once. */
async function storeContent(): Promise<void> {
  await db
    .insert(default_contents)
    .values({
      checksum: CHECKSUM,
      event_type: "test",
      language: "en",
      subject: "Sign in to {{ company_name }}",
      html: "<p>{{ magic_link_url }}</p>",
      text: "{{ magic_link_url }}",
      created_at: 0,
      current: false,
    })
    .onConflictDoNothing();
}

async function countQueued({ company_id, accepted_at, lane, event_type }: MessageRow): Promise<void> {
  const { queued, ...key } = stats_days;
  await db
    .insert(stats_days)
    .values({ company_id, day: new Date(accepted_at).toISOString().slice(0, 10), lane, event_type, queued: 1 })
    .onConflictDoUpdate({
      target: [key.company_id, key.day, key.lane, key.event_type],
      set: { queued: sql`${queued} + 1` },
    });
}

/** The row of a message. */
export async function readMessage(id: string): Promise<MessageRow> {
  const [row] = await readRows(messages, eq(messages.id, id));
  if (row === undefined) throw new Error("no such message");
  return row;
}

/** Types of the events of a message, in order. */
export async function eventsOf(id: string): Promise<string[]> {
  const { message_id, at, id: place } = message_events;
  const events = await readRows(message_events, eq(message_id, id), asc(at), asc(place));
  return events.map(({ type }) => type);
}

/** The attempts in the trace of a message. */
export async function attemptsOf(id: string): Promise<Record<string, unknown>[]> {
  const { delivery = [] } = (await readMessage(id)).trace as { delivery?: Record<string, unknown>[] };
  return delivery;
}

const COUNTS = ["queued", "sent", "failed", "expired", "suppressed", "cancelled"] as const;

/** The count keys of a company that are not 0. */
export async function countsOf(companyId: number): Promise<Record<string, number>> {
  const days = await readRows(stats_days, eq(stats_days.company_id, companyId));
  const sums = COUNTS.map((key) => [key, days.reduce((sum, day) => sum + day[key], 0)] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

/** Pauses that are stored for a company. */
export async function pausesOfCompany(
  companyId: number,
): Promise<Pick<LaneStateRow, "lane" | "scope" | "fingerprint">[]> {
  const own = and(eq(lane_states.company_id, companyId), eq(lane_states.paused, true));
  const pauses = await readRows(lane_states, own);
  return pauses.map(({ lane, scope, fingerprint }) => ({ lane, scope, fingerprint }));
}

/** Stores the provider of a company. */
export async function storeProvider(
  companyId: number,
  credentials: ProviderCredentials,
  columns: { from_email?: string; from_name?: string; bulk_from_email?: string; reply_to?: string } = {},
): Promise<void> {
  const keys: Awaited<ReturnType<typeof testKeys>> & SenderKeys = await testKeys();
  const { kind, ...secret } = credentials;
  const sealId = crypto.randomUUID();
  const sealed = await seal(JSON.stringify(secret), keys.credentials, credentialsAad(companyId, sealId));
  await deleteRows(company_providers, eq(company_providers.company_id, companyId));
  await insertRow(company_providers, {
    company_id: companyId,
    seal_id: sealId,
    provider: kind,
    from_email: "hello@aster.example",
    from_name: "Aster",
    ...columns,
    credentials_enc: sealed,
    fingerprint: await fingerprintCredentials(credentials, keys),
    updated_at: clock.now(),
  });
}
