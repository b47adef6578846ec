import { uuid } from "../../kit/ids";
import { createLog, errorName } from "../../kit/log";
import { readOrLog } from "../../kit/log-once";
import { consumeFirst } from "../../kit/webhooks/dispatch/first-attempt.job";
import { drain } from "../../kit/webhooks/dispatch/retry";
import { type DrainMessage, isDrainMessage } from "../../kit/webhooks/messages";
import type { IdentityBindings } from "../bindings";
import { attemptMail } from "../mail/mail";
import { mailMessageSchema } from "../mail/mail-message";
import { services } from "../services";
import { settingsOf } from "../settings";

/** The consumer of `webhooks-identity`, first attempts of webhooks, and of `identity-service`. */
export async function runQueue(
  batch: MessageBatch<unknown>,
  env: IdentityBindings,
  ctx: ExecutionContext,
): Promise<void> {
  // Refused settings: nothing is done, and nothing is lost.
  if (readOrLog(env, createLog({ service: "identity" }), () => settingsOf(env)) === null) return batch.retryAll();
  if (batch.queue === "webhooks-identity") {
    const requestId = uuid();
    const log = createLog({ service: "identity", request_id: requestId });
    return consumeFirst(services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) }).actions, batch);
  }
  await Promise.all(batch.messages.map((message) => consume(message, env, ctx)));
}

/** A doorbell that names a mail row, or a call for help of a retry run. A malformed one is dropped with a log line. */
async function consume(message: Message<unknown>, env: IdentityBindings, ctx: ExecutionContext): Promise<void> {
  if (isDrainMessage(message.body)) return help(message, message.body, env, ctx);
  const read = mailMessageSchema.safeParse(message.body);
  const requestId = read.success ? read.data.request_id : message.id;
  const log = createLog({ service: "identity", request_id: requestId });
  if (!read.success) {
    log.error("malformed doorbell dropped");
    message.ack();
    return;
  }
  try {
    await attemptMail(services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) }), read.data.id);
    message.ack();
  } catch (error) {
    // The row is due again when its lease ends; the sweep finds it even when the queue gives up.
    log.error("mail attempt failed", { cause: errorName(error) });
    message.retry({ delaySeconds: 10 });
  }
}

/** A helper that fails is not repeated: the rows it held are due again when their leases end. */
async function help(
  message: Message<unknown>,
  body: DrainMessage,
  env: IdentityBindings,
  ctx: ExecutionContext,
): Promise<void> {
  const requestId = `sjr-${body.run_id}`;
  const log = createLog({ service: "identity", request_id: requestId });
  try {
    await drain(services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) }).actions, body);
  } catch (error) {
    log.error("helper of a retry run failed", { run_id: body.run_id, cause: errorName(error) });
  }
  message.ack();
}
