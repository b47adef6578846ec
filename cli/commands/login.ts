import { createHash, randomBytes } from "node:crypto";
import { type Account, credentialsFile, withLock, writeCredential } from "../account/credentials.ts";
import { type Loopback, limitMs, openLoopback } from "../account/loopback.ts";
import { callService, readTokens, ServiceError } from "../account/service.ts";
import type { Config } from "../config/load.ts";
import { canOpenBrowser, openBrowser } from "../serve/open-browser.ts";
import { openAccount } from "./account-config.ts";
import { type Output, paint } from "./output.ts";

export type LoginOptions = {
  root: string | undefined;
  provider: string | undefined;
  opensBrowser: boolean;
  waitMs?: number;
};

/** `platform login`: signs in through the browser and exchanges the returned code on this machine. */
export async function runLogin(
  options: LoginOptions,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const opened = await openAccount(options.root, output, cwd, env);
  if (opened === undefined) return 1;
  const { account, config } = opened;
  const verifier = randomBytes(32).toString("base64url");
  const loopback = await openLoopback(randomBytes(16).toString("base64url"), options.waitMs);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const address = signInAddress(config, account, loopback, challenge, options.provider);
  output.out(`Sign in at ${address}`);
  if (options.opensBrowser && canOpenBrowser(env)) {
    await openBrowser(address, env).catch(() =>
      output.err("warning: no browser could be opened; open the URL manually."),
    );
  }
  const stopSpinner = await output.wait?.("Waiting for the sign-in in the browser");
  const callback = await loopback.wait();
  stopSpinner?.(callback !== undefined && "code" in callback ? "The browser responded" : "No sign-in");
  if (callback === undefined) {
    output.err(`error login-timeout: Nobody signed in within ${(options.waitMs ?? limitMs) / 60_000} minutes.`);
    return 1;
  }
  if ("error" in callback) {
    output.err(
      `error ${/^[a-z0-9_]{1,64}$/.test(callback.error) ? callback.error : "sign-in-failed"}: The sign-in was refused.`,
    );
    return 1;
  }
  return await exchange(account, callback.code, loopback.redirectTo, verifier, output, env);
}

async function exchange(
  account: Account,
  code: string,
  redirectTo: string,
  verifier: string,
  output: Output,
  env: NodeJS.ProcessEnv,
) {
  const body = { auth_code: code, redirect_to: redirectTo, company_id: account.companyId, code_verifier: verifier };
  try {
    const tokens = readTokens(await callService(`${account.url}/api/v1/oauth/session`, { method: "POST", body }));
    const file = credentialsFile(env);
    await withLock(file, async () => writeCredential(file, account, tokens));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    output.err(`error ${error.message}: The sign-in at ${account.url} failed.`);
    return 1;
  }
  output.out(`${paint("green", "✓")} Signed in to ${account.url}, company ${account.companyId}`);
  return 0;
}

/**
 * Returns the URL to sign in at. If `backend.loginUrl` is set, this is the shell's sign-in page, which offers every enabled
 * method. Otherwise this is the authorize endpoint of the service.
 */
function signInAddress(
  { page }: Config,
  { url, companyId }: Account,
  { redirectTo }: Loopback,
  challenge: string,
  provider: string | undefined,
): string {
  const { loginUrl } = page.backend ?? {};
  if (loginUrl !== undefined) {
    const query = new URLSearchParams({ platform_cli_redirect: redirectTo, code_challenge: challenge });
    if (provider !== undefined) query.set("provider", provider);
    return `${loginUrl}/login?${query}`;
  }
  const query = new URLSearchParams({
    company_id: String(companyId),
    redirect_to: redirectTo,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(provider !== undefined && { provider }),
  });
  return `${url}/api/v1/authorize?${query}`;
}
