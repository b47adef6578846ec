import type { Log } from "../../log";
import { createQueueHandler, isFromQueue } from "../../outbox/consumer";
import type { WebhooksContext } from "../context";
import { consumeFirst } from "./first-attempt.job";
import { consumeHelp } from "./help.job";

/**
 * Returns the queue handler of a service whose queues carry only webhooks: `webhooks-{service}` carries first attempts,
 * `{service}-service` carries helper messages of retry runs.
 */
export function createWebhookQueues<Env extends object>(
  service: string,
  services: (
    env: Env,
    invocation: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
  ) => { webhooks: WebhooksContext },
) {
  return createQueueHandler(service, services, ({ webhooks }, batch) =>
    isFromQueue(batch, `webhooks-${service}`) ? consumeFirst(webhooks, batch) : consumeHelp(webhooks, batch),
  );
}
