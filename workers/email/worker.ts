import { app } from "./app";
import type { EmailBindings } from "./bindings";

export { RateLimiter } from "../kit/limits/rate-limiter";

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<EmailBindings>;
