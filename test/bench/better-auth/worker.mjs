// better-auth with its plugin for magic links on D1, as its documentation sets it up. Its limits are off, which is its default
// outside of production; it hands each mail over as identity does.
import { env } from "cloudflare:workers";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { magicLink } from "better-auth/plugins";

const options = {
  baseURL: "http://localhost:5173",
  secret: "a secret of the bench that guards nothing",
  database: env.DB,
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  plugins: [
    magicLink({
      storeToken: "hashed",
      sendMagicLink: async ({ email, url }) => {
        const body = JSON.stringify({ to: [{ email }], variables: { magic_link_url: url } });
        const response = await env.MAIL.fetch("http://mail/", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        if (!response.ok) throw new Error(`the mail was answered ${response.status}`);
      },
    }),
  ],
};

const auth = betterAuth(options);

export default {
  /** `/migrate` makes the tables; all else is better-auth's. */
  async fetch(request) {
    if (new URL(request.url).pathname !== "/migrate") return auth.handler(request);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    return new Response();
  },
};
