import { createScheduled } from "../kit/jobs/api/schedule";
import { JobLock } from "../kit/jobs/lock/job-lock";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { createQueueHandler } from "../kit/outbox/consumer";
import { app } from "./app";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./jobs";
import { consume } from "./operator/consume.job";
import { HostingRpc } from "./rpc";
import { services } from "./services";
import { Apps } from "./serving/app-hosts";

export { Apps, HostingRpc, JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: createQueueHandler("hosting", services, consume),
} satisfies ExportedHandler<ConfiguredBindings>;
