import { createScheduled } from "../kit/jobs/api/schedule";
import { createQueueHandler } from "../kit/outbox/consumer";
import { app } from "./app";
import type { EmailBindings } from "./bindings";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { consume } from "./operations/jobs/consume.job";
import { services } from "./services";

export { JobLock } from "../kit/jobs/lock/job-lock";
export { RateLimiter } from "../kit/limits/rate-limiter";

export default {
  fetch: (request, env: EmailBindings, ctx) => app.fetch(request, env, ctx),
  queue: createQueueHandler("email", services, consume),
  scheduled: createScheduled(jobs, services),
} satisfies ExportedHandler<ConfiguredBindings>;
