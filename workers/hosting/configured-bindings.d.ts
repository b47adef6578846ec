// Written by `npm run types` from the Worker's wrangler.toml.
export interface ConfiguredBindings {
  FILES: R2Bucket;
  DB: D1Database;
  WEBHOOKS_QUEUE: Queue;
  SERVICE_QUEUE: Queue;
  ASSETS: Fetcher;
  RATE_LIMITER: DurableObjectNamespace<import("./worker").RateLimiter>;
  BROKER: DurableObjectNamespace<import("./worker").JobLock>;
  IDENTITY: Fetcher;
  IDENTITY_RPC: Service<typeof import("../identity/worker").IdentityRpc>;
  EMAIL: Fetcher;
}
