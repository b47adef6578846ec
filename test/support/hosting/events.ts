import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { services } from "../../../workers/hosting/services";
import worker from "../../../workers/hosting/worker";
import { createLog } from "../../../workers/kit/log";
import {
  batchWithEvents,
  eventStatement,
  keyOfEvent,
  type NewEvent,
} from "../../../workers/kit/webhooks/event-log/new-event";

/** A queue that keeps what is sent to it. */
export function createQueueDouble() {
  const sent: unknown[] = [];
  const queue = {
    send: async (body: unknown) => void sent.push(body),
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      for (const { body } of messages) sent.push(body);
    },
  };
  return { sent, queue: queue as unknown as NonNullable<HostingBindings["WEBHOOKS_QUEUE"]> };
}

/** Stores an event of hosting with what follows from it, as a change of the service does. */
export async function emitEvent(bindings: HostingBindings, event: NewEvent, requestId: string): Promise<void> {
  const ctx = createExecutionContext();
  const log = createLog({ service: "hosting", request_id: requestId });
  const { webhooks } = services(bindings, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) });
  await batchWithEvents(webhooks, { event: eventStatement(webhooks, [event]) }, [keyOfEvent(event)]);
  await waitOnExecutionContext(ctx);
}

/** Hands messages to the queue handler of the Worker; answers the ids of those to be given again, or "all". */
export async function consume(
  bindings: HostingBindings,
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
