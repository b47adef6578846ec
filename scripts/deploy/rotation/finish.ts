import { createHash, hkdfSync } from "node:crypto";
import type { Service } from "../../support/services.ts";
import { loadSettings } from "../../support/settings-tables.ts";
import type { DeploymentRecord } from "../record.ts";
import { query } from "../steps/databases.ts";
import { settingValue } from "./comparison.ts";
import { type Rotation, RotationError } from "./plan.ts";
import type { SecretsCopy } from "./secrets-copy.ts";
import { type At, callService } from "./services.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The longest lifetime of an access token. */
const ACCESS_TOKEN_MS = HOUR_MS;
/** Isolates that have not restarted yet create values with the former secrets for this time. */
const SPREAD_MS = 10 * 60_000;
/** Mails about an erasure are sealed for this time at most. */
const SEALED_MAIL_MS = 7 * DAY_MS;

type Finish = { at: At; record: DeploymentRecord; copy: SecretsCopy };

/** Throws a RotationError while something still needs the previous values of a rotation. */
export async function requireUnneeded(what: Rotation, finish: Finish): Promise<void> {
  if (what === "jwt") await requireNoTokens(finish);
  else if (what === "pepper") await requireNoHashes(finish);
  else {
    await requireNoSessions(finish);
    await requireNoSecretsOfProviders(finish);
    await requireReencrypted(finish);
  }
}

/** Returns when a rotation was complete. Throws if the copy does not have it. */
function rotatedAt(what: "jwt" | "seal", { copy }: Finish): number {
  const at = Date.parse(copy.rotated_at?.[what] ?? "");
  if (Number.isFinite(at)) return at;
  throw new RotationError(
    `time-unknown: The copy does not say when the secrets were replaced. Add "rotated_at": {"${what}": "2026-11-28T12:00:00Z"} with that time.`,
  );
}

function requireTime({ at }: Finish, until: number, reason: string): void {
  if (at.now() >= until) return;
  throw new RotationError(`too-early: ${reason} Repeat the command after ${new Date(until).toISOString()}.`);
}

/** Throws while tokens of the previous signing key may be valid. */
async function requireNoTokens(finish: Finish): Promise<void> {
  const rotated = rotatedAt("jwt", finish);
  requireTime(finish, rotated + ACCESS_TOKEN_MS, "Access tokens of the old key may be valid.");
  // A token that was reissued with the new key keeps its time of creation, but none of the old key outlives this.
  const lifetime = await settingOf(finish, "identity", "PERSONAL_ACCESS_TOKEN_LIFETIME");
  if (finish.at.now() >= rotated + SPREAD_MS + lifetime) return;
  const sql = `SELECT count(*) AS total, max(expires_at) AS until FROM personal_access_tokens
    WHERE revoked_at IS NULL AND created_at < ${rotated + SPREAD_MS} AND expires_at > ${finish.at.now()}`;
  const { api } = finish.at;
  const [row] = await query<{ total: number; until: number | null }>({ api, record: finish.record }, "identity", sql);
  if ((row?.total ?? 0) === 0) return;
  throw new RotationError(
    `tokens-left: ${row?.total} personal access tokens are older than the new key. The last one ends at ${new Date(row?.until ?? 0).toISOString()}.`,
  );
}

/** Returns a duration among the settings of the deployment, in milliseconds. */
async function settingOf({ record }: Finish, service: Service, name: string): Promise<number> {
  const settings = (await loadSettings())[service];
  const text = record.settings[service]?.[name] ?? settings.find((setting) => setting.name === name)?.default;
  return Number(settingValue(settings, name, String(text)));
}

/** Throws while sessions, mails and signed URLs of the previous keys may be valid. A rotation after a leak has kept none. */
async function requireNoSessions(finish: Finish): Promise<void> {
  const { identity, storage } = finish.copy;
  const isKept = identity?.SECRET_KEY_PREVIOUS !== undefined || storage?.STORAGE_SIGNING_PREVIOUS_KEY !== undefined;
  if (!isKept) return;
  const [session, url] = await Promise.all([
    settingOf(finish, "identity", "JWT_REFRESH_TOKEN_LIFETIME"),
    settingOf(finish, "storage", "SIGNED_URL_MAX_EXPIRES"),
  ]);
  const longest = Math.max(session, url, SEALED_MAIL_MS) + SPREAD_MS;
  requireTime(
    finish,
    rotatedAt("seal", finish) + longest,
    "Sessions, mails and signed URLs of the old keys may be valid.",
  );
}

/** Returns how texts begin that identity sealed with a SECRET_KEY. */
export function sealPrefix(secretKey: string): string {
  const key = hkdfSync("sha256", secretKey, "", "identity/encryption", 32);
  return `v1.${createHash("sha256").update(new Uint8Array(key)).digest("hex").slice(0, 8)}.`;
}

/** Throws while secrets of sign-in providers are sealed with SECRET_KEY_PREVIOUS. */
async function requireNoSecretsOfProviders({ at: { api }, record, copy }: Finish): Promise<void> {
  const previous = copy.identity?.SECRET_KEY_PREVIOUS;
  if (previous === undefined) return;
  const sql = `SELECT company_id AS company, provider_id AS provider FROM oauth_clients
    WHERE secret_sealed LIKE '${sealPrefix(previous.trim())}%' ORDER BY company_id, provider_id LIMIT 11`;
  const rows = await query<{ company: number; provider: string }>({ api, record }, "identity", sql);
  if (rows.length === 0) return;
  const names = rows.slice(0, 10).map(({ company, provider }) => `${provider} of company ${company}`);
  throw new RotationError(
    `values-left: The secrets of sign-in providers are sealed with the old key: ${names.join(", ")}${rows.length > 10 ? " and more" : ""}. ` +
      "Save each again: docs/operate.md#secret_key.",
  );
}

/** Seals all values of email with the newest keys. Throws while values of the previous keys are left. */
async function requireReencrypted(finish: Finish): Promise<void> {
  for (let calls = 0; calls < 1000; calls += 1) {
    const { complete, rows, remaining } = (await callService(finish, "email", "reencrypt")).counts;
    if (complete !== true && Number(rows) > 0) continue;
    if (complete === true && Number(remaining) === 0) return;
    throw new RotationError(
      `values-left: email has ${remaining} values that the new keys do not open. Read docs/operate.md#re-encrypt-email.`,
    );
  }
  throw new RotationError("values-left: email still re-encrypts values. Repeat the command.");
}

/** Throws while suppressions or unsubscribes may have been stored with the previous pepper, which nobody can convert. */
async function requireNoHashes({ at: { api }, record }: Finish): Promise<void> {
  const sql = "SELECT (SELECT count(*) FROM suppressions) + (SELECT count(*) FROM unsubscribes) AS total";
  const [row] = await query<{ total: number }>({ api, record }, "email", sql);
  if ((row?.total ?? 0) === 0) return;
  throw new RotationError(
    `pepper-needed: ${row?.total} suppressions and unsubscribes may depend on the previous pepper. It stays until there are none.`,
  );
}
