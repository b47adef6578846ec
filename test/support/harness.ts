import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness, type WorkerHandle } from "wrangler";
import {
  changeableSettings,
  createSecrets,
  portSettings,
  type Settings,
  serviceKeysOf,
} from "../../scripts/support/dev-settings.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { demo, seedStatements } from "../../scripts/support/seed.ts";
import { type Service, services } from "../../scripts/support/services.ts";
import { openWorkspace } from "../../scripts/support/workspace.ts";
import { type Inbox, startInbox } from "./maildev.ts";

export type Platform = {
  /** base URL of the edge, without a trailing slash */
  url: string;
  inbox: Inbox;
  /** the Worker itself, past the edge: fetch, scheduled, its bindings */
  worker(service: Service | "event-source"): WorkerHandle<{ DB: D1Database }>;
  /** rings a Cron Trigger of every service through the edge's fan-out */
  ringCron(cron?: string): Promise<void>;
  /** rows of a query on the database of one service */
  rows<Row>(service: Service, sql: string, ...values: unknown[]): Promise<Row[]>;
  /** log lines of the Workers since the start or the last call */
  takeLogs(): string[];
  close(): Promise<void>;
};

const eventSource = fileURLToPath(new URL("./event-source/wrangler.toml", import.meta.url));

/**
 * All Workers, real SMTP and a fresh, seeded database on free ports. `settings` go over those of a development start.
 * `withEventSource` adds the Worker of ./event-source.
 */
export async function startPlatform(
  settings: Partial<Record<Service, Settings>> = {},
  { withEventSource = false }: { withEventSource?: boolean } = {},
): Promise<Platform> {
  const directory = await mkdtemp(join(tmpdir(), "platform-test-"));
  // Copies of the configurations: the developer's .dev.vars beside the real ones stay out of tests.
  const { configs } = openWorkspace(directory);
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  const [smtpPort, mailPort] = [await findFreePort(), await findFreePort()];
  const inbox = await startInbox({ smtp: smtpPort, web: mailPort }, join(directory, "mail"));
  const secrets = createSecrets();
  const optionsFor = (port: number) => {
    const derived = portSettings({ port, mailPort, smtpPort });
    const variablesOf = (name: Service) => ({
      ...changeableSettings[name],
      ...secrets[name],
      ...derived[name],
      ...settings[name],
    });
    return {
      workers: [
        { configPath: configs.edge, secrets: { ...changeableSettings.edge, ...derived.edge } },
        ...services.map((name) => ({ configPath: configs[name], secrets: variablesOf(name) })),
        ...(withEventSource ? [{ configPath: eventSource, secrets: variablesOf("hosting") }] : []),
      ],
    };
  };
  const server = createTestHarness(optionsFor(1));
  const { url } = await server.listen();
  // The harness chooses the port, and links in mails need it: the port is known only now.
  await server.update(optionsFor(Number(url.port)));
  const worker: Platform["worker"] = (service) => server.getWorker<{ DB: D1Database }>(`platform-${service}`);
  const serviceKeys = serviceKeysOf(secrets);
  const seed = seedStatements({ ...demo, origins: [`http://localhost:${url.port}`], serviceKeys });
  for (const service of services) {
    await worker(service).applyD1Migrations("DB");
    if (seed[service].length === 0) continue;
    const { DB } = await worker(service).getEnv();
    await DB.batch(seed[service].map((statement) => DB.prepare(statement)));
  }
  return {
    url: `http://localhost:${url.port}`,
    inbox,
    worker,
    ringCron: async (cron = "* * * * *") => {
      const result = await server.getWorker().scheduled({ cron, scheduledTime: new Date() });
      if (result.outcome !== "ok") throw new Error(`cron ${cron}: ${result.outcome}`);
    },
    rows: async <Row>(service: Service, sql: string, ...values: unknown[]) => {
      const { DB } = await worker(service).getEnv();
      return (
        await DB.prepare(sql)
          .bind(...values)
          .all<Row>()
      ).results;
    },
    takeLogs: () => {
      const lines = server.getLogs().map((entry) => entry.message);
      server.clearLogs();
      return lines;
    },
    close: async () => {
      await server.close();
      await inbox.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
