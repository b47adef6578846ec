import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";
import { perService, perWorker, type Worker, workers } from "../services.ts";
import { shellOrigin } from "../shell/start.ts";
import { makeSecrets } from "./secrets.ts";

export type Settings = Record<string, string>;
export type SettingsOf = Record<Worker, Settings>;
/** `shellPort` is null where no shell is started. */
export type Ports = { port: number; smtpPort: number; shellPort: number | null };

/** How a file begins that a start has made. */
const MADE_HERE = "# Made by npm start, never committed.";

// Webhook receivers on this machine are allowed.
const everyService: Settings = { DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" };

/** Settings that a developer may change in the file; a later start keeps them. */
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

/** Settings that follow from the ports; every start writes them again. */
export function portSettings({ port, smtpPort, shellPort }: Ports): SettingsOf {
  const issuer = `http://localhost:${port}/identity`;
  return {
    ...perService(() => ({ IDENTITY_ISSUER: issuer })),
    edge: shellPort === null ? {} : { SHELL_URL: `${shellOrigin({ shellPort })}/` },
    identity: { JWT_ISSUER: issuer },
    email: {
      IDENTITY_ISSUER: issuer,
      PUBLIC_BASE_URL: `http://localhost:${port}/email`,
      EMAIL_PORT: String(smtpPort),
    },
  };
}

/** Brings the files of a start up to date: missing values are made, present ones stay, those of the ports are set. */
export async function updateSettings(files: Record<Worker, string>, ports: Ports): Promise<SettingsOf> {
  const secrets = { edge: {}, ...(await makeSecrets()) };
  // No provider knows it: a developer plays one (docs/specification/email-provider-events.md#simulate-an-event).
  secrets.email.PROVIDER_WEBHOOK_SECRET = randomBytes(32).toString("base64");
  const derived = portSettings(ports);
  return perWorker((worker) => {
    const present = readSettingsFile(files[worker]);
    const settings = { ...changeableSettings[worker], ...secrets[worker], ...present, ...derived[worker] };
    writeSettingsFile(
      files[worker],
      settings,
      ` Written anew at each start: ${Object.keys(derived[worker]).join(", ")}.`,
    );
    return settings;
  });
}

/** Writes a file of settings that its owner alone may read. */
export function writeSettingsFile(path: string, settings: Settings, note = ""): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value.replaceAll("\n", "\\n")}"`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [MADE_HERE + note, ...lines, ""].join("\n"), { mode: 0o600 });
  // The mode above is for a new file.
  chmodSync(path, 0o600);
}

function readSettingsFile(path: string): Settings {
  return existsSync(path) ? (parseEnv(readFileSync(path, "utf8")) as Settings) : {};
}

/**
 * Takes over what former versions of a start have left in the files `from`, where tests and builds look, and removes those
 * files; returns their paths. Existing files stay unchanged.
 */
export function moveFormerSettings(from: Record<Worker, string>, to: Record<Worker, string>): string[] {
  return workers.flatMap((worker) => {
    const path = from[worker];
    if (!existsSync(path) || !readFileSync(path, "utf8").startsWith(MADE_HERE)) return [];
    // The former file is the newer one: each start that writes `to` removes it.
    writeSettingsFile(to[worker], { ...readSettingsFile(to[worker]), ...readSettingsFile(path) });
    rmSync(path);
    return [path];
  });
}
