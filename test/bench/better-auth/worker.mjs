// better-auth with its magic link plugin on D1, configured as its documentation says. Rate limits are off, which is the
// default outside of production. It sends each mail to the same sink as identity.
import { env } from "cloudflare:workers";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { magicLink } from "better-auth/plugins";

const options = {
  baseURL: "http://localhost:5173",
  secret: "an insecure secret for the benchmark",
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
        if (!response.ok) throw new Error(`the mail sink returned ${response.status}`);
      },
    }),
  ],
};

const auth = betterAuth(options);

export default {
  /** `/migrate` creates the tables; better-auth handles all other requests. */
  async fetch(request) {
    if (new URL(request.url).pathname !== "/migrate") return auth.handler(request);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    return new Response();
  },
};
