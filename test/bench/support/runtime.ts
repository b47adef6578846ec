import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from "wrangler";
import { libraryStatements } from "../../../scripts/support/databases/library.ts";
import type { Service } from "../../../scripts/support/services.ts";

export type Settings = Record<string, string>;
export type Runtime = Awaited<ReturnType<typeof startRuntime>>;

const root = new URL("../../../", import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, root));

/** Bundles a module of test/bench for workerd. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path(`test/bench/${entry}`)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2023",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

const module = (name: string, contents: string) => ({ type: "ESModule" as const, path: name, contents });

/** Returns the modules of a Worker. If `classes` lists its Durable Object classes, the meter wraps the Worker. */
async function modulesOf(worker: string, classes: string[] | null) {
  if (classes === null) return [module("worker.js", worker)];
  const entry = `import { meterObject, meterWorker } from "./meter.js";
    import * as production from "./worker.js";
    export * from "./worker.js";
    export default meterWorker(production.default);
    ${classes.map((name) => `export const ${name} = meterObject("${name}", production.${name});`).join("\n")}`;
  const meter = await bundle("meter/meter.ts");
  return [module("entry.js", entry), module("meter.js", meter), module("worker.js", worker)];
}

const readAsset = async ({ url }: { url: string }) =>
  new Response(await readFile(path(`.generated/docs${new URL(url).pathname}`)));

/**
 * Returns the Worker options for a service's production bundle with the bindings of its wrangler.toml. `services`
 * replaces the service bindings.
 */
export async function serviceWorker(
  service: Service,
  {
    settings,
    isMetered,
    services,
  }: { settings: Settings; isMetered: boolean; services?: V4WorkerOptions["serviceBindings"] },
): Promise<V4WorkerOptions> {
  const { workerOptions } = readWorkerOptions(path(`workers/${service}/wrangler.toml`));
  // Omits static assets, because Cloudflare serves them without the Worker. Jobs read the mail library through the
  // binding ASSETS.
  const { assets: _, modulesRules: __, ...options } = workerOptions;
  const classes = Object.values(options.durableObjects ?? {}).map((objectClass) =>
    typeof objectClass === "string" ? objectClass : objectClass.className,
  );
  const bound: object = services ?? options.serviceBindings ?? {};
  return {
    ...options,
    name: `platform-${service}`,
    rootPath: path("."),
    modules: await modulesOf(await readFile(path(`dist/${service}/worker.js`), "utf8"), isMetered ? classes : null),
    bindings: settings,
    serviceBindings: { ...bound, ASSETS: readAsset },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
}

/** Returns the Worker options for a Worker of the benchmark. `options` contains its bindings. */
export async function benchWorker(
  name: string,
  entry: string,
  options: Partial<V4WorkerOptions> = {},
  isMetered = false,
): Promise<V4WorkerOptions> {
  return {
    compatibilityDate: "2026-10-01",
    ...options,
    name,
    modules: await modulesOf(await bundle(entry), isMetered ? [] : null),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  } as V4WorkerOptions;
}

/** Removes the bindings to services that do not run. Without them, a service does not offer what needs the other service. */
function removeMissingServices(workers: V4WorkerOptions[]): void {
  const names = new Set(workers.map(({ name }) => name));
  for (const { serviceBindings = {} } of workers) {
    for (const [binding, target] of Object.entries(serviceBindings)) {
      const name = typeof target === "object" && "name" in target ? target.name : target;
      if (typeof name === "string" && !names.has(name)) delete serviceBindings[binding];
    }
  }
}

/** Runs Workers in one workerd with empty databases. The databases of `migrated` services have their tables. */
async function startRuntime(workers: V4WorkerOptions[], migrated: readonly Service[], inspectorPort?: number) {
  // The log lines of the Workers, newest last. A failed benchmark prints the last ones.
  const logs: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => void logs.push(message);
  removeMissingServices(workers);
  const shared = { cf: false, telemetry: { enabled: false }, handleStructuredLogs };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ ...shared, ...(inspectorPort !== undefined && { inspectorPort }), workers }),
  );
  await miniflare.ready;
  const database = (binding: string, worker: string) => miniflare.getD1Database(binding, worker);
  for (const service of migrated) {
    const d1 = await database("DB", `platform-${service}`);
    for (const { queries } of await readD1Migrations(path(`db/${service}/migrations`))) {
      await d1.batch(queries.map((query) => d1.prepare(query)));
    }
    if (service === "email") await d1.batch((await libraryStatements()).map((text) => d1.prepare(text)));
  }
  return {
    database,
    logs,
    /** base URL of a Worker, which calls it directly, without a trailing slash */
    url: async (name: string) => (await miniflare.unsafeGetDirectURL(name)).href.replace(/\/$/, ""),
    /** URL of workerd's inspector, if the runtime was started with a port for it */
    inspector: () => miniflare.getInspectorURL(),
    runCron: async (service: Service, cron: string, scheduledTime: Date) => {
      const worker = await miniflare.getWorker(`platform-${service}`);
      const { outcome } = await worker.scheduled({ cron, scheduledTime });
      if (outcome !== "ok") throw new Error(`cron ${cron} of ${service}: ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}

/**
 * Starts Workers, with an inspector at `inspectorPort`, and stops them after `work`. Prints their last log lines if the
 * work fails.
 */
export async function withRuntime(
  workers: V4WorkerOptions[],
  migrated: readonly Service[],
  work: (runtime: Runtime) => Promise<void>,
  inspectorPort?: number,
): Promise<void> {
  const runtime = await startRuntime(workers, migrated, inspectorPort);
  try {
    await work(runtime);
  } catch (error) {
    console.error(runtime.logs.slice(-20).join("\n"));
    throw error;
  } finally {
    await runtime.stop();
  }
}
