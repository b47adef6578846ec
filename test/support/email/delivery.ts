import { env } from "cloudflare:test";
import type { Doorbell, EmailBindings } from "../../../workers/email/bindings";
import { messageAad } from "../../../workers/email/content/mail";
import type { MessageRow } from "../../../workers/email/delivery/delivery.store";
import { consume } from "../../../workers/email/queue/consume.job";
import type { SenderKeys } from "../../../workers/email/sender/sender";
import { credentialsAad, fingerprintCredentials, type ProviderCredentials } from "../../../workers/email/sender/sender";
import { type EmailServices, type Lane, services } from "../../../workers/email/services";
import type { EmailSettings } from "../../../workers/email/settings";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import type { Db } from "../../../workers/kit/db";
import { messageId } from "../../../workers/kit/ids";
import type { Log } from "../../../workers/kit/log";

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
    data_started: 0,
    accepted_at: now,
    expires_at: lane === "auth" ? now + 120_000 : null,
    sent_at: null,
    rank: 0,
    last_error_code: null,
    bounce: null,
    trace: "{}",
    request_id: "req-of-accept",
    ...columns,
  };
  const names = Object.keys(row);
  await testEnv.DB.batch([
    testEnv.DB.prepare(
      `INSERT OR IGNORE INTO default_contents (checksum, event_type, language, subject, html, text, created_at, current)
       VALUES (?1, 'test', 'en', 'Sign in to {{ company_name }}', '<p>{{ magic_link_url }}</p>', '{{ magic_link_url }}', 0, 0)`,
    ).bind(CHECKSUM),
    testEnv.DB.prepare(`INSERT INTO messages (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).bind(
      ...Object.values(row),
    ),
    testEnv.DB.prepare(
      `INSERT INTO stats_days (company_id, day, lane, event_type, queued)
       VALUES (?1, date(?2 / 1000, 'unixepoch'), ?3, ?4, 1)
       ON CONFLICT (company_id, day, lane, event_type) DO UPDATE SET queued = queued + 1`,
    ).bind(companyId, row.accepted_at, lane, row.event_type),
  ]);
  return id;
}

/** The row of a message. */
export async function readMessage(id: string): Promise<MessageRow> {
  const row = await testEnv.DB.prepare("SELECT * FROM messages WHERE id = ?").bind(id).first<MessageRow>();
  if (row === null) throw new Error("no such message");
  return row;
}

/** Types of the events of a message, in order. */
export async function eventsOf(id: string): Promise<string[]> {
  const { results } = await testEnv.DB.prepare("SELECT type FROM message_events WHERE message_id = ? ORDER BY at, id")
    .bind(id)
    .all<{ type: string }>();
  return results.map(({ type }) => type);
}

/** The attempts in the trace of a message. */
export async function attemptsOf(id: string): Promise<Record<string, unknown>[]> {
  const { delivery = [] } = JSON.parse((await readMessage(id)).trace) as { delivery?: Record<string, unknown>[] };
  return delivery;
}

/** The count keys of a company that are not 0. */
export async function countsOf(companyId: number): Promise<Record<string, number>> {
  const row = await testEnv.DB.prepare(
    `SELECT sum(queued) queued, sum(sent) sent, sum(failed) failed, sum(expired) expired, sum(suppressed) suppressed,
       sum(cancelled) cancelled FROM stats_days WHERE company_id = ?`,
  )
    .bind(companyId)
    .first<Record<string, number>>();
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, count]) => count !== 0));
}

/** Runs a statement. */
export async function execute(text: string, ...values: unknown[]): Promise<void> {
  await testEnv.DB.prepare(text)
    .bind(...values)
    .run();
}

/** Pauses that are stored for a company. */
export async function pausesOfCompany(
  companyId: number,
): Promise<{ lane: string; scope: string; fingerprint: string }[]> {
  const { results } = await testEnv.DB.prepare(
    "SELECT lane, scope, fingerprint FROM lane_states WHERE company_id = ? AND paused = 1",
  )
    .bind(companyId)
    .all<{ lane: string; scope: string; fingerprint: string }>();
  return results;
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
  await execute(
    `INSERT OR REPLACE INTO company_providers (company_id, seal_id, provider, from_email, from_name, bulk_from_email,
       reply_to, credentials_enc, fingerprint, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    companyId,
    sealId,
    kind,
    columns.from_email ?? "hello@aster.example",
    columns.from_name ?? "Aster",
    columns.bulk_from_email ?? "",
    columns.reply_to ?? "",
    sealed,
    await fingerprintCredentials(credentials, keys),
    clock.now(),
  );
}
