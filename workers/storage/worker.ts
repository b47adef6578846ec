import { createScheduled } from "../kit/jobs/api/schedule";
import { JobLock } from "../kit/jobs/lock/job-lock";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { createWebhookQueues } from "../kit/webhooks/consumers/queue.job";
import { app } from "./app";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { StorageRpc } from "./rpc";
import { services } from "./services";

export { JobLock, RateLimiter, StorageRpc };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: createWebhookQueues("storage", services),
} satisfies ExportedHandler<ConfiguredBindings>;
