/** The part of the package's API that the tests use. The package ships no types. */
declare module "oidc-provider" {
  import type { RequestListener, Server } from "node:http";

  type Claims = { sub: string } & Record<string, unknown>;
  export type Configuration = {
    clients: {
      client_id: string;
      client_secret: string;
      redirect_uris: string[];
      token_endpoint_auth_method?: string;
    }[];
    claims: Record<string, string[]>;
    cookies: { keys: string[] };
    conformIdTokenClaims?: boolean;
    findAccount(context: unknown, id: string): { accountId: string; claims(): Claims } | undefined;
    jwks?: { keys: object[] };
    routes?: Record<string, string>;
    ttl?: Record<string, number>;
  };
  /** The part of Koa's context that middleware reads and changes. */
  export type Context = {
    hostname: string;
    path: string;
    query: Record<string, unknown>;
    status: number;
    body: unknown;
    response: { get(name: string): string };
    set(name: string, value: string): void;
    oidc?: { account?: { accountId: string } };
  };
  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    /** trusts X-Forwarded-Host and X-Forwarded-Proto */
    proxy: boolean;
    Client: { prototype: { clientId: string; compareClientSecret(secret: string): boolean | Promise<boolean> } };
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): RequestListener;
    listen(port: number, host: string, done: () => void): Server;
  }
}
