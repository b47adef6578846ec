import { createHash } from "node:crypto";
import { type Service, type Worker, workers } from "../../support/services.ts";
import { configsOf } from "../config.ts";
import { recordPath, type Surroundings } from "../deploy.ts";
import { UsageError } from "../options.ts";
import { type DeploymentRecord, readRecord, serviceUrl } from "../record.ts";
import { serviceKeyName } from "../secrets.ts";
import { query } from "../steps/databases.ts";
import { scriptPath } from "../steps/workers.ts";
import { planRotation, type Rotation, RotationError, type RotationMode } from "./plan.ts";
import { type OpenRotation, readCopy, type SecretsCopy, withChanges, writeCopy } from "./secrets-copy.ts";

export type RotateOptions = RotationMode & { what: Rotation; name: string; copy: string };

type At = Pick<Surroundings, "api" | "records" | "env" | "say" | "now" | "publicUrl">;

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
  const open = copy.open_rotation ?? (await begin(options, at, record, copy));
  const what = nameOf(options);
  if (open.what !== what)
    throw new RotationError(`rotation-open: Repeat platform rotate ${open.what} first: it was interrupted.`);
  const changed = withChanges(copy, open.changes);
  writeCopy(options.copy, { ...changed, open_rotation: open });
  if (options.what === "service-key") await storeServiceKeys(options, at, record, open);
  for (const worker of workers) await store(at, record, worker, open);
  const { open_rotation: _, ...finished } = changed;
  writeCopy(options.copy, finished);
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
  const { what, isFinished } = options;
  if (isFinished && what !== "jwt" && what !== "seal" && what !== "pepper")
    throw new RotationError(`nothing-to-finish: A rotation of ${what} keeps no previous values.`);
  if (isFinished && what === "seal") await requireReencrypted(at, record, copy);
  if (isFinished && what === "pepper") await requireNoHashes(at, record);
  const changes = planRotation(what, copy, options, at.env);
  const former = Object.fromEntries(
    Object.entries(changes).map(([worker, values]) => [
      worker,
      Object.fromEntries(Object.keys(values).map((name) => [name, copy[worker as Worker]?.[name] ?? null])),
    ]),
  );
  return { what: nameOf(options), changes, former };
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

/** Seals all values of email with the newest keys. Throws while values of the previous keys are left. */
async function requireReencrypted(at: At, record: DeploymentRecord, copy: SecretsCopy): Promise<void> {
  for (let calls = 0; calls < 1000; calls += 1) {
    const { complete, rows, remaining } = await reencrypt(at, record, copy, {});
    if (complete !== true && Number(rows) > 0) continue;
    if (complete === true && Number(remaining) === 0) return;
    throw new RotationError(
      `values-left: email has ${remaining} values that the new keys do not open. Read docs/operate.md#re-encrypt-email.`,
    );
  }
  throw new RotationError("values-left: email still re-encrypts values. Repeat the command.");
}

async function reencrypt(at: At, record: DeploymentRecord, copy: SecretsCopy, flags: object) {
  const response = await fetch(at.publicUrl(`${serviceUrl(record, "email")}/api/v1/management/reencrypt`), {
    method: "POST",
    headers: { authorization: `Bearer ${copy.email?.OPERATOR_KEY ?? ""}`, "content-type": "application/json" },
    body: JSON.stringify({ flags }),
  });
  const text = await response.text();
  const last = response.ok
    ? (JSON.parse(text.trim().split("\n").at(-1) ?? "") as { type: string; line: string; counts?: Counts })
    : null;
  if (last?.type === "result" && last.counts !== undefined) return last.counts;
  throw new RotationError(
    `email-failed: email did not re-encrypt its values: ${last?.line ?? `HTTP ${response.status}`}`,
  );
}

type Counts = Record<string, number | boolean>;

/** Throws while suppressions or unsubscribes may have been stored with the previous pepper, which nobody can convert. */
async function requireNoHashes({ api }: At, record: DeploymentRecord): Promise<void> {
  const sql = "SELECT (SELECT count(*) FROM suppressions) + (SELECT count(*) FROM unsubscribes) AS total";
  const [row] = await query<{ total: number }>({ api, record }, "email", sql);
  if ((row?.total ?? 0) === 0) return;
  throw new RotationError(
    `pepper-needed: ${row?.total} suppressions and unsubscribes may depend on the previous pepper. It stays until there are none.`,
  );
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
    jwt: "Tokens of the old key stay valid until they expire: 5 minutes, personal access tokens up to 30 days. Then run it with --finish.",
    seal: "Values and sessions of the old keys stay valid. After 7 days, when the secrets of sign-in providers are saved again, run it with --finish, which re-encrypts email.",
    pepper:
      "Suppressions, unsubscribes and links of the old pepper stay valid. It stays until there are none; another rotation is refused until then.",
    operator: "The old operator keys ended. Use those of the copy.",
    "service-key": "The old keys are accepted for 24 hours.",
    provider: "The new credentials apply to the next mail.",
  };
  return [(isLeaked && ended[what]) || kept[what]];
}
