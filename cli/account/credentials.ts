import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The tokens of one sign-in. `expiresAt` is in seconds since the epoch. */
export type Credential = { accessToken: string; refreshToken: string; expiresAt: number };
type Entries = Record<string, Credential>;

/** The platform and company that an entry belongs to. */
export type Account = { url: string; companyId: number };

const staleMs = 30_000;
const lockLimitMs = 15_000;

/** Returns the path of `credentials.json` in the user's configuration folder. */
export function credentialsFile(env: NodeJS.ProcessEnv): string {
  const home = process.platform === "win32" ? env.APPDATA : env.XDG_CONFIG_HOME;
  return join(home || join(env.HOME || homedir(), ".config"), "platform", "credentials.json");
}

export function readCredential(file: string, account: Account): Credential | undefined {
  return readEntries(file)[keyOf(account)];
}

/** Returns all accounts that are signed in. */
export function listAccounts(file: string): Account[] {
  return Object.keys(readEntries(file)).map((key) => {
    const [url = "", companyId] = key.split(" ");
    return { url, companyId: Number(companyId) };
  });
}

/** Stores an entry, or deletes it when `credential` is undefined. The file has mode 0600 and is replaced atomically. */
export function writeCredential(file: string, account: Account, credential: Credential | undefined): void {
  const { [keyOf(account)]: _old, ...others } = readEntries(file);
  const entries = credential === undefined ? others : { ...others, [keyOf(account)]: credential };
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const temporaryFile = `${file}.${process.pid}`;
  try {
    writeFileSync(temporaryFile, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporaryFile, file);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
}

/**
 * Runs `work` while holding a lock file, so that only one command of this user runs it at a time. Deletes a lock that is
 * older than 30 seconds. Throws if it cannot get the lock within 15 seconds.
 */
export async function withLock<Value>(file: string, work: () => Promise<Value>): Promise<Value> {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const deadline = Date.now() + lockLimitMs;
  for (;;) {
    try {
      await (await open(lock, "wx", 0o600)).close();
      break;
    } catch (error) {
      if (!isErrorWith(error, "EEXIST") || Date.now() > deadline) throw error;
      const age = await stat(lock)
        .then(({ mtimeMs }) => Date.now() - mtimeMs)
        .catch(() => 0);
      if (age > staleMs) await rm(lock, { force: true });
      await wait(50);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function readEntries(file: string): Entries {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof parsed === "object" && parsed !== null ? (parsed as Entries) : {};
  } catch (error) {
    if (isErrorWith(error, "ENOENT") || error instanceof SyntaxError) return {};
    throw error;
  }
}

function keyOf({ url, companyId }: Account): string {
  return `${url} ${companyId}`;
}

function isErrorWith(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
