import type { Log } from "../../log";
import { createQueueHandler } from "../../outbox/consumer";
import type { WebhooksContext } from "../context";
import { consumeFirst } from "./first-attempt.job";
import { consumeHelp } from "./help.job";

/**
 * Returns the queue consumer of a service whose queues only carry webhooks: first attempts from `webhooks-{service}`,
 * helpers of a retry run from `{service}-service`.
 */
export function createWebhookQueues<Env extends object>(
  service: string,
  services: (
    env: Env,
    invocation: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
  ) => { webhooks: WebhooksContext },
) {
  return createQueueHandler(service, services, ({ webhooks }, batch) =>
    batch.queue === `webhooks-${service}` ? consumeFirst(webhooks, batch) : consumeHelp(webhooks, batch),
  );
}
