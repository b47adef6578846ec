import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness, unstable_splitSqlQuery as splitQueries, type WorkerHandle } from "wrangler";
import { libraryStatements } from "../../../scripts/support/databases/library.ts";
import { demo, seedStatements } from "../../../scripts/support/databases/seed.ts";
import { joinStatements } from "../../../scripts/support/databases/statements.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { perService, type Service, services, type Worker, workers } from "../../../scripts/support/services.ts";
import { changeableSettings, portSettings, type Settings } from "../../../scripts/support/start/dev-settings.ts";
import { makeSecrets, type Secrets, serviceKeysOf } from "../../../scripts/support/start/secrets.ts";
import { openWorkspace } from "../../../scripts/support/start/workspace.ts";
import { rowsOf } from "../db/rows.ts";
import { type Inbox, startInbox } from "../mail/maildev.ts";
import { bundleOnce } from "./bundles.ts";

export type Platform = {
  /** base URL of the edge, without a trailing slash */
  url: string;
  /** port for a shell of company 1, which allows its origin; nothing listens there yet */
  shellPort: number;
  inbox: Inbox;
  /** a handle that calls one Worker without the edge */
  worker(service: Service | "event-source"): WorkerHandle<{ DB: D1Database }>;
  /** runs a Cron Trigger through the edge, which forwards it to every service */
  runCron(cron?: string): Promise<void>;
  /** typed access to the rows of each service's database */
  rows: Record<Service, ReturnType<typeof rowsOf>>;
  /** returns the log lines of the Workers since the start or the last call */
  takeLogs(): string[];
  close(): Promise<void>;
  /**
   * stops the inbox and removes the files synchronously, for a process that is about to exit; the Workers exit with it
   */
  kill(): void;
};

const eventSource = fileURLToPath(new URL("../event-source/wrangler.toml", import.meta.url));

/** Starts a TCP proxy on a free port; `forwardTo` sets its target port. */
async function startProxy() {
  let targetPort = 0;
  const sockets = new Set<Socket>();
  // Nagle's algorithm would delay the second part of each response by about 40 ms, until the client acknowledges the first.
  const server = createServer({ noDelay: true }, (clientSocket) => {
    const serverSocket = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
    for (const [socket, other] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      sockets.add(socket);
      // An error on one socket closes the other; `pipe` only forwards a normal end.
      socket.on("error", () => other.destroy()).on("close", () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  await once(server.listen(0, "localhost"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    forwardTo(port: number): void {
      targetPort = port;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/**
 * Repeats a call whose connection the runtime closed. The runtime closes connections after 5 s without a call, and the
 * harness reuses connections, so on a busy machine a call may use a closing connection. The runtime has not started
 * such a call.
 */
async function retryOnClosedConnection<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!isClosedConnection(error) || tries === 3) throw error;
    }
  }
}

/** Returns whether an error, or one of its causes, reports a connection that the peer closed. */
function isClosedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "UND_ERR_SOCKET") || isClosedConnection(error.cause);
}

/** Returns the migrations of a service's database as SQL, in the order of their names. */
function migrationsOf(service: Service): string[] {
  const folder = fileURLToPath(new URL(`../../../db/${service}/migrations/`, import.meta.url));
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().flatMap((name) => splitQueries(readFileSync(join(folder, name), "utf8")));
}

export type PlatformSettings = Partial<Record<Worker, Settings>>;
export type PlatformOptions = { withEventSource?: boolean; secrets?: Secrets };

/**
 * Starts all Workers with real SMTP and new, seeded databases on free ports. `settings` override the development
 * settings. `withEventSource` adds the Worker of ../event-source; `secrets` are new unless given. Tests without special
 * settings use `sharePlatform`, which starts one platform per test worker.
 */
export async function startIsolatedPlatform(
  settings: PlatformSettings = {},
  options: PlatformOptions = {},
): Promise<Platform> {
  const { withEventSource = false } = options;
  const directory = await mkdtemp(join(tmpdir(), "platform-test-"));
  // The configurations are copies, because a developer's .dev.vars beside the originals would change the tests.
  const { configs } = openWorkspace(directory);
  const sources = { ...configs, "event-source": eventSource };
  const bundles = process.env.PLATFORM_TEST_BUNDLES;
  const library = bundles === undefined ? await libraryStatements() : await bundleOnce(bundles, sources);
  const inputOf = (name: keyof typeof sources) => ({
    configPath: sources[name],
    ...(bundles !== undefined && { prebuiltWorkerDir: join(bundles, name) }),
  });
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  process.env.WRANGLER_LOG = "warn";
  const [smtpPort, mailPort, shellPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const inbox = await startInbox({ smtp: smtpPort, web: mailPort }, join(directory, "mail"));
  const secrets = { edge: {}, ...(options.secrets ?? (await makeSecrets())) };
  // The settings for links in mails need a port before the harness chooses its own, so a proxy with a known port
  // forwards to it.
  const proxy = await startProxy();
  const derived = portSettings({ port: proxy.port, smtpPort, shellPort: null });
  const variablesOf = (name: Worker) => ({
    ...changeableSettings[name],
    ...secrets[name],
    ...derived[name],
    ...settings[name],
  });
  const server = createTestHarness({
    workers: [
      ...workers.map((name) => ({ ...inputOf(name), secrets: variablesOf(name) })),
      ...(withEventSource ? [{ ...inputOf("event-source"), secrets: variablesOf("hosting") }] : []),
    ],
  });
  const { url } = await server.listen().catch(async (error: unknown) => {
    // The inbox is a separate process, which would outlive the tests.
    await Promise.all([proxy.close(), inbox.stop()]);
    throw error;
  });
  proxy.forwardTo(Number(url.port));
  const worker: Platform["worker"] = (service) => server.getWorker<{ DB: D1Database }>(`platform-${service}`);
  const serviceKeys = serviceKeysOf(secrets);
  const origins = [proxy.port, shellPort].map((port) => `http://localhost:${port}`);
  const seed = await seedStatements({ ...demo, origins, serviceKeys });
  const databases = {} as Record<Service, D1Database>;
  for (const service of services) {
    const { DB } = await worker(service).getEnv();
    databases[service] = DB;
    const statements = [...migrationsOf(service), ...(service === "email" ? library : []), ...seed[service]];
    await DB.batch(joinStatements(statements).map((text) => DB.prepare(text)));
  }
  return {
    url: `http://localhost:${proxy.port}`,
    shellPort,
    inbox,
    worker,
    runCron: async (cron = "* * * * *") => {
      const result = await retryOnClosedConnection(() =>
        server.getWorker().scheduled({ cron, scheduledTime: new Date() }),
      );
      if (result.outcome !== "ok") throw new Error(`cron ${cron}: ${result.outcome}`);
    },
    rows: perService((service) => rowsOf(databases[service], retryOnClosedConnection)),
    takeLogs: () => {
      const lines = server.getLogs().map((entry) => entry.message);
      server.clearLogs();
      return lines;
    },
    close: async () => {
      await proxy.close();
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
