import { createScheduled } from "../kit/jobs/api/schedule";
import { JobLock } from "../kit/jobs/lock/job-lock";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { app } from "./app";
import type { ServiceMessage } from "./bindings";
import type { ConfiguredBindings } from "./configured-bindings";
import { jobs } from "./operations/jobs/job-set";
import { runQueue } from "./operations/jobs/queue.job";
import { IdentityRpc } from "./rpc";
import { services } from "./services";

export { IdentityRpc, JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
  queue: runQueue,
} satisfies ExportedHandler<ConfiguredBindings, ServiceMessage>;
