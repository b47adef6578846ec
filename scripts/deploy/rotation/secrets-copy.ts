import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Worker } from "../../support/services.ts";
import { UsageError } from "../options.ts";
import type { DeploymentRecord } from "../record.ts";

/** Changes of secrets by Worker; null removes one. */
export type SecretChanges = Partial<Record<Worker, Record<string, string | null>>>;

/** A rotation whose values are in the copy and not yet all in the account. `former` are the values that they replace. */
export type OpenRotation = { what: string; changes: SecretChanges; former: SecretChanges };

/** The local copy of the secrets of a deployment, as `npm run deploy -- --secrets-file` writes it. */
export type SecretsCopy = Partial<Record<Worker, Record<string, string>>> & {
  /** the deployment whose secrets these are; absent in a file that was written by hand */
  deployment?: { name: string; account: string };
  open_rotation?: OpenRotation;
  /** when the last rotation of each kind was complete, as ISO 8601 */
  rotated_at?: Partial<Record<string, string>>;
};

type Deployment = Pick<DeploymentRecord, "name" | "account">;

/** Reads the copy of a deployment, or of one that does not exist yet. Throws if the file has the secrets of another one. */
export function readCopyOf({ name, account }: Deployment, path: string): SecretsCopy {
  const copy = JSON.parse(readFileSync(path, "utf8")) as SecretsCopy;
  const owner = copy.deployment ?? { name, account };
  if (owner.name !== name || owner.account !== account) {
    throw new UsageError(
      `${path} has the secrets of the deployment ${owner.name} in account ${owner.account}, not of ${name} in ${account}. ` +
        "To restore a backup with these keys, first remove `deployment` from the file.",
    );
  }
  return { ...copy, deployment: { name, account } };
}

/** Returns the copy in a file, or an empty one if there is no file yet. */
export function readOrBeginCopy(deployment: Deployment, path: string): SecretsCopy {
  const { name, account } = deployment;
  return existsSync(path) ? readCopyOf(deployment, path) : { deployment: { name, account } };
}

/** Reads the copy. Throws when there is none, because nobody can read the secrets of an account. */
export function readCopy(deployment: Deployment, path: string): SecretsCopy {
  try {
    return readCopyOf(deployment, path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `A rotation needs the copy of the secrets that npm run deploy -- --secrets-file wrote, because the account shows none: ${reason}`,
    );
  }
}

/** Replaces the copy, which only its owner can read. A cut leaves the old or the new one. */
export function writeCopy(path: string, copy: SecretsCopy): void {
  // Opened exclusively under a name that nobody can foresee: an existing file keeps its mode, and a link leads elsewhere.
  const newPath = `${path}.${randomBytes(6).toString("hex")}.new`;
  try {
    writeFileSync(newPath, `${JSON.stringify(copy, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(newPath, path);
  } catch (error) {
    rmSync(newPath, { force: true });
    throw error;
  }
}

/** Returns the copy with changes. */
export function withChanges(copy: SecretsCopy, changes: SecretChanges): SecretsCopy {
  const workers = Object.entries(changes) as [Worker, Record<string, string | null>][];
  const changed = workers.map(([worker, values]) => {
    const all = Object.entries({ ...copy[worker], ...values }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    return [worker, Object.fromEntries(all)] as const;
  });
  return { ...copy, ...Object.fromEntries(changed) };
}
