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

/** A module of the bench, or of `node_modules` beside it, as workerd takes it. */
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

/** The modules of a Worker, behind the meter when `classes` are given: those of its Durable Objects. */
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

/** The production bundle of a service with the bindings of its wrangler.toml; `services` replaces those to other Workers. */
export async function serviceWorker(
  service: Service,
  {
    settings,
    isMetered,
    services,
  }: { settings: Settings; isMetered: boolean; services?: V4WorkerOptions["serviceBindings"] },
): Promise<V4WorkerOptions> {
  const { workerOptions } = readWorkerOptions(path(`workers/${service}/wrangler.toml`));
  // Static files are served by Cloudflare before the Worker: no measured call asks for one. Jobs read the mail library's.
  const { assets: _, modulesRules: __, ...options } = workerOptions;
  const classes = Object.values(options.durableObjects ?? {}).map((of) => (typeof of === "string" ? of : of.className));
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

/** A Worker of the bench itself; `options` are its bindings. */
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

/** Runs Workers in one workerd with empty databases, those of services migrated. */
async function startRuntime(workers: V4WorkerOptions[], migrated: readonly Service[], inspectorPort?: number) {
  // What the Workers log, the newest last; a bench that fails shows the end of it.
  const logs: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => void logs.push(message);
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
    /** base URL of a Worker, past any other, without a trailing slash */
    url: async (name: string) => (await miniflare.unsafeGetDirectURL(name)).href.replace(/\/$/, ""),
    /** of workerd, when it was started with a port for it */
    inspector: () => miniflare.getInspectorURL(),
    runCron: async (service: Service, cron: string, scheduledTime: Date) => {
      const worker = await miniflare.getWorker(`platform-${service}`);
      const { outcome } = await worker.scheduled({ cron, scheduledTime });
      if (outcome !== "ok") throw new Error(`cron ${cron} of ${service}: ${outcome}`);
    },
    stop: () => miniflare.dispose(),
  };
}

/** Runs `work` while Workers run, with an inspector at `inspectorPort`; shows the end of their logs when it fails. */
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
