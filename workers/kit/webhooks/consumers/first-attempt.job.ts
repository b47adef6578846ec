import type { Db } from "../../db/db";
import { errorName } from "../../log";
import { acknowledge, readMessages } from "../../outbox/consumer";
import { groupByDb } from "../../outbox/queue-message";
import type { WebhooksContext } from "../context";
import { deliverFirst } from "../dispatch/dispatch";
import { type FirstMessage, readFirstMessage } from "../dispatch/messages";

/**
 * Consumes messages of `webhooks-{service}`. The handler returns as soon as its deliveries are claimed or held back by
 * limits, so that the queue can send the next messages. The attempts continue in `waitUntil`. The queue does not wait
 * for them under the compatibility flag `queue_consumer_no_wait_for_wait_until`, so a slow receiver never blocks the
 * queue.
 */
export async function consumeFirst(context: WebhooksContext, batch: MessageBatch<unknown>): Promise<void> {
  const { log, waitUntil } = context;
  const messages = readMessages(batch, readFirstMessage, log, "malformed queue message dropped");
  const size = messages.reduce((sum, { ids }) => sum + ids.length, 0);
  const logFailure = (error: unknown) =>
    log.error("first attempts failed", { queue: batch.queue, deliveries: size, error: errorName(error) });
  const deliverIn = async (db: Db, dbMessages: readonly FirstMessage[]) => {
    const requestIds = new Map(dbMessages.flatMap(({ ids, request_id }) => ids.map((id) => [id, request_id] as const)));
    if (requestIds.size === 0) return;
    const { done, quiet } = deliverFirst(context, db, requestIds);
    await Promise.race([done, quiet]);
    waitUntil(
      done.then(({ counts, end }) => log.info("deliveries", { queue: batch.queue, end, ...counts }), logFailure),
    );
  };
  const deliver = async () => {
    await Promise.all([...groupByDb(context, messages)].map(([db, dbMessages]) => deliverIn(db, dbMessages)));
  };
  await acknowledge(batch, deliver, logFailure);
}
