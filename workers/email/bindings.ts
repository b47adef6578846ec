import type { IdentityRpcMethods } from "../../schemas/rpc";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { IdMessage } from "../kit/outbox/queue-message";
import type { VariablesOf } from "../kit/settings/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/dispatch/messages";
import type { settingsTable } from "./settings";

/**
 * A doorbell of the lane queues: ids of 32 hex characters, at most 50, of messages or, in `email-bulk`,
 * of erasures; never an address.
 */
export type LaneMessage = IdMessage<"send" | "erase">;

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface EmailBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  /** pages and document of the API */
  ASSETS: Fetcher;
  /** images that mails show: `logos/{sha256}` */
  FILES: R2Bucket;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  QUEUE_AUTH: Queue<LaneMessage>;
  QUEUE_TRANSACTIONAL: Queue<LaneMessage>;
  QUEUE_BULK: Queue<LaneMessage>;
  /** doorbells of first attempts of webhooks; undefined only in a deployment that is refused, or with DEBUG */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** helpers of a retry run */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
}
