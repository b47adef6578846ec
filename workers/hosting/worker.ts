import { JobLock } from "../kit/jobs/lock/job-lock";
import { createScheduled } from "../kit/jobs/schedule";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { createWebhookQueues } from "../kit/webhooks/dispatch/queue.job";
import { app } from "./app";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { services } from "./services";

export { JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: createWebhookQueues("hosting", services),
} satisfies ExportedHandler<ConfiguredBindings>;
