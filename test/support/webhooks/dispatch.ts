import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { inject } from "vitest";
import { scheduled_job_runs } from "../../../db/kit/jobs";
import { action_deliveries, action_hosts, action_rules } from "../../../db/kit/webhooks";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { keysOf } from "../../../workers/identity/keys";
import { outbox } from "../../../workers/identity/operations/webhooks/outbox.store";
import { settingsOf } from "../../../workers/identity/settings";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import { oneDatabase, openDb } from "../../../workers/kit/db/db";
import { uuid } from "../../../workers/kit/ids";
import type { Log, LogFields } from "../../../workers/kit/log";
import { consumeFirst } from "../../../workers/kit/webhooks/consumers/first-attempt.job";
import { type RetryRun, retryWebhooks } from "../../../workers/kit/webhooks/consumers/retry";
import type { WebhooksContext } from "../../../workers/kit/webhooks/context";
import type { DrainMessage, FirstMessage } from "../../../workers/kit/webhooks/dispatch/messages";
import { batchWithEvents, eventStatement, keyOfEvent } from "../../../workers/kit/webhooks/event-store/new-event";
import type { Actor } from "../../../workers/kit/webhooks/events/envelope";
import { normalizedHost } from "../../../workers/kit/webhooks/posting/target";
import { ruleAad } from "../../../workers/kit/webhooks/posting/webhook-post";
import type { WebhookSettings } from "../../../workers/kit/webhooks/settings";
import { setFence } from "../jobs/rows";
import type { RecordedCall } from "./receivers-process";
import { attemptsWhere, deleteRows, deliveriesWhere, findRule, insertRule, totalsOf } from "./rows";

const bindings = env as unknown as IdentityBindings;

/** The receivers of the test run; a URL is `{origin}/hook/{scenario}/{key}`. */
export const receivers = () => inject("webhookReceivers");

let lastCompany = 700_000_000 + Math.floor(Math.random() * 200_000_000);

/** Deletes rows of other tests, because a retry run claims deliveries of all companies. */
export async function forgetDeliveries(): Promise<void> {
  const tables = [action_deliveries, action_rules, action_hosts, scheduled_job_runs];
  await Promise.all([...tables.map((table) => deleteRows(table, undefined)), setFence(0)]);
}

export type LogLine = { level: "info" | "warn" | "error"; message: string; fields: LogFields };

export type Webhooks = ReturnType<typeof startWebhooks>;

export type RuleInput = {
  url?: string;
  secret?: string;
  authorization?: string;
  enabled?: boolean;
  allowPrivate?: boolean;
  eventType?: string;
  companyId?: number;
};

/**
 * Starts identity's webhooks with real receivers, queues that record their messages, and a running clock that `advance`
 * moves forward. `settings` override the test settings. Private targets are allowed by default.
 */
export function startWebhooks(options: { settings?: Partial<WebhookSettings>; email?: WebhooksContext["email"] } = {}) {
  let offset = 0;
  clock.now = () => Date.now() + offset;
  lastCompany += 1;
  const companyId = lastCompany;
  const wakeUps: FirstMessage[] = [];
  const helpers: DrainMessage[] = [];
  const lines: LogLine[] = [];
  const late: Promise<unknown>[] = [];

  const log: Log = {
    info: (message, fields = {}) => void lines.push({ level: "info", message, fields }),
    warn: (message, fields = {}) => void lines.push({ level: "warn", message, fields }),
    error: (message, fields = {}) => void lines.push({ level: "error", message, fields }),
    note: () => {},
    with: () => log,
  };
  const queueOf = <T>(sent: T[]) => ({
    sendBatch: async (messages: Iterable<MessageSendRequest<T>>) => {
      for (const { body } of messages) sent.push(body);
    },
  });
  const base = settingsOf(bindings).webhooks;
  // Without an API key, events are not posted to the email service. A test that passes `email` has a key.
  const settings: WebhookSettings = {
    ...base,
    allowPrivate: true,
    email: { ...base.email, key: options.email === undefined ? "" : base.email.key },
    dnsResolverUrl: `${receivers().control}/dns/up`,
    ...options.settings,
  };

  const build = (overrides: Partial<WebhooksContext> = {}): WebhooksContext => ({
    service: "identity",
    outbox,
    ...oneDatabase(openDb(env.DB)),
    clock,
    log,
    requestId: "test-request",
    settings,
    keys: async () => (await keysOf(bindings)).webhooks,
    fetch: (input, init) => fetch(input, init),
    queues: {
      first: queueOf(wakeUps) as unknown as WebhooksContext["queues"]["first"],
      service: queueOf(helpers) as unknown as WebhooksContext["queues"]["service"],
    },
    email: options.email ?? null,
    failingType: "identity.action_rule.failing",
    notifyOwners: async () => {},
    waitUntil: (work) => void late.push(work),
    ...overrides,
  });

  return {
    companyId,
    wakeUps,
    helpers,
    lines,
    settings,
    build,
    advance: (ms: number) => {
      offset += ms;
    },
    /** Waits for work that continues after a response. */
    async settle(): Promise<void> {
      while (late.length > 0) await late.shift();
    },

    /** Adds a subscription of the test's company. */
    async addRule(input: RuleInput = {}): Promise<number> {
      const { url = hook("ok", "unused"), secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh" } = input;
      const company = input.companyId ?? companyId;
      const { webhooks: keys } = await keysOf(bindings);
      const sealed = await seal(secret, keys, ruleAad("identity", "secret_enc", company));
      const authorization =
        input.authorization === undefined
          ? null
          : await seal(input.authorization, keys, ruleAad("identity", "authorization_enc", company));
      return insertRule({
        company_id: company,
        event_type: input.eventType ?? "identity.group.created",
        enabled: input.enabled !== false,
        url,
        host: normalizedHost(new URL(url)),
        secret_enc: sealed,
        authorization_enc: authorization,
        allow_private_urls: input.allowPrivate === true,
      });
    },

    /** Writes an event in its own batch. Returns the ids of the event and of the deliveries in its wake-up message. */
    async emit(
      input: { type?: string; data?: Record<string, unknown>; actor?: Actor; companyId?: number } = {},
    ): Promise<{ eventId: string; ids: string[] }> {
      const eventId = uuid();
      const context = build();
      const sentBefore = wakeUps.length;
      const event = {
        id: eventId,
        type: input.type ?? "identity.group.created",
        companyId: input.companyId ?? companyId,
        data: input.data ?? { group_id: 1, display_name: "Ärzte" },
        ...(input.actor ? { actor: input.actor } : {}),
      };
      await batchWithEvents(context, context.platformDb, { event: eventStatement(context, [event]) }, [
        keyOfEvent(event),
      ]);
      await this.settle();
      return { eventId, ids: wakeUps.slice(sentBefore).flatMap(({ ids }) => ids) };
    },

    /**
     * Passes wake-up messages to the consumer, as the runtime does. Returns whether the batch was acknowledged or
     * retried.
     */
    async consume(bodies: unknown[], context = build()): Promise<"acked" | "retried"> {
      let result: "acked" | "retried" | null = null;
      const messages = bodies.map((body, index) => ({ id: `q${index}`, body, timestamp: new Date(), attempts: 1 }));
      await consumeFirst(context, {
        queue: "webhooks-identity",
        messages,
        ackAll: () => {
          result = "acked";
        },
        retryAll: () => {
          result = "retried";
        },
      } as unknown as MessageBatch<unknown>);
      await this.settle();
      if (result === null) throw new Error("the batch was neither acknowledged nor retried");
      return result;
    },

    /** Runs the first attempts of deliveries. */
    first(ids: string[], context = build()): Promise<"acked" | "retried"> {
      return this.consume([{ v: 1, kind: "first", ids, request_id: "cause" }], context);
    },

    /** Runs the retry job now. */
    retry(run: Partial<RetryRun> = {}, context = build()): Promise<Record<string, number>> {
      const now = clock.now();
      return retryWebhooks(context, { runId: null, fence: null, runStart: now, deadline: now + 50_000, ...run });
    },

    deliveries: (company = companyId) => deliveriesWhere(eq(action_deliveries.company_id, company)),
    attempts: (company = companyId) => attemptsWhere(eq(action_deliveries.company_id, company)),
    rule: findRule,
    /** Returns the stored counters of the test's company. */
    totals: () => totalsOf(companyId),
  };
}

/** Returns the URL of a receiver; `receiver` chooses the origin. */
export function hook(scenario: string, key: string, receiver = 0): string {
  return `${receivers().origins[receiver] ?? ""}/hook/${scenario}/${key}`;
}

/** Returns a unique key for the records of a receiver. */
export function freshKey(): string {
  return crypto.randomUUID();
}

/**
 * Returns the calls that a receiver has recorded under a key. With `secret`, independent libraries verify their
 * signatures.
 */
export async function recorded(key: string, secret?: string): Promise<RecordedCall[]> {
  const query = secret === undefined ? "" : `?secret=${encodeURIComponent(secret)}`;
  return (await fetch(`${receivers().control}/recorded/${key}${query}`)).json<RecordedCall[]>();
}

/** Sets the responses of `/hook/program/{key}`, one per call. */
export async function program(key: string, scenarios: string[]): Promise<void> {
  await fetch(`${receivers().control}/program/${key}`, { method: "POST", body: JSON.stringify(scenarios) });
}

/** Returns the text of a recorded body. */
export function textOf(call: RecordedCall | undefined): string {
  return new TextDecoder().decode(Uint8Array.from(atob(call?.body ?? ""), (char) => char.charCodeAt(0)));
}

/** Emits events and returns the ids of their deliveries. */
export async function emitMany(webhooks: Webhooks, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(...(await webhooks.emit()).ids);
  return ids;
}
