import { JobLock } from "../kit/jobs/lock";
import { createScheduled } from "../kit/jobs/schedule";
import { RateLimiter } from "../kit/limits/rate-limiter";
import { app } from "./app";
import type { HostingBindings } from "./bindings";
import { jobs } from "./jobs/jobs";
import { services } from "./services";

export { JobLock, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: createScheduled(jobs, services),
} satisfies ExportedHandler<HostingBindings>;
