import { uuid } from "../kit/ids";
import { createScheduled } from "../kit/jobs/schedule";
import { createLog } from "../kit/log";
import { readOrLog } from "../kit/log-once";
import { app } from "./app";
import type { EmailBindings } from "./bindings";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { consume } from "./queue/consume.job";
import { services } from "./services";

export { JobLock } from "../kit/jobs/lock/job-lock";
export { RateLimiter } from "../kit/limits/rate-limiter";

/** A queue batch, with a request id of its own. With refused settings nothing is done, and nothing is lost. */
async function runQueue(batch: MessageBatch<unknown>, env: EmailBindings, ctx: ExecutionContext): Promise<void> {
  const requestId = uuid();
  const log = createLog({ service: "email", request_id: requestId });
  const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work);
  const own = readOrLog(env, log, () => services(env, { requestId, log, waitUntil }));
  if (own === null) batch.retryAll();
  else await consume(own, batch);
}

export default {
  fetch: (request, env: EmailBindings, ctx) => app.fetch(request, env, ctx),
  queue: runQueue,
  scheduled: createScheduled(jobs, services),
} satisfies ExportedHandler<ConfiguredBindings>;
