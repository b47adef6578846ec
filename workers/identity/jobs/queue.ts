import * as z from "zod";
import { createLog, errorName } from "../../kit/log";
import { readOrTell } from "../../kit/tell";
import type { IdentityBindings, ServiceMessage } from "../bindings";
import { services } from "../services";
import { settingsOf } from "../settings";
import { attemptMail } from "./retry-mail";

const messageSchema = z.object({ v: z.literal(1), kind: z.literal("mail"), id: z.uuid(), request_id: z.string() });

/** The consumer of `identity-service`: a doorbell that names a mail row. A malformed one is dropped with a log line. */
export async function runQueue(
  batch: MessageBatch<ServiceMessage>,
  env: IdentityBindings,
  ctx: ExecutionContext,
): Promise<void> {
  // Refused settings: nothing is done, and nothing is lost.
  if (readOrTell(env, createLog({ service: "identity" }), () => settingsOf(env)) === null) return batch.retryAll();
  await Promise.all(batch.messages.map((message) => consume(message, env, ctx)));
}

async function consume(message: Message<ServiceMessage>, env: IdentityBindings, ctx: ExecutionContext): Promise<void> {
  const read = messageSchema.safeParse(message.body);
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
