import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Seed } from "./seed.ts";
import { perWorker, type Service, type Worker } from "./services.ts";

export type Settings = Record<string, string>;
export type SettingsOf = Record<Worker, Settings>;
export type Ports = { port: number; mailPort: number; smtpPort: number };

/** Secrets of a development or test start: all random, none ever in the repository. */
export function createSecrets(): Record<Service, Settings> {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const key = () => randomBytes(32).toString("base64");
  const serviceKey = () => `esk_${randomBytes(32).toString("base64url")}`;
  const operatorKey = () => `opk_${randomBytes(32).toString("base64url")}`;
  return {
    identity: {
      JWT_PRIVATE_KEY: privateKey.trim().replaceAll("\n", "\\n"),
      SECRET_KEY: key(),
      EMAIL_SERVICE_API_KEY: serviceKey(),
      OPERATOR_KEY: operatorKey(),
      ACTIONS_ENCRYPTION_KEY: key(),
    },
    email: {
      EMAIL_VARIABLES_KEY: key(),
      EMAIL_CREDENTIALS_KEY: key(),
      EMAIL_HASH_PEPPER: key(),
      ACTIONS_ENCRYPTION_KEY: key(),
      OPERATOR_KEY: operatorKey(),
    },
    hosting: { ACTIONS_ENCRYPTION_KEY: key(), EMAIL_SERVICE_API_KEY: serviceKey(), OPERATOR_KEY: operatorKey() },
  };
}

/** The keys by which services call the email service. */
export function serviceKeysOf(secrets: Pick<SettingsOf, Service>): Seed["serviceKeys"] {
  const keyOf = (service: "identity" | "hosting") => secrets[service].EMAIL_SERVICE_API_KEY ?? "";
  return { identity: keyOf("identity"), hosting: keyOf("hosting") };
}

/** Settings that a developer may change in the file; a later start leaves them alone. */
export const changeableSettings: SettingsOf = {
  edge: { DEBUG: "true" },
  // Receivers of webhooks on this machine may be tried.
  identity: { DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" },
  email: {
    DEBUG: "true",
    EMAIL_FALLBACK_PROVIDER: "smtp",
    EMAIL_HOST: "127.0.0.1",
    EMAIL_USE_TLS: "false",
    EMAIL_USE_SSL: "false",
    DEFAULT_FROM_EMAIL: "no-reply@platform.example.com",
    BULK_FROM_EMAIL: "news@platform.example.com",
    EMAIL_PLATFORM_COMPANY_IDS: "1",
    ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true",
  },
  hosting: { DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" },
};

/** Settings that follow from the ports; every start writes them anew. */
export function portSettings({ port, mailPort, smtpPort }: Ports): SettingsOf {
  const issuer = `http://localhost:${port}/identity`;
  return {
    edge: { INBOX_URL: `http://127.0.0.1:${mailPort}/` },
    identity: { JWT_ISSUER: issuer },
    email: {
      IDENTITY_ISSUER: issuer,
      PUBLIC_BASE_URL: `http://localhost:${port}/email`,
      EMAIL_PORT: String(smtpPort),
    },
    hosting: { IDENTITY_ISSUER: issuer },
  };
}

/** Brings the `.dev.vars` files up to date: missing values are made, present ones stay, those of the ports are set. */
export function writeDevVars(files: Record<Worker, string>, ports: Ports): SettingsOf {
  const secrets = { edge: {}, ...createSecrets() };
  const derived = portSettings(ports);
  return perWorker((worker) => {
    const path = files[worker];
    const present = existsSync(path) ? (parseEnv(readFileSync(path, "utf8")) as Settings) : {};
    const settings = { ...changeableSettings[worker], ...secrets[worker], ...present, ...derived[worker] };
    const lines = Object.entries(settings).map(([name, value]) => `${name}="${value.replaceAll("\n", "\\n")}"`);
    const head = `# Made by npm start, never committed. Written anew at each start: ${Object.keys(derived[worker]).join(", ")}.`;
    writeFileSync(path, [head, ...lines, ""].join("\n"));
    chmodSync(path, 0o600);
    return settings;
  });
}
