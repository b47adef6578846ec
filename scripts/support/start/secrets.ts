import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { SecretKind } from "../../../workers/kit/settings/settings.ts";
import type { Seed } from "../databases/seed.ts";
import { perService, type Service, services } from "../services.ts";
import { loadSettings } from "../settings-tables.ts";

export type Secrets = Record<Service, Record<string, string>>;

const generators: Record<Exclude<SecretKind, "given">, () => string> = {
  "random bytes": () => randomBytes(32).toString("base64"),
  "RSA key": makeRsaKey,
  "service key": () => `esk_${randomBytes(32).toString("base64url")}`,
  "operator key": () => `opk_${randomBytes(32).toString("base64url")}`,
};

/** Returns a private key as PKCS#8 PEM in one line. */
function makeRsaKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey.trim().replaceAll("\n", "\\n");
}

/** Returns a new random secret of a kind, or undefined for secrets that the person who deploys provides. */
export function makeSecret(kind: SecretKind): string | undefined {
  return kind === "given" ? undefined : generators[kind]();
}

/** Generates new random secrets for all settings that are marked as generated in the settings tables. */
export async function makeSecrets(): Promise<Secrets> {
  const settings = await loadSettings();
  return perService((service) =>
    Object.fromEntries(
      settings[service].flatMap(({ name, secret }) =>
        secret === undefined || secret === "given" ? [] : [[name, generators[secret]()]],
      ),
    ),
  );
}

/** Returns the keys with which services call the email service, by service name. */
export function serviceKeysOf(secrets: Secrets): Seed["serviceKeys"] {
  const keys = services.flatMap((service) => {
    const key = secrets[service].EMAIL_SERVICE_API_KEY;
    return key === undefined ? [] : [[service, key]];
  });
  return Object.fromEntries(keys);
}
