import { errorName } from "../../log";
import { acknowledge, readMessages } from "../../outbox/consumer";
import type { WebhooksContext } from "../context";
import { deliverFirst } from "../dispatch/dispatch";
import { readFirstMessage } from "../dispatch/messages";

/**
 * The consumer of `webhooks-{service}`. It takes the next doorbells as soon as these
 * are claimed or held back by limits: their attempts end in `waitUntil`, for which no consumer with the compatibility flag
 * `queue_consumer_no_wait_for_wait_until` waits, so a slow receiver never holds the queue.
 */
export async function consumeFirst(context: WebhooksContext, batch: MessageBatch<unknown>): Promise<void> {
  const { log, waitUntil } = context;
  const doorbells = readMessages(batch, readFirstMessage, log, "malformed doorbell dropped");
  const requestIds = new Map(doorbells.flatMap(({ ids, request_id }) => ids.map((id) => [id, request_id] as const)));
  const failed = (error: unknown) =>
    log.error("first attempts failed", { queue: batch.queue, deliveries: requestIds.size, error: errorName(error) });
  const deliver = async () => {
    if (requestIds.size === 0) return;
    const { done, quiet } = deliverFirst(context, requestIds);
    await Promise.race([done, quiet]);
    waitUntil(done.then(({ counts, end }) => log.info("deliveries", { queue: batch.queue, end, ...counts }), failed));
  };
  await acknowledge(batch, deliver, failed);
}
