/** The part of the package's API that the tests use; it ships no types. */
declare module "oidc-provider" {
  import type { Server } from "node:http";

  type Claims = { sub: string } & Record<string, unknown>;
  export type Configuration = {
    clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
    claims: Record<string, string[]>;
    cookies: { keys: string[] };
    findAccount(context: unknown, id: string): { accountId: string; claims(): Claims };
  };
  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    listen(port: number, host: string, done: () => void): Server;
  }
}
