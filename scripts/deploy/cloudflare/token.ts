import { wrangler } from "../../support/databases/databases.ts";
import { runScript } from "../../support/processes/children.ts";

const ENVELOPE = /\{.*\}/s;

/**
 * Returns the API token: CLOUDFLARE_API_TOKEN, or the token of `wrangler login`, which wrangler renews when it has expired. Throws
 * with the way to sign in.
 */
export async function findToken(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.CLOUDFLARE_API_TOKEN) return env.CLOUDFLARE_API_TOKEN;
  const signIn = "Not signed in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.";
  let output: string;
  try {
    output = await runScript(wrangler, ["auth", "token", "--json"]);
  } catch (error) {
    throw new Error(signIn, { cause: error });
  }
  const { token } = JSON.parse(ENVELOPE.exec(output)?.[0] ?? "{}") as { token?: string };
  if (token === undefined) throw new Error(signIn);
  return token;
}
