import { RateLimiter } from "../kit/limits/rate-limiter";
import { app } from "./app";
import type { IdentityBindings, ServiceMessage } from "./bindings";
import { runQueue } from "./jobs/queue";
import { runScheduled } from "./jobs/scheduled";
import { IdentityRpc } from "./rpc";

export { IdentityRpc, RateLimiter };

export default {
  fetch: app.fetch,
  scheduled: runScheduled,
  queue: runQueue,
} satisfies ExportedHandler<IdentityBindings, ServiceMessage>;
