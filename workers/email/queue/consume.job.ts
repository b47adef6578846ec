import type { Lane } from "../../../schemas/email/lanes";
import { costOf } from "../../kit/http/cost";
import { errorName } from "../../kit/log";
import { consumeFirst } from "../../kit/webhooks/dispatch/first-attempt.job";
import { drain } from "../../kit/webhooks/dispatch/retry";
import { isDrainMessage } from "../../kit/webhooks/messages";
import { deliverNow } from "../delivery/delivery";
import { eraseNext } from "../privacy/erasure";
import type { EmailServices } from "../services";
import { parseDoorbell } from "./doorbell";

const QUEUE_LANES: Readonly<Record<string, Lane>> = {
  "email-auth": "auth",
  "email-transactional": "transactional",
  "email-bulk": "bulk",
};
/** Wait before a batch is given again because the database was away. */
const REDELIVERY_SECONDS = 10;

/** The consumer of every queue of the service. */
export async function consume(services: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  if (batch.queue === "webhooks-email") return consumeFirst(services.actions, batch);
  if (batch.queue === "email-service") return helpRetryRuns(services, batch);
  return deliverBatch(services, batch);
}

/** A helper of a retry run that fails is not repeated: the rows it held are due again when their leases end. */
async function helpRetryRuns({ actions, log }: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  for (const { id, body } of batch.messages) {
    if (!isDrainMessage(body)) {
      log.error("malformed message dropped", { queue: batch.queue, queue_message_id: id });
      continue;
    }
    const requestId = `sjr-${body.run_id}`;
    try {
      await drain({ ...actions, requestId, log: log.with({ request_id: requestId }) }, body);
    } catch (error) {
      log.error("helper of a retry run failed", { run_id: body.run_id, cause: errorName(error) });
    }
  }
  batch.ackAll();
}

/**
 * The consumer of the lane queues: acknowledges a doorbell after the results are stored. One that cannot be read is
 * logged and acknowledged, since no repetition would make it readable.
 */
async function deliverBatch(services: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  const lane = QUEUE_LANES[batch.queue];
  if (lane === undefined) {
    services.log.error("unknown queue", { queue: batch.queue });
    batch.ackAll();
    return;
  }
  const ids: string[] = [];
  const erasures: string[] = [];
  for (const message of batch.messages) {
    const doorbell = parseDoorbell(message.body);
    if (doorbell === null)
      services.log.error("malformed doorbell", { queue: batch.queue, queue_message_id: message.id });
    else (doorbell.kind === "erase" ? erasures : ids).push(...doorbell.ids);
  }
  try {
    if (ids.length > 0) await deliverNow(services, ids, lane);
    if (erasures.length > 0) await eraseNext(services, erasures);
    services.log.info("queue batch", { queue: batch.queue, ids: ids.length, ...costOf(services) });
    batch.ackAll();
  } catch (error) {
    services.log.error("queue batch failed", { queue: batch.queue, ids: ids.length, error: errorName(error) });
    batch.retryAll({ delaySeconds: REDELIVERY_SECONDS });
  }
}
