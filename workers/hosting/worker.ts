import { createScheduled } from "../kit/jobs/api/schedule";
import { JobLock } from "../kit/jobs/lock/job-lock";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { createQueueHandler } from "../kit/outbox/consumer";
import { app } from "./app";
import { Apps } from "./app-hosts";
import type { ConfiguredBindings } from "./configured-bindings";
import { consume } from "./consume.job";
import { jobs } from "./jobs";
import { HostingRpc } from "./rpc";
import { services } from "./services";

export { Apps, HostingRpc, JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: createQueueHandler("hosting", services, consume),
} satisfies ExportedHandler<ConfiguredBindings>;
