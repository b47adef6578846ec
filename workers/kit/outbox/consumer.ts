import { uuid } from "../ids";
import { createLog, type Log } from "../log";
import { readOrLog } from "../log-once";

/** Wait before messages are given again whose work failed, as it does when the database is away. */
const REDELIVERY_SECONDS = 10;

type Invocation = { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void };

/**
 * The queue handler of a service. `consume` gets the services of the batch, and `servicesOf` for messages that go on with
 * the request that rang. With refused settings nothing is done, and nothing is lost.
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
 * The messages of a batch that can be read. Others are logged as `complaint` and acknowledged with the batch, since no
 * repetition would make them readable.
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

/** Works and acknowledges; work that throws is told to `failed`, and the messages are given again after 10 s. */
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
