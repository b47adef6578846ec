import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { VariablesOf } from "../kit/settings/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/dispatch/messages";
import type { MailMessage } from "./mail/outbox/mail-message";
import type { settingsTable } from "./settings";

/** Messages of the queue `identity-service`. */
export type ServiceMessage = MailMessage | DrainMessage;

/** Bindings and variables of the Worker. Only settings.ts reads the variables. */
export interface IdentityBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  /** documentation pages and OpenAPI document of the API */
  ASSETS: Fetcher;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  SERVICE_QUEUE: Queue<ServiceMessage>;
  WEBHOOKS_QUEUE?: Queue<FirstMessage>;
  EMAIL?: Fetcher | undefined;
}
