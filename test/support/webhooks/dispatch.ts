import { env } from "cloudflare:test";
import { inject } from "vitest";
import type { AttemptRow, DeliveryRow, RuleRow } from "../../../db/kit/webhooks";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { keysOf } from "../../../workers/identity/keys";
import { settingsOf } from "../../../workers/identity/settings";
import { outbox } from "../../../workers/identity/webhooks/outbox.store";
import { clock } from "../../../workers/kit/clock";
import { seal } from "../../../workers/kit/crypto/seal";
import { openDb } from "../../../workers/kit/db/db";
import type { Log, LogFields } from "../../../workers/kit/log";
import type { ActionsContext } from "../../../workers/kit/webhooks/context";
import { consumeFirst } from "../../../workers/kit/webhooks/dispatch/first-attempt.job";
import { type RetryRun, retryWebhooks } from "../../../workers/kit/webhooks/dispatch/retry";
import { ruleAad } from "../../../workers/kit/webhooks/dispatch/webhook-post";
import type { Actor } from "../../../workers/kit/webhooks/event-log/envelope";
import { batchWithEvents, eventStatement } from "../../../workers/kit/webhooks/event-log/new-event";
import type { DrainMessage, FirstMessage } from "../../../workers/kit/webhooks/messages";
import type { ActionsSettings } from "../../../workers/kit/webhooks/settings";
import { normalizedHost } from "../../../workers/kit/webhooks/subscriptions/target";
import type { RecordedCall } from "./receivers-process";

const bindings = env as unknown as IdentityBindings;

/** The receivers of the run; hooks are `{origin}/hook/{scenario}/{key}`. */
export const receivers = () => inject("webhookReceivers");

let lastCompany = 700_000_000 + Math.floor(Math.random() * 200_000_000);

/** Keeps rows of other tests out of the claims of a retry run, which looks at all companies. */
export async function forgetDeliveries(): Promise<void> {
  const tables = ["action_deliveries", "action_rules", "action_hosts", "scheduled_job_runs"];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  await env.DB.prepare("UPDATE scheduled_job_states SET fence = 0").run();
}

export type LogLine = { level: "info" | "warn" | "error"; message: string; fields: LogFields };

export type Actions = ReturnType<typeof startActions>;

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
 * Actions of identity with real receivers, recorded queues and a clock that the test moves: it runs, and `advance` sets it
 * forward. `settings` replace those of the tests; private targets are allowed unless it says otherwise.
 */
export function startActions(options: { settings?: Partial<ActionsSettings>; email?: ActionsContext["email"] } = {}) {
  let offset = 0;
  clock.now = () => Date.now() + offset;
  lastCompany += 1;
  const companyId = lastCompany;
  const doorbells: FirstMessage[] = [];
  const helpers: DrainMessage[] = [];
  const lines: LogLine[] = [];
  const late: Promise<unknown>[] = [];

  const log: Log = {
    info: (message, fields = {}) => void lines.push({ level: "info", message, fields }),
    warn: (message, fields = {}) => void lines.push({ level: "warn", message, fields }),
    error: (message, fields = {}) => void lines.push({ level: "error", message, fields }),
    with: () => log,
  };
  const queueOf = <T>(rung: T[]) => ({
    sendBatch: async (messages: Iterable<MessageSendRequest<T>>) => {
      for (const { body } of messages) rung.push(body);
    },
  });
  const base = settingsOf(bindings).actions;
  // Without the key, so that events make no posts unless a test wants them.
  const settings: ActionsSettings = {
    ...base,
    allowPrivate: true,
    email: { ...base.email, key: options.email === undefined ? "" : base.email.key },
    dnsResolverUrl: `${receivers().control}/dns/up`,
    ...options.settings,
  };

  const build = (overrides: Partial<ActionsContext> = {}): ActionsContext => ({
    service: "identity",
    outbox,
    db: openDb(env.DB),
    clock,
    log,
    requestId: "test-request",
    settings,
    keys: async () => (await keysOf(bindings)).actions,
    fetch: (input, init) => fetch(input, init),
    queues: {
      first: queueOf(doorbells) as unknown as ActionsContext["queues"]["first"],
      service: queueOf(helpers) as unknown as ActionsContext["queues"]["service"],
    },
    email: options.email ?? null,
    waitUntil: (work) => void late.push(work),
    ...overrides,
  });

  return {
    companyId,
    doorbells,
    helpers,
    lines,
    settings,
    build,
    advance: (ms: number) => {
      offset += ms;
    },
    /** Waits for what goes on after an answer. */
    async settle(): Promise<void> {
      while (late.length > 0) await late.shift();
    },

    /** Adds a rule of the test's company. */
    async addRule(input: RuleInput = {}): Promise<number> {
      const { url = hook("ok", "unused"), secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh" } = input;
      const company = input.companyId ?? companyId;
      const { actions: keys } = await keysOf(bindings);
      const sealed = await seal(secret, keys, ruleAad("identity", "secret_enc", company));
      const authorization =
        input.authorization === undefined
          ? null
          : await seal(input.authorization, keys, ruleAad("identity", "authorization_enc", company));
      const row = await env.DB.prepare(
        `INSERT INTO action_rules (company_id, name, event_type, enabled, url, host, secret_enc, secret_hint,
           authorization_enc, allow_private_urls, created_at, updated_at)
         VALUES (?, 'Hook', ?, ?, ?, ?, ?, '****', ?, ?, 1, 1) RETURNING id`,
      )
        .bind(
          company,
          input.eventType ?? "identity.group.created",
          input.enabled === false ? 0 : 1,
          url,
          normalizedHost(new URL(url)),
          sealed,
          authorization,
          input.allowPrivate === true ? 1 : 0,
        )
        .first<{ id: number }>();
      return row?.id ?? 0;
    },

    /** Writes an event in a batch of its own; answers the ids of the deliveries that were rung for, and the event's. */
    async emit(
      input: { type?: string; data?: Record<string, unknown>; actor?: Actor; companyId?: number } = {},
    ): Promise<{ eventId: string; ids: string[] }> {
      const eventId = crypto.randomUUID();
      const context = build();
      const rung = doorbells.length;
      const event = {
        id: eventId,
        type: input.type ?? "identity.group.created",
        companyId: input.companyId ?? companyId,
        data: input.data ?? { group_id: 1, display_name: "Ärzte" },
        ...(input.actor ? { actor: input.actor } : {}),
      };
      await batchWithEvents(context, { events: eventStatement(context, [event]) }, [eventId]);
      await this.settle();
      return { eventId, ids: doorbells.slice(rung).flatMap(({ ids }) => ids) };
    },

    /** Delivers doorbells as the platform does; answers how the batch was acknowledged. */
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

    /** The first attempts of these deliveries. */
    first(ids: string[], context = build()): Promise<"acked" | "retried"> {
      return this.consume([{ v: 1, kind: "first", ids, request_id: "cause" }], context);
    },

    /** A retry run that starts now. */
    retry(run: Partial<RetryRun> = {}, context = build()): Promise<Record<string, number>> {
      const now = clock.now();
      return retryWebhooks(context, { runId: null, fence: null, runStart: now, deadline: now + 50_000, ...run });
    },

    deliveries: (company = companyId) =>
      all<DeliveryRow>("SELECT * FROM action_deliveries WHERE company_id = ? ORDER BY seq", company),
    attempts: (company = companyId) =>
      all<AttemptRow & { delivery_id: string }>(
        `SELECT a.*, d.id AS delivery_id FROM delivery_attempts a JOIN action_deliveries d ON d.seq = a.delivery_seq
         WHERE d.company_id = ? ORDER BY a.id`,
        company,
      ),
    async rule(id: number): Promise<RuleRow> {
      const [row] = await all<RuleRow>("SELECT * FROM action_rules WHERE id = ?", id);
      if (!row) throw new Error(`no rule ${id}`);
      return row;
    },
    /** Stored totals of the test's company. */
    async totals(): Promise<Record<string, number>> {
      const rows = await all<{ name: string; value: number }>(
        "SELECT name, value FROM action_counters WHERE company_id = ?",
        companyId,
      );
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    },
  };
}

/** The address of a hook; `receiver` chooses among the origins. */
export function hook(scenario: string, key: string, receiver = 0): string {
  return `${receivers().origins[receiver] ?? ""}/hook/${scenario}/${key}`;
}

/** A key of its own for what a receiver records. */
export function freshKey(): string {
  return crypto.randomUUID();
}

/** What a receiver recorded under a key; with a secret also the verdicts of the independent verifiers. */
export async function recorded(key: string, secret?: string): Promise<RecordedCall[]> {
  const query = secret === undefined ? "" : `?secret=${encodeURIComponent(secret)}`;
  return (await fetch(`${receivers().control}/recorded/${key}${query}`)).json<RecordedCall[]>();
}

/** Tells the receiver what `/hook/program/{key}` answers, call by call. */
export async function program(key: string, scenarios: string[]): Promise<void> {
  await fetch(`${receivers().control}/program/${key}`, { method: "POST", body: JSON.stringify(scenarios) });
}

/** Rows of a query. */
export async function all<T>(text: string, ...values: unknown[]): Promise<T[]> {
  const result = await env.DB.prepare(text)
    .bind(...values)
    .all<T>();
  return result.results;
}

/** The text of a recorded body. */
export function textOf(call: RecordedCall | undefined): string {
  return new TextDecoder().decode(Uint8Array.from(atob(call?.body ?? ""), (char) => char.charCodeAt(0)));
}
