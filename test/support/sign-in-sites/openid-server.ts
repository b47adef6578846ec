import { once } from "node:events";
import { Provider } from "oidc-provider";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";

export type OpenIdServer = {
  issuer: string;
  client: { client_id: string; client_secret: string };
  /** stops the provider; `start` restarts it on the same port without its state */
  stop(): Promise<void>;
  start(): Promise<void>;
};

/**
 * Starts a real, certified OpenID provider on the loopback host with its own login and consent pages. The login name is
 * both the subject and the email address. Only the userinfo endpoint returns email addresses.
 */
export async function startOpenIdServer(redirectUri: string): Promise<OpenIdServer> {
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  // Id and secret contain characters that HTTP Basic and forms encode differently.
  const client = { client_id: "platform:test", client_secret: "secret with space & +/%" };
  const configuration = {
    clients: [{ ...client, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name"] },
    cookies: { keys: ["only for this run of the tests"] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, given_name: "Grace", family_name: "Hopper" }),
    }),
  };
  const open = async () => {
    const server = new Provider(issuer, configuration).listen(port, "127.0.0.1", () => undefined);
    await once(server, "listening");
    return server;
  };
  let server = await open();
  return {
    issuer,
    client,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    start: async () => {
      server = await open();
    },
  };
}
