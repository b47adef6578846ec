import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished } from "vitest";
import { type BackupOptions, runBackup } from "../../cli/backup/backup.ts";
import { type RestoreOptions, runRestore } from "../../cli/backup/restore.ts";
import { describeService, findServices } from "../../cli/backup/services.ts";
import { companies, sessions, users } from "../../db/identity/schema";
import { type Service, services } from "../../scripts/support/services.ts";
import { makeSecrets, type Secrets } from "../../scripts/support/start/secrets.ts";
import { startCommand } from "../support/cli/command.ts";
import { type Platform, startIsolatedPlatform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";

/** Starts a platform with these secrets, among them an operator key of each service. */
async function start(secrets: Secrets, SCHEDULER_ENABLED: "true" | "false"): Promise<Platform> {
  const settings = Object.fromEntries(services.map((name) => [name, { SCHEDULER_ENABLED }]));
  const platform = await startIsolatedPlatform(settings, { secrets });
  onTestFinished(() => platform.close());
  return platform;
}

/** Returns functions that run the commands in a new folder. */
function openFolder(env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), "platform-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = async (command: (output: { out: Print; err: Print }) => Promise<number>) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await command({ out: (line) => out.push(line), err: (line) => err.push(line) });
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  const file = join(folder, "platform.backup");
  return {
    folder,
    file,
    backup: (url: string, options: Partial<BackupOptions>) => {
      rmSync(file, { force: true });
      const all = { url, recipients: [], secrets: [], withoutSecrets: false, ...options };
      return run((output) => runBackup(file, all, output, env));
    },
    restore: (url: string, options: RestoreOptions) =>
      run((output) => runRestore(file, { url, ...options }, output, env)),
  };
}

const operatorKeyOf = (service: Service) => `PLATFORM_${service.toUpperCase()}_OPERATOR_KEY`;

type Print = (line: string) => void;

const callerAt = (platform: Platform, token: string) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
};

/** Starts a receiver of webhooks. */
async function startReceiver() {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers as Record<string, string>, body });
    response.end();
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Runs `platform restore` and kills it when it has written the user with an address. */
async function killRestore(platform: Platform, folder: string, email: string, args: string[]): Promise<void> {
  const { child, ended } = startCommand({ onTestFinished }, ["restore", ...args], { cwd: folder });
  const hasUser = () => platform.rows.identity.countRows(users, eq(users.email, email));
  await expect.poll(hasUser, { interval: 20, timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  expect((await ended).code).toBe(null);
}

/** Returns the tables whose rows no export of a company has: those of the platform, and those that triggers fill. */
async function tablesWithoutCompany(platform: Platform, keys: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await findServices(platform.url, keys, {});
  const names = await Promise.all(
    found.map(async (service) => {
      const ofCompany = new Set((await describeService(service, 1)).tables.map(({ name }) => name));
      const { tables } = await describeService(service, null);
      return tables.flatMap(({ name }) => (ofCompany.has(name) ? [] : [`${service.service}.${name}`]));
    }),
  );
  return names.flat().filter((name) => !name.endsWith(".action_hosts"));
}

async function manageIdentity(platform: Platform, key: string, command: string, flags: object): Promise<void> {
  const response = await fetch(`${platform.url}/identity/api/v1/management/${command}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ flags }),
  });
  const text = await response.text();
  if (!text.includes('"exit_code":0')) throw new Error(`${command}: ${text}`);
}

it("restores a backup into an empty deployment, where sign-in works and sealed values open", async () => {
  const secrets = await makeSecrets();
  const [first, second] = [await start(secrets, "true"), await start(secrets, "false")];
  const receiver = await startReceiver();
  const call = callerAt(first, await signInAt(first, "owner@example.com"));
  const rule = await call("POST", "/hosting/api/v1/actions/rules", {
    event_type: "hosting.app.created",
    url: receiver.url,
    name: "Restored",
  });
  await call("POST", "/email/api/v1/suppressions", { email: "gone@example.com" });
  const app = await call("POST", "/hosting/hosting/v1/apps", { name: "notes", display_name: "Notes" });
  await signInAt(first, "mina@example.com");

  const identity = await generateIdentity();
  const env: NodeJS.ProcessEnv = {};
  const { folder, file, backup, restore } = openFolder(env);
  const secretsFile = join(folder, "secrets.json");
  writeFileSync(secretsFile, JSON.stringify(secrets));
  expect(await backup(first.url, { secrets: [secretsFile] })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error key-missing: /),
  });
  const recipients = [await identityToRecipient(identity)];
  expect((await backup(first.url, { recipients })).err).toMatch(/^error secrets-missing: /);
  const written = await backup(first.url, { recipients, secrets: [secretsFile] });
  expect(written).toMatchObject({ code: 0, err: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "latin1")).not.toContain("mina@example.com");

  const identityFile = join(folder, "key.txt");
  writeFileSync(identityFile, `# created: today\n${identity}\n`);
  const secretsTo = join(folder, "restored.json");
  expect((await restore(second.url, { identity: identityFile, secretsTo })).code).toBe(0);
  expect(JSON.parse(readFileSync(secretsTo, "utf8"))).toEqual(secrets);
  expect((await restore(first.url, { identity: identityFile })).err).toBe(
    "error service-failed: identity: Set SCHEDULER_ENABLED to false first: the jobs would send mails and webhooks of the backup, and change its rows.",
  );
  const otherSecrets = await makeSecrets();
  const other = await start(otherSecrets, "false");
  expect((await restore(other.url, { identity: identityFile })).err).toBe(
    "error operator-key-refused: identity has another operator key. Set PLATFORM_IDENTITY_OPERATOR_KEY to it; before a restore, deploy the secrets of the backup instead.",
  );
  for (const name of services) env[operatorKeyOf(name)] = otherSecrets[name].OPERATOR_KEY;
  expect((await restore(other.url, { identity: identityFile })).err).toMatch(
    /^error secrets-differ: identity has other values of ACTIONS_ENCRYPTION_KEY, SECRET_KEY, JWT_PRIVATE_KEY\. /,
  );
  for (const name of services) delete env[operatorKeyOf(name)];
  await killRestore(second, folder, "mina@example.com", [file, "--url", second.url, "--identity", identityFile]);
  const restored = await restore(second.url, { identity: identityFile });
  expect(restored).toMatchObject({ code: 0, err: "" });
  expect(restored.out).toMatch(/\d+ tables have the counts and hashes of the backup/);

  const owner = await signInAt(second, "owner@example.com");
  const there = callerAt(second, owner);
  expect(await there("GET", "/email/api/v1/suppressions?email=gone@example.com")).toMatchObject({
    suppressions: [{ email_masked: "g***@example.com" }],
  });
  expect(await there("GET", "/hosting/hosting/v1/apps/notes")).toMatchObject({ id: app.id });
  expect(await there("GET", "/identity/api/v1/users?q=mina")).toMatchObject({
    results: [{ email: "mina@example.com" }],
  });
  await there("POST", "/hosting/hosting/v1/apps", { name: "second", display_name: "Second" });
  await expect.poll(() => receiver.received.length).toBe(2);
  const [, last] = receiver.received;
  expect(new Webhook(String(rule.secret)).verify(last?.body ?? "", last?.headers ?? {})).toMatchObject({
    type: "hosting.app.created",
  });
  // Somebody has worked there now.
  expect((await restore(second.url, { identity: identityFile })).err).toMatch(/The service is not empty: sessions/);

  // A company is exported as readable lines, and restored without the other companies.
  const company = { name: "Other", owner_email: "other-owner@example.com", redirect_origin: "https://app.example.com" };
  const operatorKey = secrets.identity.OPERATOR_KEY ?? "";
  await manageIdentity(first, operatorKey, "create_company", company);
  await manageIdentity(first, operatorKey, "create_staff", { email: "staff@example.com", company: 1 });
  expect(await first.rows.identity.countRows(users, eq(users.is_staff, true))).toBe(1);
  expect((await backup(first.url, { company: 1, secrets: [secretsFile] })).err).toMatch(/^error secrets-refused: /);
  for (const name of services) env[operatorKeyOf(name)] = secrets[name].OPERATOR_KEY;
  expect(await backup(first.url, { company: 1 })).toMatchObject({ code: 0, err: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(JSON.parse(text.split("\n", 1)[0] ?? "")).toMatchObject({ type: "backup", company_id: 1 });
  expect([text.includes("mina@example.com"), text.includes("other-owner@example.com")]).toEqual([true, false]);
  expect(await tablesWithoutCompany(first, env)).toEqual([
    ...["identity.auth_codes", "identity.oauth_states", "identity.sessions", "identity.sign_in_requests"],
    ...["identity.company_totals", "identity.counters", "identity.scim_companies"],
    ...["email.alert_notices", "email.alerts"],
    ...["email.library_versions", "email.provider_events", "email.stats_marks"],
    ...["email.figure_hours", "email.message_totals"],
  ]);
  const third = await start(secrets, "false");
  await manageIdentity(third, operatorKey, "begin_restore", { backup: "another", dry_run: true });
  expect(await third.rows.identity.countRows(companies, undefined)).toBe(1);
  expect((await restore(third.url, {})).err).toMatch(/^error company-missing: /);
  expect(await restore(third.url, { company: 1 })).toMatchObject({ code: 0, err: "" });
  expect(await third.rows.identity.countRows(users, eq(users.email, "staff@example.com"))).toBe(1);
  expect(await third.rows.identity.countRows(users, eq(users.is_staff, true))).toBe(0);
  expect(await third.rows.identity.countRows(sessions, undefined)).toBe(0);
  const alone = callerAt(third, await signInAt(third, "owner@example.com"));
  expect(await alone("GET", "/hosting/hosting/v1/apps/notes")).toMatchObject({ id: app.id });
  expect(await alone("GET", "/identity/api/v1/users?q=mina")).toMatchObject({
    results: [{ email: "mina@example.com" }],
  });
  expect(await third.rows.identity.countRows(companies, undefined)).toBe(1);
}, 240_000);
