import { join } from "node:path";
import { configNames, isFile } from "../config/load/find.ts";
import { credentialsFile, listAccounts } from "./credentials.ts";

/**
 * Returns the environment of a management call. If no URL of the service is set, adds the URL from the configuration in
 * `cwd`. If PLATFORM_TOKEN is not set, adds the stored token of an account on that URL's origin. A stored token is never
 * sent to another origin.
 */
export async function managementEnv(
  service: string,
  url: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd = process.cwd(),
): Promise<NodeJS.ProcessEnv> {
  const name = `PLATFORM_${service.toUpperCase()}_URL`;
  const address = url ?? env[name] ?? (await configuredUrl(service, env, cwd));
  if (address === undefined) return env;
  const token = env.PLATFORM_TOKEN ?? (await storedToken(address, env));
  return { ...env, [name]: address, ...(token !== undefined && { PLATFORM_TOKEN: token }) };
}

async function configuredUrl(service: string, env: NodeJS.ProcessEnv, cwd: string): Promise<string | undefined> {
  if (!configNames.some((file) => isFile(join(cwd, file)))) return undefined;
  const { loadConfig } = await import("../config/load.ts");
  const { result } = await loadConfig({ root: undefined, cwd, command: "start", target: "web", env });
  const { backend, storage } = result?.page ?? {};
  const urls: Record<string, string | undefined> = {
    identity: backend?.type === "platform" ? backend.url : undefined,
    hosting: result?.config.hosting?.url,
    storage: storage?.url,
  };
  return urls[service];
}

async function storedToken(address: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  const account = listAccounts(credentialsFile(env)).find(({ url }) => new URL(url).origin === origin);
  if (account === undefined) return undefined;
  const { findToken } = await import("./session.ts");
  return await findToken(account, env).catch(() => undefined);
}
