import type { IdentityRpcMethods } from "../../schemas/rpc";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/messages";
import type { ActionsVariables } from "../kit/webhooks/settings";

/**
 * A doorbell of the lane queues (email details 5.2): ids of 32 hex characters, at most 50, of messages or, in `email-bulk`,
 * of erasures (8.3); never an address.
 */
export type Doorbell = { v: 1; kind: "send" | "erase"; ids: string[]; request_id: string };

type Text = string | undefined;

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface EmailBindings extends JobBindings, ActionsVariables {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  QUEUE_AUTH: Queue<Doorbell>;
  QUEUE_TRANSACTIONAL: Queue<Doorbell>;
  QUEUE_BULK: Queue<Doorbell>;
  /** doorbells of first attempts of webhooks; undefined only in a deployment that is refused, or with DEBUG */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** helpers of a retry run */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
  DEBUG?: Text;
  PUBLIC_BASE_URL?: Text;
  EMAIL_PUBLIC_URL?: Text;
  IDENTITY_SERVICE_URL?: Text;
  IDENTITY_ISSUER?: Text;
  IDENTITY_AUDIENCE?: Text;
  IDENTITY_JWKS_URL?: Text;
  EMAIL_AUTH_LINK_HOSTS?: Text;
  EMAIL_FALLBACK_PROVIDER?: Text;
  PROVIDER_API_URL?: Text;
  PROVIDER_API_KEY?: Text;
  EMAIL_HOST?: Text;
  EMAIL_PORT?: Text;
  EMAIL_HOST_USER?: Text;
  EMAIL_HOST_PASSWORD?: Text;
  EMAIL_USE_TLS?: Text;
  EMAIL_USE_SSL?: Text;
  DEFAULT_FROM_EMAIL?: Text;
  DEFAULT_FROM_NAME?: Text;
  BULK_FROM_EMAIL?: Text;
  BULK_FROM_NAME?: Text;
  EMAIL_ALLOW_COMPANY_SMTP?: Text;
  EMAIL_PLATFORM_COMPANY_IDS?: Text;
  EMAIL_VARIABLES_KEY?: Text;
  EMAIL_VARIABLES_PREVIOUS_KEYS?: Text;
  EMAIL_CREDENTIALS_KEY?: Text;
  EMAIL_CREDENTIALS_PREVIOUS_KEYS?: Text;
  EMAIL_HASH_PEPPER?: Text;
  EMAIL_HASH_PEPPER_PREVIOUS?: Text;
  EMAIL_IDEMPOTENCY_HOURS?: Text;
  EMAIL_AUTH_MAX_TTL_SECONDS?: Text;
  EMAIL_COMPANY_AUTH_LIMIT?: Text;
  EMAIL_COMPANY_AUTH_WINDOW_SECONDS?: Text;
  EMAIL_RECIPIENT_AUTH_LIMIT?: Text;
  EMAIL_RECIPIENT_AUTH_WINDOW_SECONDS?: Text;
  EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR?: Text;
  EMAIL_RECIPIENT_TRANSACTIONAL_PER_HOUR?: Text;
  EMAIL_MAX_RECIPIENTS?: Text;
  EMAIL_MAX_BATCH_ITEMS?: Text;
  EMAIL_MAX_VARIABLES_BYTES?: Text;
  EMAIL_SEND_LEASE_SECONDS?: Text;
  EMAIL_AUTH_SEND_LEASE_SECONDS?: Text;
  EMAIL_API_TIMEOUT_SECONDS?: Text;
  EMAIL_SMTP_TIMEOUT_SECONDS?: Text;
  EMAIL_DELIVER_SYNC?: Text;
  EMAIL_MESSAGE_RETENTION_DAYS?: Text;
  EMAIL_DNS_RESOLVER_URL?: Text;
  API_MUTATION_RATE_LIMIT?: Text;
  CORS_ALLOWED_ORIGINS?: Text;
  EVENT_LOG_RETENTION_DAYS?: Text;
  OPERATOR_KEY?: Text;
}
