import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { action_rules } from "../../../db/hosting/schema";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { jobs } from "../../../workers/hosting/jobs";
import { services } from "../../../workers/hosting/services";
import { settingsOf } from "../../../workers/hosting/settings";
import { seal } from "../../../workers/kit/crypto/seal";
import { insertSelect, jsonEach } from "../../../workers/kit/db/query";
import { createScheduled } from "../../../workers/kit/jobs/api/schedule";
import { createLog } from "../../../workers/kit/log";
import { batchWithEvents, eventStatement, keyOfEvent } from "../../../workers/kit/webhooks/event-store/new-event";
import { normalizedHost } from "../../../workers/kit/webhooks/posting/target";
import { ruleAad } from "../../../workers/kit/webhooks/posting/webhook-post";
import { importWebhookKeys } from "../../../workers/kit/webhooks/settings";
import { countRoundTrips } from "../db/counted-database";
import type {
  EmitRequest,
  ObjectRequest,
  ObjectsRequest,
  RuleRequest,
  SqlRequest,
  TickCost,
  TickRequest,
} from "./requests";

type Edge = Fetcher & { scheduled(event: { cron: string; scheduledTime: number }): Promise<unknown> };
type Bindings = HostingBindings & { EDGE: Edge; EMAIL_DB: D1Database; STORAGE_DB: D1Database; OBJECTS: R2Bucket };

/** Stores events of one company in one batch, as a service does when data changes. Returns after the commit. */
async function emit(request: EmitRequest, env: Bindings, ctx: ExecutionContext) {
  const { company_id: companyId, type, ids, email, data = { company_id: companyId, status: "approved" } } = request;
  const log = createLog({ service: "event-source" });
  const { dbOf, webhooks } = services(env, { requestId: "soak", log, waitUntil: (work) => ctx.waitUntil(work) });
  const actor = email === undefined ? {} : { email };
  const events = ids.map((id) => ({ id, type, companyId, data, ...actor }));
  await batchWithEvents(
    webhooks,
    dbOf(companyId),
    { events: eventStatement(webhooks, events) },
    events.map(keyOfEvent),
  );
  return { stored: ids.length };
}

/** Creates webhook subscriptions and returns their ids in the same order. */
async function createRules(rules: RuleRequest[], env: Bindings) {
  const keys = await importWebhookKeys(settingsOf(env).webhooks);
  const rows = await Promise.all(
    rules.map(async ({ company_id, type, url, secret }) => ({
      company_id,
      event_type: type,
      url,
      host: normalizedHost(new URL(url)),
      secret_enc: await seal(secret, keys, ruleAad("hosting", "secret_enc", company_id)),
    })),
  );
  const { from, item } = jsonEach(sql<typeof rows>`${JSON.stringify(rows)}`);
  const { company_id, event_type, url, host, secret_enc } = item;
  const insert = insertSelect(
    action_rules,
    { company_id, event_type, url, host, secret_enc, name: "Hook", secret_hint: "****", created_at: 1, updated_at: 1 },
    sql`from ${from}`,
  );
  const createdRows = await drizzle(env.DB).all<{ id: number }>(sql`${insert} returning id`);
  return createdRows.map(({ id }) => id);
}

function query({ database, sql, values }: SqlRequest, env: Bindings) {
  const databases = { hosting: env.DB, email: env.EMAIL_DB, storage: env.STORAGE_DB };
  return databases[database]
    .prepare(sql)
    .bind(...values)
    .raw();
}

async function listObjects({ bucket, prefix }: ObjectsRequest, env: Bindings): Promise<string[]> {
  const keys: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await { storage: env.OBJECTS, hosting: env.FILES }[bucket].list({
      prefix,
      ...(cursor !== undefined && { cursor }),
    });
    keys.push(...page.objects.map(({ key }) => key));
    if (!page.truncated) return keys;
    cursor = page.cursor;
  }
}

async function readObject({ key }: ObjectRequest, env: Bindings): Promise<string | null> {
  return (await (await env.FILES.get(key))?.text()) ?? null;
}

const runScheduled = createScheduled(jobs, services);

/** Runs one of hosting's crons in this Worker and counts its database calls. */
async function tick({ cron }: TickRequest, env: Bindings, ctx: ExecutionContext): Promise<TickCost> {
  const { db, count } = countRoundTrips(env.DB);
  const startedAt = Date.now();
  await runScheduled({ cron, scheduledTime: startedAt }, { ...env, DB: db }, ctx);
  return { ms: Date.now() - startedAt, calls: count() };
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/event-source/emit") return Response.json(await emit(await request.json(), env, ctx));
    if (pathname === "/event-source/rules") return Response.json(await createRules(await request.json(), env));
    if (pathname === "/event-source/sql") return Response.json(await query(await request.json(), env));
    if (pathname === "/event-source/object") return Response.json(await readObject(await request.json(), env));
    if (pathname === "/event-source/objects") return Response.json(await listObjects(await request.json(), env));
    if (pathname === "/event-source/tick") return Response.json(await tick(await request.json(), env, ctx));
    return env.EDGE.fetch(request);
  },
  async scheduled({ cron, scheduledTime }, env) {
    await env.EDGE.scheduled({ cron, scheduledTime });
  },
} satisfies ExportedHandler<Bindings>;
