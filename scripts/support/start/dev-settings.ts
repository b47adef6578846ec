import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";
import { perService, perWorker, type Worker, workers } from "../services.ts";
import { shellOrigin } from "../shell/start.ts";
import { makeSecrets } from "./secrets.ts";

export type Settings = Record<string, string>;
export type SettingsOf = Record<Worker, Settings>;
/** `shellPort` is null if no shell is started. */
export type Ports = { port: number; smtpPort: number; shellPort: number | null };

/** The first line of the settings files that `npm start` writes. Later versions recognize the files by this line. */
const GENERATED_HEADER = "# Made by npm start, never committed.";

// Allows webhook receivers on this machine.
const everyService: Settings = { DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" };

/** Settings that developers may change in the files. Later starts keep the changes. */
export const changeableSettings: SettingsOf = {
  ...perService(() => everyService),
  edge: { DEBUG: "true" },
  email: {
    ...everyService,
    EMAIL_FALLBACK_PROVIDER: "smtp",
    EMAIL_HOST: "127.0.0.1",
    EMAIL_USE_TLS: "false",
    EMAIL_USE_SSL: "false",
    DEFAULT_FROM_EMAIL: "no-reply@platform.example.com",
    BULK_FROM_EMAIL: "news@platform.example.com",
    EMAIL_PLATFORM_COMPANY_IDS: "1",
  },
};

/** Returns the settings that depend on ports. Every start rewrites them. */
export function portSettings({ port, smtpPort, shellPort }: Ports): SettingsOf {
  const issuer = `http://localhost:${port}/identity`;
  return {
    ...perService(() => ({ IDENTITY_ISSUER: issuer })),
    edge: shellPort === null ? {} : { SHELL_URL: `${shellOrigin({ shellPort })}/` },
    identity: { JWT_ISSUER: issuer },
    hosting: { IDENTITY_ISSUER: issuer, HOSTING_APP_DOMAIN: `localhost:${port}` },
    email: {
      IDENTITY_ISSUER: issuer,
      PUBLIC_BASE_URL: `http://localhost:${port}/email`,
      EMAIL_PORT: String(smtpPort),
    },
  };
}

/**
 * Updates the settings file of each Worker and returns the settings. Generates missing values, keeps existing ones, and
 * rewrites the settings that depend on ports.
 */
export async function updateSettings(files: Record<Worker, string>, ports: Ports): Promise<SettingsOf> {
  const secrets = { edge: {}, ...(await makeSecrets()) };
  // Developers sign simulated provider events with this secret
  // (docs/specification/email-provider-events.md#simulate-an-event).
  secrets.email.PROVIDER_WEBHOOK_SECRET = randomBytes(32).toString("base64");
  const derived = portSettings(ports);
  return perWorker((worker) => {
    const existing = readSettingsFile(files[worker]);
    const settings = { ...changeableSettings[worker], ...secrets[worker], ...existing, ...derived[worker] };
    writeSettingsFile(files[worker], settings, ` Rewritten at each start: ${Object.keys(derived[worker]).join(", ")}.`);
    return settings;
  });
}

/** Writes a settings file that only its owner can read. */
export function writeSettingsFile(path: string, settings: Settings, note = ""): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value.replaceAll("\n", "\\n")}"`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [GENERATED_HEADER + note, ...lines, ""].join("\n"), { mode: 0o600 });
  // `mode` above applies only to a new file.
  chmodSync(path, 0o600);
}

function readSettingsFile(path: string): Settings {
  return existsSync(path) ? (parseEnv(readFileSync(path, "utf8")) as Settings) : {};
}

/**
 * Moves settings from `from` to `to`. Former versions of `npm start` wrote them to `from`, where tests and builds would
 * read them. Returns the paths of the deleted files. Files that `npm start` did not write remain unchanged.
 */
export function moveFormerSettings(from: Record<Worker, string>, to: Record<Worker, string>): string[] {
  return workers.flatMap((worker) => {
    const path = from[worker];
    if (!existsSync(path) || !readFileSync(path, "utf8").startsWith(GENERATED_HEADER)) return [];
    // The former file is newer, because each start that writes `to` also deletes the former file.
    writeSettingsFile(to[worker], { ...readSettingsFile(to[worker]), ...readSettingsFile(path) });
    rmSync(path);
    return [path];
  });
}
