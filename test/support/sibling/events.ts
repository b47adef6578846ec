import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { createLog } from "../../../workers/kit/log";
import type { SiblingBindings } from "../../../workers/kit/sibling-services";
import {
  batchWithEvents,
  eventStatement,
  keyOfEvent,
  type NewEvent,
} from "../../../workers/kit/webhooks/event-store/new-event";
import type { Sibling } from "./sibling";

/** Creates a queue that records its messages. */
export function createQueueDouble() {
  const sent: unknown[] = [];
  const queue = {
    send: async (body: unknown) => void sent.push(body),
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      for (const { body } of messages) sent.push(body);
    },
  };
  return { sent, queue: queue as unknown as NonNullable<SiblingBindings["WEBHOOKS_QUEUE"]> };
}

/** Stores an event and its deliveries, as a service does when data changes. */
export async function emitEvent(
  { service, services }: Sibling,
  bindings: SiblingBindings,
  event: NewEvent,
  requestId: string,
): Promise<void> {
  const ctx = createExecutionContext();
  const log = createLog({ service, request_id: requestId });
  const { webhooks } = services(bindings, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) });
  await batchWithEvents(webhooks, webhooks.platformDb, { event: eventStatement(webhooks, [event]) }, [
    keyOfEvent(event),
  ]);
  await waitOnExecutionContext(ctx);
}

/** Passes messages to the Worker's queue handler. Returns how many it acknowledged and how many it wants to retry. */
export async function consume(
  { worker }: Sibling,
  bindings: SiblingBindings,
  queue: string,
  bodies: unknown[],
): Promise<{ acked: number; retried: number }> {
  const messages = bodies.map((body, index) => ({ id: `message-${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, bindings, ctx);
  const result = await getQueueResult(batch, ctx);
  const retried = result.retryBatch.retry ? messages.length : result.retryMessages.length;
  return { acked: result.ackAll ? messages.length : result.explicitAcks.length, retried };
}
