import { uuid } from "../ids";
import { createLog, type Log } from "../log";
import { readOrLog } from "../log-once";

/** The delay before failed messages are redelivered, for example while the database is unavailable. */
const REDELIVERY_SECONDS = 10;

type Invocation = { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void };

/**
 * Returns the queue handler of a service. `consume` receives the services of the batch, and `servicesOf` to create
 * services with the request id of a message. With invalid settings the whole batch is retried, so no message is lost.
 */
export function createQueueHandler<Env extends object, Services>(
  service: string,
  services: (env: Env, invocation: Invocation) => Services,
  consume: (
    batchServices: Services,
    batch: MessageBatch<unknown>,
    servicesOf: (requestId: string) => Services,
  ) => Promise<unknown>,
): (batch: MessageBatch<unknown>, env: Env, ctx: ExecutionContext) => Promise<void> {
  return async (batch, env, ctx) => {
    const logOf = (requestId: string) => createLog({ service, request_id: requestId });
    const servicesOf = (requestId: string) =>
      services(env, { requestId, log: logOf(requestId), waitUntil: (work) => ctx.waitUntil(work) });
    const requestId = uuid();
    const batchServices = readOrLog(env, logOf(requestId), () => servicesOf(requestId));
    if (batchServices === null) batch.retryAll();
    else await consume(batchServices, batch, servicesOf);
  };
}

/**
 * Returns whether a batch is from the queue with this name in wrangler.toml. Deployments with a name prefix their queues:
 * `platform-staging-email-auth` for `email-auth`.
 */
export function isFromQueue({ queue }: MessageBatch<unknown>, name: string): boolean {
  return queue === name || queue.endsWith(`-${name}`);
}

/**
 * Returns the valid messages of a batch. Logs `malformedMessage` for every other message. The batch acknowledges them too,
 * because a retry cannot make them valid.
 */
export function readMessages<M>(
  batch: MessageBatch<unknown>,
  read: (body: unknown) => M | null,
  log: Log,
  malformedMessage: string,
): M[] {
  return batch.messages.flatMap(({ id, body }) => {
    const message = read(body);
    if (message === null) log.error(malformedMessage, { queue: batch.queue, queue_message_id: id });
    return message === null ? [] : [message];
  });
}

/**
 * Runs `work` and acknowledges the message or batch. When `work` throws, passes the error to `onFailure` and retries the
 * messages after 10 s.
 */
export async function acknowledge(
  queued: MessageBatch<unknown> | Message<unknown>,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  try {
    await work();
    if ("ackAll" in queued) queued.ackAll();
    else queued.ack();
  } catch (error) {
    onFailure(error);
    const retryOptions = { delaySeconds: REDELIVERY_SECONDS };
    if ("retryAll" in queued) queued.retryAll(retryOptions);
    else queued.retry(retryOptions);
  }
}
