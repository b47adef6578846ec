// Written by `npm run types` from the Worker's wrangler.toml.
export interface ConfiguredBindings {
  DB: D1Database;
  SERVICE_QUEUE: Queue;
  WEBHOOKS_QUEUE: Queue;
  ASSETS: Fetcher;
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: string;
  AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: string;
  RATE_LIMITER: DurableObjectNamespace<import("./worker").RateLimiter>;
  BROKER: DurableObjectNamespace<import("./worker").JobLock>;
  EMAIL: Fetcher;
}
