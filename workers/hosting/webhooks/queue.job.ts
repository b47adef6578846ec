import { uuid } from "../../kit/ids";
import { createLog, errorName, type Log } from "../../kit/log";
import { readOrLog } from "../../kit/log-once";
import { consumeFirst } from "../../kit/webhooks/dispatch/first-attempt.job";
import { drain } from "../../kit/webhooks/dispatch/retry";
import { isDrainMessage } from "../../kit/webhooks/messages";
import type { HostingBindings } from "../bindings";
import { type HostingServices, services } from "../services";
import { settingsOf } from "../settings";

/** The consumer of `webhooks-hosting`, first attempts of webhooks, and of `hosting-service`, helpers of a retry run. */
export async function runQueue(
  batch: MessageBatch<unknown>,
  env: HostingBindings,
  ctx: ExecutionContext,
): Promise<void> {
  const log = createLog({ service: "hosting" });
  // Refused settings: nothing is done, and nothing is lost.
  if (readOrLog(env, log, () => settingsOf(env)) === null) return batch.retryAll();
  const servicesOf = (requestId: string): HostingServices =>
    services(env, { requestId, log: log.with({ request_id: requestId }), waitUntil: (work) => ctx.waitUntil(work) });
  if (batch.queue === "webhooks-hosting") return consumeFirst(servicesOf(uuid()).actions, batch);
  await Promise.all(batch.messages.map((message) => help(message, servicesOf, log)));
}

/** A helper that fails is not repeated: the rows it held are due again when their leases end. */
async function help(
  message: Message<unknown>,
  servicesOf: (requestId: string) => HostingServices,
  log: Log,
): Promise<void> {
  const { body } = message;
  if (!isDrainMessage(body)) {
    log.error("malformed message dropped", { queue_message_id: message.id });
  } else {
    try {
      await drain(servicesOf(`sjr-${body.run_id}`).actions, body);
    } catch (error) {
      log.error("helper of a retry run failed", { run_id: body.run_id, cause: errorName(error) });
    }
  }
  message.ack();
}
