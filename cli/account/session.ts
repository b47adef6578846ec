import type { Loaded } from "../config/load.ts";
import {
  type Account,
  type Credential,
  credentialsFile,
  readCredential,
  withLock,
  writeCredential,
} from "./credentials.ts";
import { callService, readTokens, ServiceError } from "./service.ts";

const refreshBeforeSeconds = 60;

/** Returns the account of a configuration, or a sentence that says why the configuration has no account. */
export function accountOf({ result }: Pick<Loaded, "result">): Account | { problem: string } {
  const backend = result?.page.backend;
  if (backend === undefined) return { problem: "The configuration has no backend." };
  if (backend.type !== "platform")
    return { problem: 'The command line can sign in only to a backend of type "platform".' };
  if (backend.companyId === undefined) return { problem: "The configuration has no backend.companyId." };
  return { url: backend.url, companyId: backend.companyId };
}

/**
 * Returns `PLATFORM_TOKEN` if it is set, else the stored access token. Refreshes a stored token that expires within one
 * minute. Returns undefined if no token is stored, or if the service rejects the refresh because the session has ended.
 */
export async function findToken(account: Account, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.PLATFORM_TOKEN) return env.PLATFORM_TOKEN;
  const file = credentialsFile(env);
  const stored = readCredential(file, account);
  if (stored === undefined || !isDue(stored)) return stored?.accessToken;
  return await withLock(file, async () => {
    // Another command may have refreshed the token while this one waited for the lock.
    const current = readCredential(file, account);
    if (current === undefined || !isDue(current)) return current?.accessToken;
    try {
      const body = { refresh_token: current.refreshToken };
      const response = await callService(`${account.url}/api/v1/token?grant_type=refresh_token`, {
        method: "POST",
        body,
      });
      const refreshed = readTokens(response);
      writeCredential(file, account, refreshed);
      return refreshed.accessToken;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      writeCredential(file, account, undefined);
      return undefined;
    }
  });
}

function isDue({ expiresAt }: Credential): boolean {
  return expiresAt - Date.now() / 1000 < refreshBeforeSeconds;
}

/** Returns the expiry of a token in seconds since the epoch, or undefined if it cannot be read. The token is not verified. */
export function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? Number(claims.exp) : Number.NaN;
    return Number.isFinite(exp) ? exp : undefined;
  } catch {
    return undefined;
  }
}
