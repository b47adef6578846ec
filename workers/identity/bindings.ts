import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { VariablesOf } from "../kit/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/context";
import type { settingsTable } from "./settings";

/** A doorbell of the queue `identity-service`: the id of a mail row, never its content. */
export type MailMessage = { v: 1; kind: "mail"; id: string; request_id: string };
export type ServiceMessage = MailMessage | DrainMessage;

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface IdentityBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  SERVICE_QUEUE: Queue<ServiceMessage>;
  WEBHOOKS_QUEUE?: Queue<FirstMessage>;
  EMAIL?: Fetcher | undefined;
}
