import type { IdentityRpcMethods } from "../../schemas/rpc";
import type { JobBindings } from "../kit/jobs/settings";
import type { RateLimiter } from "../kit/limits/rate-limiter";
import type { VariablesOf } from "../kit/settings";
import type { DrainMessage, FirstMessage } from "../kit/webhooks/messages";
import type { settingsTable } from "./settings";

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface HostingBindings extends JobBindings, VariablesOf<typeof settingsTable> {
  DB: D1Database;
  /** pages and document of the API */
  ASSETS: Fetcher;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  /** doorbells of first attempts; undefined only in a deployment that is refused, or with DEBUG */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** helpers of a retry run */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
  EMAIL?: Fetcher | undefined;
}
