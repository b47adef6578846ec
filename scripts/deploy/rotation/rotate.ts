import { createHash } from "node:crypto";
import { type Service, type Worker, workers } from "../../support/services.ts";
import { configsOf } from "../config.ts";
import { recordPath } from "../deploy.ts";
import { UsageError } from "../options.ts";
import { type DeploymentRecord, readRecord } from "../record.ts";
import { serviceKeyName } from "../secrets.ts";
import { query } from "../steps/databases.ts";
import { scriptPath } from "../steps/workers.ts";
import { requireSameKeys } from "./comparison.ts";
import { requireUnneeded } from "./finish.ts";
import { planRotation, type Rotation, RotationError, type RotationMode } from "./plan.ts";
import {
  type OpenRotation,
  readCopy,
  type SecretChanges,
  type SecretsCopy,
  withChanges,
  writeCopy,
} from "./secrets-copy.ts";
import type { At } from "./services.ts";

export type RotateOptions = RotationMode & { what: Rotation; name: string; copy: string };

const HOUR_MS = 3_600_000;
/** The previous key of a service is accepted for this time, in which all isolates get the new one. */
const KEY_OVERLAP_MS = 24 * HOUR_MS;

/**
 * Replaces secrets in the order in which nothing that is valid stops: first in the copy, then in the database, then in the account.
 * A cut rotation is continued by repeating the command, with the same new values. Throws a RotationError.
 */
export async function rotate(options: RotateOptions, at: At): Promise<void> {
  const record = readRecord(recordPath(options.name, at.records));
  if (record === null) throw new UsageError(`There is no deployment ${options.name} in ${at.records}.`);
  const copy = readCopy(record, options.copy);
  const what = nameOf(options);
  const begun = copy.open_rotation ?? null;
  if (begun !== null && begun.what !== what)
    throw new RotationError(`rotation-open: Repeat platform rotate ${begun.what} first: it was interrupted.`);
  if (begun !== null) await requireSameKeys(options.what, { at, record, copy }, begun);
  const open = begun ?? (await begin(options, at, record, copy));
  const changed = withChanges(copy, open.changes);
  writeCopy(options.copy, { ...changed, open_rotation: open });
  if (options.what === "service-key") await storeServiceKeys(options, at, record, open);
  for (const worker of workers) await store(at, record, worker, open);
  const { open_rotation: _, ...finished } = changed;
  const rotated_at = { ...copy.rotated_at, [options.what]: new Date(at.now()).toISOString() };
  writeCopy(options.copy, options.isFinished ? finished : { ...finished, rotated_at });
  for (const line of remarks(options)) at.say(line);
}

const nameOf = ({ what, isFinished, isLeaked }: RotateOptions): string =>
  `${what}${isFinished ? " --finish" : ""}${isLeaked ? " --leaked" : ""}`;

async function begin(
  options: RotateOptions,
  at: At,
  record: DeploymentRecord,
  copy: SecretsCopy,
): Promise<OpenRotation> {
  const { what } = options;
  requireMode(options);
  const changes = planRotation(what, copy, options, at.env);
  await requireSameKeys(what, { at, record, copy }, null);
  if (options.isFinished) requirePrevious(what, changes, copy);
  if (options.isFinished) await requireUnneeded(what, { at, record, copy });
  const former = Object.fromEntries(
    Object.entries(changes).map(([worker, values]) => [
      worker,
      Object.fromEntries(Object.keys(values).map((name) => [name, copy[worker as Worker]?.[name] ?? null])),
    ]),
  );
  return { what: nameOf(options), changes, former };
}

/** Throws when a rotation has no previous values that could be removed or left out. */
function requireMode({ what, isFinished, isLeaked }: RotateOptions): void {
  const isKept = what === "jwt" || what === "seal" || what === "pepper";
  if (isFinished && !isKept)
    throw new RotationError(`nothing-to-finish: A rotation of ${what} keeps no previous values.`);
  if (isLeaked && what === "pepper") {
    throw new RotationError(
      "pepper-needed: Without the previous pepper, the suppressions and unsubscribes of its hashes would not be found. " +
        "Run it without --leaked, which also replaces a leaked pepper.",
    );
  }
  if (isLeaked && (what === "operator" || what === "provider"))
    throw new RotationError(`nothing-kept: A rotation of ${what} keeps no previous values. Run it without --leaked.`);
}

/** Throws when the copy has no value that a rotation would remove. */
function requirePrevious(what: Rotation, changes: SecretChanges, copy: SecretsCopy): void {
  const removed = Object.entries(changes).flatMap(([worker, values]) =>
    Object.keys(values).filter((name) => copy[worker as Worker]?.[name] !== undefined),
  );
  if (removed.length === 0) throw new RotationError(`nothing-to-finish: There are no previous values of ${what}.`);
}

/** Stores and removes the secrets of a Worker in one call, as `wrangler secret bulk` does: no request sees a part of them. */
async function store(
  { api, say }: At,
  record: DeploymentRecord,
  worker: Worker,
  { changes }: OpenRotation,
): Promise<void> {
  const values = changes[worker];
  if (values === undefined) return;
  const secrets = Object.entries(values).map(([name, text]) => [
    name,
    text === null ? null : { type: "secret_text", name, text },
  ]);
  const path = scriptPath({ record, configs: configsOf(record) }, worker);
  await api.call("PATCH", `${path}/secrets-bulk`, { json: { secrets: Object.fromEntries(secrets) } });
  const names = Object.entries(values).map(([name, text]) => (text === null ? `${name} removed` : name));
  say(`  ${worker}: ${names.join(", ")}`);
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Stores the hashes of new service keys. The previous keys are accepted for a day, unless they leaked. */
async function storeServiceKeys(
  { isLeaked }: RotateOptions,
  at: At,
  record: DeploymentRecord,
  { changes, former }: OpenRotation,
): Promise<void> {
  for (const service of Object.keys(changes) as Service[]) {
    const [key, old] = [changes[service]?.[serviceKeyName], former[service]?.[serviceKeyName]];
    if (typeof key !== "string" || typeof old !== "string") continue;
    const previous = isLeaked
      ? "previous_key_hash = null, previous_expires_at = null"
      : `previous_key_hash = key_hash, previous_expires_at = ${at.now() + KEY_OVERLAP_MS}`;
    // Repeating it changes nothing, because no row has the old hash any more.
    const sql = `UPDATE service_clients SET ${previous}, key_hash = '${sha256(key)}', key_prefix = '${key.slice(0, 12)}'
      WHERE key_hash = '${sha256(old)}' RETURNING id`;
    const rows = await query({ api: at.api, record }, "email", sql);
    const known = await query(
      { api: at.api, record },
      "email",
      `SELECT id FROM service_clients WHERE key_hash = '${sha256(key)}'`,
    );
    if (rows.length === 0 && known.length === 0)
      throw new RotationError(
        `key-unknown: email does not know the key of ${service} in the copy. Create a new one: docs/operate.md#service-keys.`,
      );
  }
}

/** Returns what stays valid, and what to do next. */
function remarks({ what, isFinished, isLeaked }: RotateOptions): string[] {
  if (isFinished) return ["The previous values are removed."];
  const ended: Record<Rotation, string> = {
    jwt: "Access tokens and personal access tokens of the old key ended. Sessions continue. Redeploy the other services to forget its public key at once.",
    seal: "All users sign in again. Save the secrets of sign-in providers again. Signed URLs of the old key ended.",
    pepper: "",
    operator: "",
    "service-key": "The old keys ended.",
    provider: "",
  };
  const kept: Record<Rotation, string> = {
    jwt: "Tokens of the old key stay valid until they expire: access tokens within an hour, personal access tokens up to 30 days. Then run it with --finish.",
    seal: "Values and sessions of the old keys stay valid. After 7 days, when the secrets of sign-in providers are saved again, run it with --finish, which re-encrypts email.",
    pepper:
      "Suppressions, unsubscribes and links of the old pepper stay valid. It stays until there are none; another rotation is refused until then.",
    operator: "The old operator keys ended. Use those of the copy.",
    "service-key": "The old keys are accepted for 24 hours.",
    provider: "The new credentials apply to the next mail.",
  };
  return [(isLeaked && ended[what]) || kept[what]];
}
