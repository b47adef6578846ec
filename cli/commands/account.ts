import { credentialsFile, readCredential, withLock, writeCredential } from "../account/credentials.ts";
import { callService, memberOf, ServiceError, textOf } from "../account/service.ts";
import { expiryOf, findToken } from "../account/session.ts";
import { openAccount } from "./account-config.ts";
import { type Output, paint } from "./output.ts";

/** `platform whoami`: prints who is signed in. Returns exit code 1 when signed out. */
export async function runWhoami(
  root: string | undefined,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const opened = await openAccount(root, output, cwd, env);
  if (opened === undefined) return 1;
  const { account } = opened;
  try {
    const token = await findToken(account, env);
    if (token === undefined) {
      output.err("Signed out. `platform login` signs in.");
      return 1;
    }
    const user = await callService(`${account.url}/api/v1/user`, { method: "GET", token });
    const profile = memberOf(user, "user_metadata");
    const roles = [
      memberOf(profile, "is_staff") === true && "staff",
      memberOf(profile, "is_company_owner") === true && "owner",
    ];
    const company = memberOf(memberOf(user, "app_metadata"), "company_id") ?? account.companyId;
    output.out(`email    ${textOf(user, "email") ?? ""}`);
    output.out(`company  ${String(company)} at ${account.url}`);
    output.out(`role     ${roles.filter((role) => role !== false).join(", ") || "member"}`);
    const expiry = expiryOf(token);
    if (expiry !== undefined) output.out(`expires  ${new Date(expiry * 1000).toISOString()}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isEnded = error.status === 401;
    output.err(isEnded ? "Signed out: the service has ended this session." : `error ${error.message}`);
    return 1;
  }
}

/** `platform logout`: ends the session at the service if it can be reached, and always deletes the stored tokens. */
export async function runLogout(
  root: string | undefined,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const opened = await openAccount(root, output, cwd, env);
  if (opened === undefined) return 1;
  const { account } = opened;
  const file = credentialsFile(env);
  const stored = readCredential(file, account);
  if (stored === undefined) {
    output.out("Already signed out.");
    return 0;
  }
  const body = { refresh_token: stored.refreshToken };
  await callService(`${account.url}/api/v1/logout`, { method: "POST", token: stored.accessToken, body }).catch(
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status !== 401)
        output.err(
          `warning: the service could not be reached (${error.message}); the session there remains until it expires.`,
        );
    },
  );
  await withLock(file, async () => writeCredential(file, account, undefined));
  output.out(`${paint("green", "✓")} Signed out of ${account.url}, company ${account.companyId}`);
  return 0;
}
