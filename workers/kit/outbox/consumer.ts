import { uuid } from "../ids";
import { createLog, type Log } from "../log";
import { readOrLog } from "../log-once";

/** The delay before failed messages are redelivered, for example when the database is unavailable. */
const REDELIVERY_SECONDS = 10;

type Invocation = { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void };

/**
 * Returns the queue handler of a service. `consume` receives the services of the batch, and `servicesOf` for messages
 * that continue the request that sent them. With invalid settings nothing is acknowledged, so no message is lost.
 */
export function createQueueHandler<Env extends object, Services>(
  service: string,
  services: (env: Env, invocation: Invocation) => Services,
  consume: (
    own: Services,
    batch: MessageBatch<unknown>,
    servicesOf: (requestId: string) => Services,
  ) => Promise<unknown>,
): (batch: MessageBatch<unknown>, env: Env, ctx: ExecutionContext) => Promise<void> {
  return async (batch, env, ctx) => {
    const logOf = (requestId: string) => createLog({ service, request_id: requestId });
    const servicesOf = (requestId: string) =>
      services(env, { requestId, log: logOf(requestId), waitUntil: (work) => ctx.waitUntil(work) });
    const requestId = uuid();
    const own = readOrLog(env, logOf(requestId), () => servicesOf(requestId));
    if (own === null) batch.retryAll();
    else await consume(own, batch, servicesOf);
  };
}

/**
 * Returns the valid messages of a batch. Others are logged as `complaint` and acknowledged with the batch, since
 * retrying cannot make them valid.
 */
export function readMessages<M>(
  batch: MessageBatch<unknown>,
  read: (body: unknown) => M | null,
  log: Log,
  complaint: string,
): M[] {
  return batch.messages.flatMap(({ id, body }) => {
    const message = read(body);
    if (message === null) log.error(complaint, { queue: batch.queue, queue_message_id: id });
    return message === null ? [] : [message];
  });
}

/**
 * Runs the work and acknowledges the messages. When it throws, `failed` receives the error and the messages are retried
 * after 10 s.
 */
export async function acknowledge(
  what: MessageBatch<unknown> | Message<unknown>,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  try {
    await work();
    if ("ackAll" in what) what.ackAll();
    else what.ack();
  } catch (error) {
    failed(error);
    const again = { delaySeconds: REDELIVERY_SECONDS };
    if ("retryAll" in what) what.retryAll(again);
    else what.retry(again);
  }
}
