import { createHash } from "node:crypto";
import type { BackupDescription } from "../../../schemas/backup.ts";
import type { Setting } from "../../../workers/kit/settings/settings.ts";
import { type Service, services } from "../../support/services.ts";
import { loadSettings } from "../../support/settings-tables.ts";
import { configsOf } from "../config.ts";
import type { DeploymentRecord } from "../record.ts";
import { scriptPath } from "../steps/workers.ts";
import { type Rotation, RotationError } from "./plan.ts";
import { previousNames } from "./seal-keys.ts";
import type { OpenRotation, SecretsCopy } from "./secrets-copy.ts";
import { type At, callService } from "./services.ts";

/** The services whose keys a rotation keeps as previous values. Other rotations keep none of the copy. */
const compared: Readonly<Record<Rotation, readonly Service[]>> = {
  jwt: ["identity"],
  seal: services,
  pepper: ["email"],
  operator: [],
  "service-key": [],
  provider: [],
};

/** Returns a setting as the Worker reads it from its variable: text or bytes. */
export function settingValue(settings: readonly Setting[], name: string, text: string): unknown {
  const setting = settings.find((candidate) => candidate.name === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting.type({ debug: false }).parse(text.trim());
}

/** Returns what `describe_backup` shows of a secret: the first 8 hex characters of its SHA-256. */
function fingerprint(settings: readonly Setting[], name: string, text: string): string {
  const value = settingValue(settings, name, text) as string | Uint8Array;
  return createHash("sha256").update(value).digest("hex").slice(0, 8);
}

/**
 * Throws a RotationError when services have other keys than the copy: a rotation would keep the key of the copy as the previous one,
 * and nobody can read the one in use from the account. `open` is an interrupted rotation, of which a service has the former or the
 * new values.
 */
export async function requireSameKeys(
  what: Rotation,
  { at, record, copy }: { at: At; record: DeploymentRecord; copy: SecretsCopy },
  open: OpenRotation | null,
): Promise<void> {
  const settings = await loadSettings();
  const checks = compared[what].map(async (service) => {
    const secrets = await at.api.call<{ name: string }[]>(
      "GET",
      `${scriptPath({ record, configs: configsOf(record) }, service)}/secrets`,
    );
    const stored = new Set(secrets.map(({ name }) => name));
    // Nobody can see the values of previous keys, but whether there are some.
    const hidden = previousNames(service).filter((name) => {
      const isChanging = open?.changes[service]?.[name] !== undefined;
      return !isChanging && stored.has(name) !== (copy[service]?.[name] !== undefined);
    });
    const [description] = (await callService<BackupDescription>({ at, record, copy }, service, "describe_backup")).rows;
    const different = Object.entries(description?.keys ?? {}).filter(([name, shown]) => {
      const values = [copy, open?.former, open?.changes].map((of) => of?.[service]?.[name]);
      return !values.some(
        (value) => typeof value === "string" && fingerprint(settings[service], name, value) === shown,
      );
    });
    return [...different.map(([name]) => name), ...hidden].map((name) => `${name} of ${service}`);
  });
  const names = (await Promise.all(checks)).flat();
  if (names.length === 0) return;
  throw new RotationError(
    `copy-differs: The account has other values than the copy: ${names.join(", ")}. Values that are sealed with them would be lost. ` +
      "Take the newest copy; a change of the last minute may not have arrived everywhere yet. Nothing was changed.",
  );
}
