import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { asc, eq } from "drizzle-orm";
import { action_deliveries, action_rules, event_log } from "../../../db/email/schema";
import type { EmailBindings } from "../../../workers/email/bindings";
import { keysOf } from "../../../workers/email/keys";
import { eventSeal } from "../../../workers/email/records/webhooks/event-seal";
import worker from "../../../workers/email/worker";
import { seal } from "../../../workers/kit/crypto/seal";
import { generateSecret } from "../../../workers/kit/webhooks/posting/signing-secret";
import { ruleAad } from "../../../workers/kit/webhooks/posting/webhook-post";
import { testEnv } from "./email";
import { insertRow, readRows } from "./rows";

/** Stores a webhook subscription of the company; returns its id and secret. */
export async function storeRule(
  companyId: number,
  eventType: string,
  { enabled = true, host = "hooks.example.com" }: { enabled?: boolean; host?: string } = {},
): Promise<{ id: number; secret: string }> {
  const secret = generateSecret();
  const sealed = await seal(secret, (await keysOf(testEnv)).webhooks, ruleAad("email", "secret_enc", companyId));
  const { id } = await insertRow(action_rules, {
    company_id: companyId,
    name: "rule",
    event_type: eventType,
    enabled,
    url: `https://${host}/x`,
    host,
    secret_enc: sealed,
    secret_hint: "****",
    created_at: 1,
    updated_at: 1,
  });
  return { id, secret };
}

type StoredEvent = typeof event_log.$inferSelect;

/** Returns the stored events of a company, oldest first. */
export async function storedEvents(companyId: number): Promise<(StoredEvent & { event_id: string })[]> {
  const rows = await readRows(event_log, eq(event_log.company_id, companyId), asc(event_log.id));
  return rows.map((row) => ({ ...row, event_id: row.event_id ?? row.id }));
}

/** Returns the types and decrypted data of a company's events, oldest first. */
export async function eventsOfCompany(companyId: number): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const opener = eventSeal(() => keysOf(testEnv));
  return Promise.all(
    (await storedEvents(companyId)).map(async ({ event_id: eventId, event_type: type, envelope }) => ({
      type,
      data: JSON.parse(await opener.open("envelope", envelope ?? "", { companyId, eventId })).data,
    })),
  );
}

/** Returns the webhook deliveries of a company, oldest first. */
export function deliveriesOf(companyId: number): Promise<(typeof action_deliveries.$inferSelect)[]> {
  return readRows(action_deliveries, eq(action_deliveries.company_id, companyId), asc(action_deliveries.seq));
}

/** Passes messages to the Worker's queue handler and waits for all its work. */
export async function consume(bindings: EmailBindings, queue: string, bodies: readonly unknown[]): Promise<void> {
  const messages = bodies.map((body, index) => ({ id: `message-${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, bindings, ctx);
  await getQueueResult(batch, ctx);
  await waitOnExecutionContext(ctx);
}
