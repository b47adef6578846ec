import type { IdentityRpcMethods } from "../../schemas/rpc";
import type { IssuerBindings } from "../kit/auth/issuer";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/messages";
import type { ActionsVariables } from "../kit/webhooks/settings";

type Text = string | undefined;

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface HostingBindings extends JobBindings, ActionsVariables, IssuerBindings {
  DB: D1Database;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  /** doorbells of first attempts; undefined only in a deployment that is refused, or with DEBUG */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** helpers of a retry run */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY_RPC: IdentityRpcMethods;
  EMAIL?: Fetcher | undefined;
  DEBUG?: Text;
  API_MUTATION_RATE_LIMIT?: Text;
  CORS_ALLOWED_ORIGINS?: Text;
  OPERATOR_KEY?: Text;
  EVENT_LOG_RETENTION_DAYS?: Text;
}
