import { errorName } from "../../log";
import type { ActionsContext } from "../context";
import { isFirstMessage } from "../messages";
import { deliverFirst } from "./dispatch";

/** Wait before a batch is given again because the database was away. */
const REDELIVERY_SECONDS = 10;

/**
 * The consumer of `webhooks-{service}`. It takes the next doorbells as soon as these
 * are claimed or held back by limits: their attempts end in `waitUntil`, for which no consumer with the compatibility flag
 * `queue_consumer_no_wait_for_wait_until` waits, so a slow receiver never holds the queue. A malformed doorbell is logged
 * and dropped, since no repetition would make it readable.
 */
export async function consumeFirst(context: ActionsContext, batch: MessageBatch<unknown>): Promise<void> {
  const { log, waitUntil } = context;
  const requestIds = new Map<string, string>();
  for (const message of batch.messages) {
    if (!isFirstMessage(message.body)) {
      log.error("malformed doorbell dropped", { queue: batch.queue, queue_message_id: message.id });
      continue;
    }
    for (const id of message.body.ids) requestIds.set(id, message.body.request_id);
  }
  const failed = (error: unknown) =>
    log.error("first attempts failed", { queue: batch.queue, deliveries: requestIds.size, error: errorName(error) });
  try {
    if (requestIds.size > 0) {
      const { done, quiet } = deliverFirst(context, requestIds);
      await Promise.race([done, quiet]);
      waitUntil(done.catch(failed));
    }
    batch.ackAll();
  } catch (error) {
    failed(error);
    batch.retryAll({ delaySeconds: REDELIVERY_SECONDS });
  }
}
