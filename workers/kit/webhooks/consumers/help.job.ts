import { errorName } from "../../log";
import { readMessages } from "../../outbox/consumer";
import type { WebhooksContext } from "../context";
import { type DrainMessage, readDrainMessage } from "../dispatch/messages";
import { drain } from "./retry";

/** Consumes messages of a queue `{service}-service` that carries only helper messages of retry runs. */
export async function consumeHelp(webhooks: WebhooksContext, batch: MessageBatch<unknown>): Promise<void> {
  const calls = readMessages(batch, readDrainMessage, webhooks.log, "malformed message dropped");
  await Promise.all(calls.map((call) => runHelper(webhooks, call)));
  batch.ackAll();
}

/** Helps a retry run. A failed helper is not retried, because its rows are due again when their leases expire. */
export async function runHelper(webhooks: WebhooksContext, call: DrainMessage): Promise<void> {
  const requestId = `sjr-${call.run_id}`;
  const log = webhooks.log.with({ request_id: requestId });
  try {
    const { counts, end } = await drain({ ...webhooks, requestId, log }, call);
    log.info("deliveries", { run_id: call.run_id, end, ...counts });
  } catch (error) {
    log.error("helper of a retry run failed", { run_id: call.run_id, cause: errorName(error) });
  }
}
