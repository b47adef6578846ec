import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

/** Address and credential of a management call. */
export type Target = { url: string; credential: string; isLoopback: boolean };

/** Thrown when a management call cannot be made. The message is one line. `isUsage` is true if the URL is invalid. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = true } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

/** The file in which `npm start` records its process id and URL. */
const runningFile = fileURLToPath(new URL("../.wrangler/start/running.json", import.meta.url));
const defaultOrigin = "http://localhost:8787";
const RESPONSE_TIMEOUT_MS = 5000;

/**
 * Returns the origin of the `npm start` that is recorded in the file `path`, even if it is too busy to respond. Returns
 * the default origin if the file is missing or stale.
 */
export async function findRunning(path: string): Promise<string> {
  let recordedOrigin = defaultOrigin;
  try {
    const { pid, url }: { pid: number; url: string } = JSON.parse(readFileSync(path, "utf8"));
    // Signal 0 only checks that the process exists. The health check then excludes another program on the port.
    process.kill(pid, 0);
    recordedOrigin = url;
    const health = await fetch(`${url}/identity/api/v1/health`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    const { status } = (await health.json()) as { status?: unknown };
    return status === undefined ? defaultOrigin : url;
  } catch (error) {
    return error instanceof DOMException && error.name === "TimeoutError" ? recordedOrigin : defaultOrigin;
  }
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Returns the base URL and the credential of a management call. The URL is `--url`, else `PLATFORM_{SERVICE}_URL`, else
 * the running `npm start`. The URL must be https unless it is loopback. The credential is `PLATFORM_OPERATOR_KEY`, else
 * for loopback the key of `npm start`, else `PLATFORM_TOKEN`. No flag sets the credential. Throws a TargetError.
 */
export async function findTarget(
  service: string,
  urlFlag: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Target> {
  const text =
    urlFlag ?? env[`PLATFORM_${service.toUpperCase()}_URL`] ?? `${await findRunning(runningFile)}/${service}`;
  if (!URL.canParse(text)) throw new TargetError(`"${text}" is not a URL.`);
  const url = new URL(text);
  const isLoopback = loopback.has(url.hostname);
  if (url.username || url.password || url.search || url.hash) {
    throw new TargetError("The URL is an origin and an optional path, without user, query or fragment.");
  }
  if (url.protocol !== "https:" && !(isLoopback && url.protocol === "http:")) {
    throw new TargetError(`${url.origin} must be https: only this machine may be called over http.`);
  }
  const credential = env.PLATFORM_OPERATOR_KEY || (isLoopback && developmentKey(service)) || env.PLATFORM_TOKEN;
  if (!credential) {
    throw new TargetError(
      "No credential: set PLATFORM_OPERATOR_KEY, or PLATFORM_TOKEN to a staff session or write token.",
      { isUsage: false },
    );
  }
  return { url: url.href.replace(/\/$/, ""), credential, isLoopback };
}

/** Returns the operator key that `npm start` generated for a service, or undefined if it never ran in this folder. */
function developmentKey(service: string): string | undefined {
  const path = fileURLToPath(new URL(`../.wrangler/start/${service}/.dev.vars`, import.meta.url));
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")).OPERATOR_KEY : undefined;
}
