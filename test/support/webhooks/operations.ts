import { env } from "cloudflare:test";
import type { Facts } from "../http/route-calls";

/**
 * What the check of the routes must know of Actions, the same for each service. `eventType` is one that rules may name;
 * rows are stored past the API, whose limit of rules the check would meet.
 */
export function actionFacts(
  company: number,
  foreignCompany: number,
  eventType: string,
  /** the service reads its callers in its database */
  { knowsCallers }: { knowsCallers: boolean },
): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const fixed = knowsCallers ? admin : { ...admin, needsNoDatabase: true };
  const rows = (store: (company: number) => Promise<number | string>) => ({
    ...admin,
    own: async () => String(await store(company)),
    foreign: async () => String(await store(foreignCompany)),
  });
  const rule = rows((owner) => storeRule(owner, eventType));
  const delivery = rows((owner) => storeDelivery(owner, eventType));
  const event = rows((owner) => storeEvent(owner, eventType));
  const prefix = "/api/v1/actions";
  return {
    [`get ${prefix}/events`]: fixed,
    [`get ${prefix}/rules`]: admin,
    [`post ${prefix}/rules`]: {
      ...admin,
      hasStaffFields: true,
      shownOnce: ["secret"],
      // The check makes more rules than a company may have.
      answers: [201, 409],
      body: () => ({ name: "Bot", event_type: eventType, url: "https://93.184.216.34/x" }),
    },
    [`get ${prefix}/rules/{id}`]: rule,
    [`patch ${prefix}/rules/{id}`]: { ...rule, hasStaffFields: true, body: () => ({ name: "Bot" }) },
    [`delete ${prefix}/rules/{id}`]: rule,
    [`post ${prefix}/rules/{id}/rotate-secret`]: { ...rule, shownOnce: ["secret"], body: () => ({ overlap_hours: 1 }) },
    // The secret of the row cannot be opened; the tests of rules send.
    [`post ${prefix}/rules/{id}/send-test`]: { ...rule, answers: [400], isLimited: true },
    [`post ${prefix}/rules/{id}/requeue`]: { ...rule, body: () => ({ status: "all" }) },
    [`get ${prefix}/deliveries`]: admin,
    [`get ${prefix}/deliveries/{id}`]: delivery,
    [`post ${prefix}/deliveries/{id}/requeue`]: delivery,
    [`get ${prefix}/event-log`]: admin,
    [`get ${prefix}/event-log/types`]: fixed,
    [`get ${prefix}/event-log/retention`]: admin,
    [`get ${prefix}/event-log/{id}`]: event,
    [`post ${prefix}/event-log/{id}/replay`]: {
      ...event,
      body: async () => ({ action_rule_id: await storeRule(company, eventType) }),
    },
  };
}

/** A rule of the company; its secret is none. */
async function storeRule(company: number, eventType: string): Promise<number> {
  const row = await env.DB.prepare(
    `INSERT INTO action_rules (company_id, name, event_type, url, host, secret_enc, secret_hint, created_at, updated_at)
     VALUES (?, 'Bot', ?, 'https://93.184.216.34/x', '93.184.216.34', 'x', '****', 1, 1) RETURNING id`,
  )
    .bind(company, eventType)
    .first<{ id: number }>();
  return row?.id ?? 0;
}

/** An event of the company. */
async function storeEvent(company: number, eventType: string): Promise<number> {
  const id = crypto.randomUUID();
  const envelope = JSON.stringify({
    id,
    type: eventType,
    time: "2026-01-01T00:00:00.000+00:00",
    company: {},
    data: {},
  });
  const row = await env.DB.prepare(
    "INSERT INTO event_log (event_id, company_id, event_type, data, envelope, created_at) VALUES (?, ?, ?, '{}', ?, ?) RETURNING id",
  )
    .bind(id, company, eventType, envelope, Date.now())
    .first<{ id: number }>();
  return row?.id ?? 0;
}

/** A delivery of the company that has failed once, and waits a year for its next attempt. */
async function storeDelivery(company: number, eventType: string): Promise<string> {
  const rule = await storeRule(company, eventType);
  const [id, now] = [crypto.randomUUID(), Date.now()];
  const body = JSON.stringify({ id, type: eventType, time: "2026-01-01T00:00:00.000+00:00", company: {}, data: {} });
  await env.DB.prepare(
    `INSERT INTO action_deliveries (id, kind, company_id, rule_id, rule_name, event_id, event_type, host, body, status,
       attempt_count, due_at, created_at, updated_at)
     VALUES (?1, 'webhook', ?2, ?3, 'Bot', ?1, ?4, '93.184.216.34', ?5, 'failed', 1, ?6 + 31536000000, ?6, ?6)`,
  )
    .bind(id, company, rule, eventType, body, now)
    .run();
  return id;
}
