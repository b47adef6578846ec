import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

/** Where a management call goes and what it shows there. */
export type Target = { url: string; credential: string; isLoopback: boolean };

/** A request that cannot be made, with a one-line message. `isUsage`: the given address is wrong. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = true } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

/** Where `npm start` notes that it runs, and the port that it takes when nobody says otherwise. */
const note = fileURLToPath(new URL("../.wrangler/start/running.json", import.meta.url));
const usualOrigin = "http://localhost:8787";
const ANSWER_MS = 5000;

/**
 * The origin of the start that runs by its note `path`, also while it is too busy to answer; the usual one where the note is
 * missing or was left behind.
 */
export async function findRunning(path: string): Promise<string> {
  let noted = usualOrigin;
  try {
    const { pid, url }: { pid: number; url: string } = JSON.parse(readFileSync(path, "utf8"));
    // Signal 0 only asks whether the process is there; the port may be another program's by now.
    process.kill(pid, 0);
    noted = url;
    const health = await fetch(`${url}/identity/api/v1/health`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { status } = (await health.json()) as { status?: unknown };
    return status === undefined ? usualOrigin : url;
  } catch (error) {
    return error instanceof DOMException && error.name === "TimeoutError" ? noted : usualOrigin;
  }
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Base URL: `--url`, else `PLATFORM_{SERVICE}_URL`, else that of the running start; https unless it is this machine.
 * Credential: `PLATFORM_OPERATOR_KEY`, else on this machine the one of `npm start`, else `PLATFORM_TOKEN`; never a flag.
 */
export async function findTarget(
  service: string,
  urlFlag: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Target> {
  const text = urlFlag ?? env[`PLATFORM_${service.toUpperCase()}_URL`] ?? `${await findRunning(note)}/${service}`;
  if (!URL.canParse(text)) throw new TargetError(`"${text}" is no URL.`);
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

/** The operator key that `npm start` made for a service, if it ever ran here. */
function developmentKey(service: string): string | undefined {
  const path = fileURLToPath(new URL(`../.wrangler/start/${service}/.dev.vars`, import.meta.url));
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")).OPERATOR_KEY : undefined;
}
