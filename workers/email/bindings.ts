import type { IdentityRpcMethods, OperationsRpcMethods, StorageRpcMethods } from "../../schemas/rpc";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { IdMessage } from "../kit/outbox/queue-message";
import type { VariablesOf } from "../kit/settings/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/dispatch/messages";
import type { settingsTable } from "./settings";

/**
 * A message in a lane queue or in the queue of erasures. It contains ids of 32 hex digits: ids of messages, or ids of erasures.
 * It never contains an address.
 */
export type LaneMessage = IdMessage<"send" | "erase">;

/** A message in the queue `email-service` that requests the next step of a broadcast, by its id as text. */
export type StepMessage = IdMessage<"broadcast" | "confirmations" | "remove_subscribers">;

/** The bindings and variables of the Worker. Only settings.ts reads the variables. */
export interface EmailBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  /** API documentation pages, the OpenAPI document and the library */
  ASSETS: Fetcher;
  /** uploaded logos: `logos/{sha256}` */
  FILES: R2Bucket;
  /** attachments of waiting messages: `attachments/{company}/{set}/{number}` */
  ATTACHMENTS: R2Bucket;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  QUEUE_AUTH: Queue<LaneMessage>;
  QUEUE_TRANSACTIONAL: Queue<LaneMessage>;
  QUEUE_BULK: Queue<LaneMessage>;
  QUEUE_ERASURES: Queue<LaneMessage>;
  /** queue for first webhook attempts. If it is missing, the service rejects every request, unless DEBUG is set */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** queue whose messages let several consumers share a retry run, and request steps of broadcasts */
  SERVICE_QUEUE?: Queue<DrainMessage | StepMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
  /** without it, the job `watch` does not check hosting */
  HOSTING_RPC?: OperationsRpcMethods | undefined;
  /** without it, requests cannot attach objects of storage, and the job `watch` does not check storage */
  STORAGE_RPC?: (StorageRpcMethods & OperationsRpcMethods) | undefined;
  /** Cloudflare's Email Service; required for EMAIL_PLATFORM_TRANSPORT=cloudflare */
  SEND_EMAIL?: SendEmail | undefined;
}
