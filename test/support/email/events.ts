import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import type { DeliveryRow } from "../../../db/kit/webhooks";
import type { EmailBindings } from "../../../workers/email/bindings";
import { keysOf } from "../../../workers/email/keys";
import { eventSeal } from "../../../workers/email/webhooks/event-seal";
import worker from "../../../workers/email/worker";
import { seal } from "../../../workers/kit/crypto/seal";
import { ruleAad } from "../../../workers/kit/webhooks/dispatch/webhook-post";
import { makeSecret } from "../../../workers/kit/webhooks/subscriptions/signing-secret";
import { testEnv } from "./email";

/** Stores a webhook rule of the company; answers its id and secret. */
export async function storeRule(
  companyId: number,
  eventType: string,
  { enabled = true, host = "hooks.example.com" }: { enabled?: boolean; host?: string } = {},
): Promise<{ id: number; secret: string }> {
  const secret = makeSecret();
  const sealed = await seal(secret, (await keysOf(testEnv)).actions, ruleAad("email", "secret_enc", companyId));
  const row = await testEnv.DB.prepare(
    `INSERT INTO action_rules (company_id, name, event_type, enabled, url, host, secret_enc, secret_hint, created_at, updated_at)
     VALUES (?1, 'rule', ?2, ?3, ?4, ?5, ?6, '****', 1, 1) RETURNING id`,
  )
    .bind(companyId, eventType, enabled ? 1 : 0, `https://${host}/x`, host, sealed)
    .first<{ id: number }>();
  if (row === null) throw new Error("the rule was not stored");
  return { id: row.id, secret };
}

type StoredEvent = {
  event_id: string;
  event_type: string;
  data: string;
  envelope: string;
  subject_hmac: string | null;
  client_id: number | null;
};

/** The events of a company in the order of their making, as stored. */
export async function storedEvents(companyId: number): Promise<StoredEvent[]> {
  const { results } = await testEnv.DB.prepare("SELECT * FROM event_log WHERE company_id = ? ORDER BY id")
    .bind(companyId)
    .all<StoredEvent>();
  return results;
}

/** Type and data of the events of a company. */
export async function eventsOfCompany(companyId: number): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const opener = eventSeal(() => keysOf(testEnv));
  return Promise.all(
    (await storedEvents(companyId)).map(async ({ event_id: eventId, event_type: type, data }) => ({
      type,
      data: JSON.parse(await opener.open("data", data, { companyId, eventId })),
    })),
  );
}

/** The deliveries of a company in the order of their making. */
export async function deliveriesOf(companyId: number): Promise<(DeliveryRow & { subject_hmac: string | null })[]> {
  const { results } = await testEnv.DB.prepare("SELECT * FROM action_deliveries WHERE company_id = ? ORDER BY seq")
    .bind(companyId)
    .all<DeliveryRow & { subject_hmac: string | null }>();
  return results;
}

/** Hands messages to the queue handler of the Worker, and waits for all its work. */
export async function consume(bindings: EmailBindings, queue: string, bodies: readonly unknown[]): Promise<void> {
  const messages = bodies.map((body, index) => ({ id: `message-${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, bindings, ctx);
  await getQueueResult(batch, ctx);
  await waitOnExecutionContext(ctx);
}
