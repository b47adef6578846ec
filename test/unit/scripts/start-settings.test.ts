import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { perWorker, services, workers } from "../../../scripts/support/services";
import { loadSettings } from "../../../scripts/support/settings-tables";
import {
  changeableSettings,
  moveFormerSettings,
  portSettings,
  updateSettings,
  writeSettingsFile,
} from "../../../scripts/support/start/dev-settings";
import { makeSecrets } from "../../../scripts/support/start/secrets";

const ports = { port: 1, smtpPort: 2, shellPort: 3 };

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "start-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it.each(services)("allows webhooks of %s to localhost in development", (service) => {
  expect(changeableSettings[service]).toMatchObject({ DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" });
});

it("sets only variables that the services define", async () => {
  const settings = await loadSettings();
  for (const worker of workers) {
    const names = settings[worker].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(changeableSettings[worker])));
    expect(names).toEqual(expect.arrayContaining(Object.keys(portSettings(ports)[worker])));
  }
});

it("generates all secrets of a deployment, with different values each time", async () => {
  const [secrets, others] = [await makeSecrets(), await makeSecrets()];
  const key = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/);
  const serviceKey = expect.stringMatching(/^esk_[\w-]{43}$/);
  const operatorKey = expect.stringMatching(/^opk_[\w-]{43}$/);
  expect(secrets).toEqual({
    identity: {
      JWT_PRIVATE_KEY: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----\\n.+\\n-----END PRIVATE KEY-----$/),
      SECRET_KEY: key,
      EMAIL_SERVICE_API_KEY: serviceKey,
      OPERATOR_KEY: operatorKey,
      ACTIONS_ENCRYPTION_KEY: key,
    },
    email: {
      EMAIL_VARIABLES_KEY: key,
      EMAIL_CREDENTIALS_KEY: key,
      EMAIL_HASH_PEPPER: key,
      ACTIONS_ENCRYPTION_KEY: key,
      OPERATOR_KEY: operatorKey,
    },
    hosting: { ACTIONS_ENCRYPTION_KEY: key, EMAIL_SERVICE_API_KEY: serviceKey, OPERATOR_KEY: operatorKey },
    storage: {
      STORAGE_SIGNING_KEY: key,
      ACTIONS_ENCRYPTION_KEY: key,
      EMAIL_SERVICE_API_KEY: serviceKey,
      OPERATOR_KEY: operatorKey,
    },
  });
  const values = [secrets, others].flatMap((generated) =>
    services.flatMap((service) => Object.values(generated[service])),
  );
  expect(new Set(values).size).toBe(values.length);
});

it("keeps all values in the settings files except the ports, and makes the files readable only by their owner", async () => {
  const folder = makeFolder();
  const files = perWorker((worker) => join(folder, worker, ".dev.vars"));
  await updateSettings(files, ports);
  const first = await updateSettings(files, ports);
  writeSettingsFile(files.email, { ...first.email, EMAIL_HOST: "relay.example.com" });
  const second = await updateSettings(files, { ...ports, smtpPort: 4 });
  expect(second).toEqual({ ...first, email: { ...first.email, EMAIL_HOST: "relay.example.com", EMAIL_PORT: "4" } });
  for (const worker of workers) expect(statSync(files[worker]).mode & 0o777).toBe(0o600);
});

it("generates a secret for simulating the mail provider, and keeps an existing one", async () => {
  const folder = makeFolder();
  const files = perWorker((worker) => join(folder, worker, ".dev.vars"));
  const { email } = await updateSettings(files, ports);
  expect(email.PROVIDER_WEBHOOK_SECRET).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  expect((await updateSettings(files, ports)).email).toEqual(email);
  expect((await makeSecrets()).email).not.toHaveProperty("PROVIDER_WEBHOOK_SECRET");
});

it("moves settings files of previous starts, and keeps a manually written file", () => {
  const folder = makeFolder();
  const from = perWorker((worker) => join(folder, `${worker}.vars`));
  const to = perWorker((worker) => join(folder, worker, ".dev.vars"));
  writeSettingsFile(from.identity, { SECRET_KEY: "former", JWT_PRIVATE_KEY: "a\\nb" });
  writeSettingsFile(to.identity, { SECRET_KEY: "older", OPERATOR_KEY: "kept" });
  writeFileSync(from.email, 'EMAIL_HOST="relay.example.com"\n');
  expect(moveFormerSettings(from, to)).toEqual([from.identity]);
  const [, ...lines] = readFileSync(to.identity, "utf8").trim().split("\n");
  expect(lines.sort()).toEqual(['JWT_PRIVATE_KEY="a\\nb"', 'OPERATOR_KEY="kept"', 'SECRET_KEY="former"']);
  expect(readFileSync(from.email, "utf8")).toBe('EMAIL_HOST="relay.example.com"\n');
  expect(moveFormerSettings(from, to)).toEqual([]);
});
