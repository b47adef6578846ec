// Written by `npm run types` from the Worker's wrangler.toml.
export interface ConfiguredBindings {
  ASSETS: Fetcher;
  IDENTITY: Fetcher;
  EMAIL: Fetcher;
  HOSTING: Fetcher;
}
