// Written by `npm run types` from the Worker's wrangler.toml.
export interface ConfiguredBindings {
  IDENTITY: Fetcher;
  EMAIL: Fetcher;
  HOSTING: Fetcher;
  STORAGE: Fetcher;
  APPS: Service<typeof import("../hosting/worker").Apps>;
}
