import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/messages";
import type { ActionsVariables } from "../kit/webhooks/settings";

/** A doorbell of the queue `identity-service`: the id of a mail row, never its content. */
export type MailMessage = { v: 1; kind: "mail"; id: string; request_id: string };
export type ServiceMessage = MailMessage | DrainMessage;

type Text = string | undefined;

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface IdentityBindings extends JobBindings, ActionsVariables {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  SERVICE_QUEUE: Queue<ServiceMessage>;
  WEBHOOKS_QUEUE?: Queue<FirstMessage>;
  EMAIL?: Fetcher | undefined;
  DEBUG?: Text;
  JWT_ISSUER?: Text;
  JWT_AUDIENCE?: Text;
  JWT_PRIVATE_KEY?: Text;
  JWT_PREVIOUS_PUBLIC_KEY?: Text;
  JWT_ACCESS_TOKEN_LIFETIME?: Text;
  JWT_REFRESH_TOKEN_LIFETIME?: Text;
  SESSION_ABSOLUTE_LIFETIME?: Text;
  REFRESH_GRACE_SECONDS?: Text;
  PERSONAL_ACCESS_TOKEN_LIFETIME?: Text;
  SECRET_KEY?: Text;
  SECRET_KEY_PREVIOUS?: Text;
  OAUTH_TOKEN_DELIVERY?: Text;
  OAUTH_SESSION_CODE_TTL_SECONDS?: Text;
  MAGIC_LINK_ENABLED?: Text;
  MAGIC_LINK_TTL_SECONDS?: Text;
  MAGIC_LINK_SIGN_IN_CODE?: Text;
  EMAIL_SERVICE_TIMEOUT_SECONDS?: Text;
  ACCOUNT_DELETE_MAX_AUTH_AGE?: Text;
  EVENT_LOG_RETENTION_DAYS?: Text;
  CORS_ALLOWED_ORIGINS?: Text;
  OPERATOR_KEY?: Text;
  AUTH_RATE_LIMIT_MAGIC_LINK?: Text;
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY?: Text;
  AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL?: Text;
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY?: Text;
  AUTH_RATE_LIMIT_OAUTH?: Text;
  AUTH_RATE_LIMIT_TOKEN_REFRESH?: Text;
  AUTH_RATE_LIMIT_SETTINGS?: Text;
  AUTH_RATE_LIMIT_PAT?: Text;
  API_MUTATION_RATE_LIMIT?: Text;
}
