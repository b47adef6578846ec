import type { IdentityRpcMethods } from "../../schemas/rpc";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { IdMessage } from "../kit/outbox/queue-message";
import type { VariablesOf } from "../kit/settings/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/dispatch/messages";
import type { settingsTable } from "./settings";

/**
 * A wake-up message of the lane queues: at most 50 ids of 32 hex digits, of messages or, in `email-bulk`, of erasures. It
 * never contains an address.
 */
export type LaneMessage = IdMessage<"send" | "erase">;

/** Bindings and variables of the Worker. Only settings.ts reads the variables. */
export interface EmailBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  /** API documentation pages, the OpenAPI document and the library */
  ASSETS: Fetcher;
  /** uploaded logos: `logos/{sha256}` */
  FILES: R2Bucket;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  QUEUE_AUTH: Queue<LaneMessage>;
  QUEUE_TRANSACTIONAL: Queue<LaneMessage>;
  QUEUE_BULK: Queue<LaneMessage>;
  /** wake-up messages for first webhook attempts; only undefined with DEBUG, or in a deployment that is rejected */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** wake-up messages that share a retry run between consumers */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
}
