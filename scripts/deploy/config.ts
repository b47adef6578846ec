import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { experimental_readRawConfig as readRawConfig } from "wrangler";
import { perWorker, type Worker } from "../support/services.ts";
import { configs } from "../support/start/workspace.ts";
import { deadLetterQueue, nameIn } from "./names.ts";
import { customDomains, type DeploymentRecord } from "./record.ts";
import { variablesOf } from "./variables.ts";

type Consumer = {
  queue: string;
  max_batch_size?: number;
  max_batch_timeout?: number;
  max_retries?: number;
  max_concurrency?: number;
  retry_delay?: number;
  dead_letter_queue?: string;
};
/** The part of a wrangler configuration that the deployment reads or changes. */
export type WorkerConfig = {
  name: string;
  main: string;
  compatibility_date: string;
  alias?: Record<string, string>;
  assets?: { directory: string; html_handling?: string };
  d1_databases?: { binding: string; database_name: string; database_id: string; migrations_dir: string }[];
  r2_buckets?: { binding: string; bucket_name: string }[];
  queues?: { producers?: { binding: string; queue: string }[]; consumers?: Consumer[] };
  durable_objects?: { bindings: { name: string; class_name: string }[] };
  services?: { binding: string; service: string; entrypoint?: string }[];
  migrations?: { tag: string; new_sqlite_classes?: string[] }[];
  send_email?: { name: string }[];
  triggers?: { crons: string[] };
  routes?: ({ pattern: string; custom_domain: true } | { pattern: string; zone_id: string })[];
  vars?: Record<string, string>;
  workers_dev?: boolean;
  build?: unknown;
};
export type WorkerConfigs = Record<Worker, WorkerConfig>;

/** Reads the wrangler.toml of a Worker. Paths in the result are absolute. */
function readConfig(worker: Worker): WorkerConfig {
  const path = configs[worker];
  const absolute = (file: string) => resolve(dirname(path), file);
  // `build` is left out, because the deployment writes the generated documents once for all Workers.
  const { build: _, ...config } = readRawConfig({ config: path }).rawConfig as WorkerConfig;
  const aliases = Object.entries(config.alias ?? {}).map(([name, file]) => [name, absolute(file)]);
  return {
    ...config,
    main: absolute(config.main),
    ...(config.alias && { alias: Object.fromEntries(aliases) }),
    ...(config.assets && { assets: { ...config.assets, directory: absolute(config.assets.directory) } }),
    ...(config.d1_databases && {
      d1_databases: config.d1_databases.map((entry) => ({ ...entry, migrations_dir: absolute(entry.migrations_dir) })),
    }),
  };
}

/** The queue in which Cloudflare's Email Service reports the outcome of mail. */
export const mailEventsQueue = "email-events";

/** Returns the queues that a Worker consumes. Only deployments that send with Cloudflare have the queue of its events. */
function consumersOf(worker: Worker, { queues }: WorkerConfig, { mail }: DeploymentRecord): Consumer[] {
  const consumers = queues?.consumers ?? [];
  if (worker !== "email" || mail !== "cloudflare") return consumers;
  return [...consumers, { queue: mailEventsQueue, max_batch_size: 10, max_batch_timeout: 1, max_retries: 3 }];
}

/**
 * Returns the configuration of each Worker of a deployment: the wrangler.toml files with the names, ids, hosts and variables of
 * the deployment.
 */
export function configsOf(record: DeploymentRecord): WorkerConfigs {
  const variables = variablesOf(record);
  const named = (resource: string) => nameIn(record.name, resource);
  return perWorker((worker) => {
    const source = readConfig(worker);
    const databaseId = worker === "edge" ? undefined : record.databases[worker];
    const hosts = customDomains(record).filter(([owner]) => owner === worker);
    const apps = worker === "edge" && record.apps !== null ? [`*.${record.apps}/*`] : [];
    return {
      ...source,
      name: named(source.name),
      ...(source.d1_databases && {
        d1_databases: source.d1_databases.map((entry) => ({
          ...entry,
          database_name: named(entry.database_name),
          database_id: databaseId ?? entry.database_id,
        })),
      }),
      ...(source.r2_buckets && {
        r2_buckets: source.r2_buckets.map((entry) => ({ ...entry, bucket_name: named(entry.bucket_name) })),
      }),
      ...(source.services && {
        services: source.services.map((entry) => ({ ...entry, service: named(entry.service) })),
      }),
      ...(source.queues && {
        queues: {
          producers: source.queues.producers?.map((entry) => ({ ...entry, queue: named(entry.queue) })) ?? [],
          consumers: consumersOf(worker, source, record).map((entry) => ({
            ...entry,
            queue: named(entry.queue),
            dead_letter_queue: deadLetterQueue(named(entry.queue)),
          })),
        },
      }),
      // Optional for the email Worker, so that its wrangler.toml does not require Cloudflare's Email Service.
      ...(worker === "email" && record.mail === "cloudflare" && { send_email: [{ name: "SEND_EMAIL" }] }),
      routes: [
        ...hosts.map(([, pattern]) => ({ pattern, custom_domain: true as const })),
        ...apps.map((pattern) => ({ pattern, zone_id: record.zone.id })),
      ],
      workers_dev: false,
      vars: { ...source.vars, ...variables[worker] },
    };
  });
}

/** Writes the configurations to `<folder>/<worker>/wrangler.json`, for builds and for wrangler commands. Returns their paths. */
export function writeConfigs(folder: string, all: WorkerConfigs): Record<Worker, string> {
  return perWorker((worker) => {
    const path = join(folder, worker, "wrangler.json");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(all[worker], null, 2)}\n`);
    return path;
  });
}
