import { JobLock } from "../kit/jobs/lock/job-lock";
import { createScheduled } from "../kit/jobs/schedule";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { app } from "./app";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { services } from "./services";
import { runQueue } from "./webhooks/queue.job";

export { JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: runQueue,
} satisfies ExportedHandler<ConfiguredBindings>;
