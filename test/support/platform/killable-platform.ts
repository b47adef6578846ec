import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { prepareDatabases, wrangler } from "../../../scripts/support/databases/databases.ts";
import { demo } from "../../../scripts/support/databases/seed.ts";
import { type Child, startChild } from "../../../scripts/support/processes/children.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { waitFor } from "../../../scripts/support/processes/wait.ts";
import { type Service, services, workers } from "../../../scripts/support/services.ts";
import { type Settings, updateSettings, writeSettingsFile } from "../../../scripts/support/start/dev-settings.ts";
import { serviceKeysOf } from "../../../scripts/support/start/secrets.ts";
import { openWorkspace, settingsPath } from "../../../scripts/support/start/workspace.ts";
import type { EmitRequest, ObjectRequest, ObjectsRequest, RuleRequest, SqlRequest } from "../event-source/requests.ts";
import { bundleOnce } from "./bundles.ts";

/** All Workers and an event source, with state that survives a kill. */
export type KillablePlatform = Awaited<ReturnType<typeof openKillablePlatform>>;

const eventSource = fileURLToPath(new URL("../event-source/wrangler.toml", import.meta.url));

/** Prepares state and databases; `overrides` replace development settings. Starts no process before `start`. */
export async function openKillablePlatform(overrides: Partial<Record<Service, Settings>>) {
  const state = mkdtempSync(join(tmpdir(), "platform-soak-"));
  const workspace = openWorkspace(state);
  const [port, smtpPort] = [await findFreePort(), await findFreePort()];
  const settings = await updateSettings(workspace.settings, { port, smtpPort, shellPort: null });
  for (const name of services) writeSettingsFile(workspace.settings[name], { ...settings[name], ...overrides[name] });
  const sourceConfig = copyEventSource(join(state, "config/event-source"));
  writeSettingsFile(settingsPath(sourceConfig), { ...settings.hosting, ...overrides.hosting });
  const configs = { ...workspace.configs, "event-source": sourceConfig };
  const bundles = process.env.PLATFORM_TEST_BUNDLES;
  if (bundles !== undefined) {
    await bundleOnce(bundles, { ...workspace.configs, "event-source": eventSource });
    for (const [name, config] of Object.entries(configs)) useBundle(config, join(bundles, name, "worker.js"));
  }
  // Another platform on this machine has Workers with the same names. A separate registry hides them.
  process.env.WRANGLER_REGISTRY_PATH = join(workspace.data, "registry");
  await prepareDatabases(workspace, {
    ...demo,
    origins: [`http://localhost:${port}`],
    serviceKeys: serviceKeysOf(settings),
  });
  const url = `http://127.0.0.1:${port}`;
  let running: Child | null = null;
  let output = "";

  async function post<T>(path: string, body: unknown): Promise<T> {
    const response = await fetch(`${url}/event-source/${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
    return (await response.json()) as T;
  }

  /** Returns a Drizzle client of a service's database, which works while the Workers run. */
  const databaseOf = (database: SqlRequest["database"]) =>
    drizzle(async (sql, values, method) => {
      const rows = await post<unknown[][]>("sql", { database, sql, values } satisfies SqlRequest);
      return { rows: method === "get" ? (rows[0] ?? []) : rows };
    });

  return {
    url,
    /** origin that redirect URLs may have */
    origin: `http://localhost:${port}`,
    /** the key of identity's management commands */
    operatorKey: settings.identity.OPERATOR_KEY ?? "",
    /** port that the email service sends mail to; nothing listens there yet */
    smtpPort,
    hosting: databaseOf("hosting"),
    email: databaseOf("email"),
    storage: databaseOf("storage"),
    /** returns the keys of the R2 bucket of storage or hosting under a prefix */
    listObjects: (prefix: string, bucket: ObjectsRequest["bucket"] = "storage") =>
      post<string[]>("objects", { bucket, prefix } satisfies ObjectsRequest),
    /** returns the text of an object of hosting's R2 bucket, or null */
    readFile: (key: string) => post<string | null>("object", { key } satisfies ObjectRequest),

    async start(): Promise<void> {
      const paths = [configs["event-source"], ...workers.map((worker) => configs[worker])];
      // Port 0 selects a free port. Otherwise two concurrent starts would use the same default inspector port.
      const addressArgs = ["--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
      const args = ["dev", ...paths.flatMap((path) => ["-c", path]), ...addressArgs];
      running = startChild(wrangler, [...args, "--persist-to", workspace.database], (text) => {
        output += text;
      });
      await waitFor("the Workers", running, async () => {
        const responses = await Promise.all(services.map((service) => fetch(`${url}/${service}/api/v1/health`)));
        return responses.every(({ ok }) => ok);
      });
    },

    /**
     * Kills wrangler and workerd, which loses all state in memory. Returns the time of the kill (ms since the epoch).
     */
    async kill(): Promise<number> {
      const pid = running?.process.pid;
      if (pid === undefined) throw new Error("the platform is not running");
      const at = Date.now();
      process.kill(-pid, "SIGKILL");
      await running?.stop();
      running = null;
      return at;
    },

    /** Runs a Cron Trigger at the edge, which forwards it to the services; resolves when the runs have finished. */
    async runCron(cron = "* * * * *"): Promise<void> {
      const response = await fetch(`${url}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`);
      if (!response.ok) throw new Error(`cron: ${response.status} ${await response.text()}`);
    },

    emit: (request: EmitRequest) => post<{ stored: number }>("emit", request),
    createRules: (rules: RuleRequest[]) => post<number[]>("rules", rules),
    /**
     * Expires the locks of hosting's jobs that a killed run still holds, and returns their number. Call it only while
     * no Worker runs.
     */
    expireLocks: () => expireLocks(workspace.database),
    output: () => output,

    async close(): Promise<void> {
      await running?.stop();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** Copies the configuration with absolute paths to a directory that also receives its `.dev.vars`, like openWorkspace. */
function copyEventSource(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const text = readFileSync(eventSource, "utf8").replace(
    /^(main|migrations_dir) = "(.+)"$/gm,
    (_line, name: string, path: string) => `${name} = ${JSON.stringify(resolve(dirname(eventSource), path))}`,
  );
  const target = join(directory, "wrangler.toml");
  writeFileSync(target, text);
  return target;
}

/** Makes wrangler start a bundle instead of building it from the sources, in a copied configuration. */
function useBundle(config: string, bundle: string): void {
  const text = readFileSync(config, "utf8").replace(
    /^main = .+$/m,
    `main = ${JSON.stringify(bundle)}\nno_bundle = true`,
  );
  writeFileSync(config, text);
}

/** Sets `expires_at` of every lock to the past in the storage of its Durable Object; returns the number of held locks. */
function expireLocks(database: string): number {
  const directory = join(database, "v3/do/platform-hosting-JobLock");
  let held = 0;
  for (const name of readdirSync(directory).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))) {
    const db = new DatabaseSync(join(directory, name));
    const row = db.prepare("SELECT value FROM _cf_KV WHERE key = 'holder'").get() as { value: Uint8Array } | undefined;
    if (row !== undefined) {
      const holder = deserialize(row.value) as { expires_at: number };
      held += Number(holder.expires_at > Date.now());
      const expired = serialize({ ...holder, expires_at: Date.now() - 1 });
      db.prepare("UPDATE _cf_KV SET value = ? WHERE key = 'holder'").run(expired);
    }
    db.close();
  }
  return held;
}
