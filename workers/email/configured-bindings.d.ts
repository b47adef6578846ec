// Written by `npm run types` from the Worker's wrangler.toml.
export interface ConfiguredBindings {
  FILES: R2Bucket;
  ATTACHMENTS: R2Bucket;
  DB: D1Database;
  QUEUE_AUTH: Queue;
  QUEUE_TRANSACTIONAL: Queue;
  QUEUE_BULK: Queue;
  QUEUE_ERASURES: Queue;
  WEBHOOKS_QUEUE: Queue;
  SERVICE_QUEUE: Queue;
  ASSETS: Fetcher;
  EMAIL_COMPANY_AUTH_LIMIT: string;
  RATE_LIMITER: DurableObjectNamespace<import("./worker").RateLimiter>;
  BROKER: DurableObjectNamespace<import("./worker").JobLock>;
  IDENTITY: Fetcher;
  IDENTITY_RPC: Service<typeof import("../identity/worker").IdentityRpc>;
  HOSTING_RPC: Service<typeof import("../hosting/worker").HostingRpc>;
  STORAGE_RPC: Service<typeof import("../storage/worker").StorageRpc>;
}
