import { and, eq, gt, inArray, ne, sql } from "drizzle-orm";
import {
  action_deliveries,
  action_hosts,
  action_rules,
  delivery_attempts,
  event_log,
} from "../../../db/hosting/schema";
import { jsonEach } from "../../../workers/kit/db/query";
import { numberedEventId } from "../../support/db/event-ids";
import { insertNumbered, type Numbers } from "../../support/db/numbered-rows";
import type { rowsOf } from "../../support/db/rows";

type Rows = ReturnType<typeof rowsOf>;

/** Deletes all webhook rows of hosting. */
export async function deleteWebhookRows({ deleteRows }: Rows): Promise<void> {
  const tables = [delivery_attempts, action_deliveries, action_rules, action_hosts, event_log];
  for (const table of tables) await deleteRows(table, undefined);
}

/** Returns the number of waiting deliveries, except the deliveries to a host. */
export const countWaiting = ({ countRows }: Rows, except: string) =>
  countRows(
    action_deliveries,
    and(inArray(action_deliveries.status, ["pending", "failed"]), ne(action_deliveries.host, except)),
  );

export const countOfHost = ({ countRows }: Rows, host: string) =>
  countRows(action_deliveries, eq(action_deliveries.host, host));

/** Returns the number of company events and deliveries. */
export const countOld = async ({ countRows }: Rows) =>
  (await countRows(event_log, gt(event_log.company_id, 0))) + (await countRows(action_deliveries, undefined));

/** Stores `count` due deliveries, distributed over the rules, without events. */
export async function storeDue(d1: D1Database, count: number, rules: number[], type: string): Promise<void> {
  const now = Date.now();
  const runId = crypto.randomUUID();
  const body = { company: { id: 1 }, data: { status: "approved" }, id: "x", time: new Date(now).toISOString(), type };
  const { from, value } = jsonEach(sql<number[]>`${JSON.stringify(rules)}`);
  await insertNumbered(
    d1,
    action_deliveries,
    { from: 1, to: count },
    (i) => ({
      id: sql`'delivery-' || ${runId} || ${i}`,
      kind: "webhook" as const,
      company_id: action_rules.company_id,
      rule_id: action_rules.id,
      rule_name: action_rules.name,
      event_id: sql`'event-' || ${runId} || ${i}`,
      event_type: action_rules.event_type,
      host: action_rules.host,
      body: JSON.stringify(body),
      status: "pending" as const,
      due_at: now - 1000,
      created_at: now - 60_000,
      updated_at: now - 60_000,
    }),
    sql`join ${from} on r.key = n.i % ${rules.length} join ${action_rules} on ${action_rules.id} = ${value}`,
  );
}

/** Stores events of a time (ms since the epoch), and as many finished deliveries with one attempt each. */
export async function storeOld(d1: D1Database, numbers: Numbers, at: number, type: string): Promise<void> {
  await insertNumbered(d1, event_log, numbers, (i) => ({
    id: numberedEventId(sql`${at} + ${i}`, i),
    company_id: sql`1 + ${i} % 50`,
    event_type: type,
    data: '{"status":"approved"}',
    envelope: '{"id":"old"}',
    created_at: sql`${at} + ${i}`,
  }));
  await insertNumbered(d1, action_deliveries, numbers, (i) => ({
    seq: sql`${i} + 1000000`,
    id: sql`'old-' || ${i}`,
    kind: "webhook" as const,
    company_id: sql`${i} % 50`,
    rule_id: sql`${i} % 200`,
    rule_name: "Hook",
    event_id: sql`'old-' || ${i}`,
    event_type: type,
    host: "a.example.com",
    body: '{"id":"old"}',
    status: "delivered" as const,
    attempt_count: 1,
    due_at: at,
    delivered_at: at,
    created_at: sql`${at} + ${i}`,
    updated_at: at,
  }));
  await insertNumbered(d1, delivery_attempts, numbers, (i) => ({
    delivery_seq: sql`${i} + 1000000`,
    lease_token: "old",
    status: "success" as const,
    http_status: 200,
    attempt_number: 1,
    requeue_count: 0,
    duration_ms: 50,
    trigger: "dispatch" as const,
    created_at: at,
  }));
}
