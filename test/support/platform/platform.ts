import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness, type WorkerHandle } from "wrangler";
import { libraryStatements } from "../../../scripts/support/databases/library.ts";
import { demo, seedStatements } from "../../../scripts/support/databases/seed.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { perService, type Service, services, type Worker, workers } from "../../../scripts/support/services.ts";
import { changeableSettings, portSettings, type Settings } from "../../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../../scripts/support/start/secrets.ts";
import { type configs as configurations, openWorkspace } from "../../../scripts/support/start/workspace.ts";
import { rowsOf } from "../db/rows.ts";
import { type Inbox, startInbox } from "../mail/maildev.ts";

export type Platform = {
  /** base URL of the edge, without a trailing slash */
  url: string;
  inbox: Inbox;
  /** the Worker itself, past the edge: fetch, scheduled, its bindings */
  worker(service: Service | "event-source"): WorkerHandle<{ DB: D1Database }>;
  /** rings a Cron Trigger of every service through the edge's fan-out */
  ringCron(cron?: string): Promise<void>;
  /** rows of the services' databases, as the schema types them */
  rows: Record<Service, ReturnType<typeof rowsOf>>;
  /** log lines of the Workers since the start or the last call */
  takeLogs(): string[];
  close(): Promise<void>;
  /** ends the inbox and removes the files at once, for a process that is about to exit; the runtime ends with it */
  kill(): void;
};

const eventSource = fileURLToPath(new URL("../event-source/wrangler.toml", import.meta.url));

/** A port of this machine that passes bytes on to another one, which `lead` names. */
async function openDoor() {
  let behind = 0;
  const sockets = new Set<Socket>();
  const server = createServer((front) => {
    const back = connect(behind, "127.0.0.1");
    for (const [socket, other] of [
      [front, back],
      [back, front],
    ] as const) {
      sockets.add(socket);
      // What ends or breaks on one side does so on the other.
      socket.on("error", () => other.destroy()).on("close", () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  await once(server.listen(0, "localhost"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    lead(port: number): void {
      behind = port;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/**
 * The harness keeps its connections to the runtime, which closes those without a call for 5 s: on a busy machine a call may go
 * out on one that is being closed. It was not begun then, so it is made again.
 */
async function askAgain<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!isClosedConnection(error) || tries === 3) throw error;
    }
  }
}

/** Whether an error, or one that it was caused by, is of a connection that the other side has closed. */
function isClosedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "UND_ERR_SOCKET") || isClosedConnection(error.cause);
}

/** Makes configurations run what `npm run build` has made, as it is. */
async function useBundles(paths: typeof configurations): Promise<void> {
  for (const [worker, path] of Object.entries(paths)) {
    const bundle = fileURLToPath(new URL(`../../../dist/${worker}/worker.js`, import.meta.url));
    const main = `main = ${JSON.stringify(bundle)}\nno_bundle = true`;
    await writeFile(path, (await readFile(path, "utf8")).replace(/^main = .+$/m, main));
  }
}

export type PlatformSettings = Partial<Record<Worker, Settings>>;
export type PlatformOptions = { withEventSource?: boolean; areBundles?: boolean };

/**
 * All Workers, real SMTP and a fresh, seeded database on free ports. `settings` go over those of a development start.
 * `withEventSource` adds the Worker of ./event-source; `areBundles` runs the production bundles in `dist/`. Tests that
 * need no settings of their own use `sharePlatform`, which starts one per test worker.
 */
export async function startOwnPlatform(
  settings: PlatformSettings = {},
  options: PlatformOptions = {},
): Promise<Platform> {
  const { withEventSource = false, areBundles = false } = options;
  const directory = await mkdtemp(join(tmpdir(), "platform-test-"));
  // Copies of the configurations: a developer's .dev.vars beside the real ones stay out of tests.
  const { configs } = openWorkspace(directory);
  if (areBundles) await useBundles(configs);
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  process.env.WRANGLER_LOG = "warn";
  const [smtpPort, mailPort] = [await findFreePort(), await findFreePort()];
  const inbox = await startInbox({ smtp: smtpPort, web: mailPort }, join(directory, "mail"));
  const secrets = { edge: {}, ...(await makeSecrets()) };
  // The harness chooses its port when it listens, and links in mails need one before: people come by a door in front.
  const door = await openDoor();
  const derived = portSettings({ port: door.port, smtpPort, shellPort: null });
  const variablesOf = (name: Worker) => ({
    ...changeableSettings[name],
    ...secrets[name],
    ...derived[name],
    ...settings[name],
  });
  const server = createTestHarness({
    workers: [
      ...workers.map((name) => ({ configPath: configs[name], secrets: variablesOf(name) })),
      ...(withEventSource ? [{ configPath: eventSource, secrets: variablesOf("hosting") }] : []),
    ],
  });
  const { url } = await server.listen().catch(async (error: unknown) => {
    // The inbox is a process of its own, which would outlive the tests.
    await Promise.all([door.close(), inbox.stop()]);
    throw error;
  });
  door.lead(Number(url.port));
  const worker: Platform["worker"] = (service) => server.getWorker<{ DB: D1Database }>(`platform-${service}`);
  const serviceKeys = serviceKeysOf(secrets);
  const seed = await seedStatements({ ...demo, origins: [`http://localhost:${door.port}`], serviceKeys });
  const library = await libraryStatements();
  const databases = {} as Record<Service, D1Database>;
  for (const service of services) {
    await worker(service).applyD1Migrations("DB");
    const { DB } = await worker(service).getEnv();
    databases[service] = DB;
    if (service === "email") await DB.batch(library.map((statement) => DB.prepare(statement)));
    if (seed[service].length > 0) await DB.batch(seed[service].map((statement) => DB.prepare(statement)));
  }
  return {
    url: `http://localhost:${door.port}`,
    inbox,
    worker,
    ringCron: async (cron = "* * * * *") => {
      const result = await askAgain(() => server.getWorker().scheduled({ cron, scheduledTime: new Date() }));
      if (result.outcome !== "ok") throw new Error(`cron ${cron}: ${result.outcome}`);
    },
    rows: perService((service) => rowsOf(databases[service], askAgain)),
    takeLogs: () => {
      const lines = server.getLogs().map((entry) => entry.message);
      server.clearLogs();
      return lines;
    },
    close: async () => {
      await door.close();
      await server.close();
      await inbox.stop();
      await rm(directory, { recursive: true, force: true });
    },
    kill: () => {
      inbox.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
