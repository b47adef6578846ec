import { uuid } from "../kit/ids";
import { createLog } from "../kit/log";
import { app } from "./app";
import type { EmailBindings } from "./bindings";
import { consume } from "./jobs/consume";
import { runScheduled } from "./jobs/scheduled";
import { type EmailServices, services } from "./services";

export { RateLimiter } from "../kit/limits/rate-limiter";

/** The services of a queue batch or a cron, with a request id of their own. */
function servicesOf(env: EmailBindings, ctx: ExecutionContext): EmailServices {
  const requestId = uuid();
  const log = createLog({ service: "email", request_id: requestId });
  return services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) });
}

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env, ctx) => consume(servicesOf(env, ctx), batch),
  scheduled: (controller, env, ctx) => runScheduled(servicesOf(env, ctx), controller.cron),
} satisfies ExportedHandler<EmailBindings>;
