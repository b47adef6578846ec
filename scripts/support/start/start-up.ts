import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestHarness, unstable_readConfig as readConfig } from "wrangler";

/** Number of evaluations of each bundle. Each evaluation runs in a new isolate. */
export const isolateCount = 15;
const probe = `export default { async fetch(request) {
  if (new URL(request.url).pathname === "/load") await import("./bundle.mjs");
  return new Response();
} };`;

/** Milliseconds that workerd takes to evaluate a bundle in a new isolate. */
export type StartUp = { median: number; fastest: number };

/** Measures how long workerd evaluates a bundle, with the compatibility settings of the Worker's `config`. */
export async function measureStartUp(bundle: string, config: string): Promise<StartUp> {
  process.env.WRANGLER_LOG = "error";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  const directory = mkdtempSync(join(tmpdir(), "start-up-"));
  const main = join(directory, "probe.mjs");
  writeFileSync(main, probe);
  copyFileSync(bundle, join(directory, "bundle.mjs"));
  const { compatibility_date, compatibility_flags } = readConfig({ config });
  const rules = [{ type: "ESModule" as const, globs: ["*.mjs"] }];
  const shared = {
    main,
    no_bundle: true,
    find_additional_modules: true,
    rules,
    compatibility_date,
    compatibility_flags,
  };
  const names = Array.from({ length: isolateCount }, (_, index) => `isolate-${index}`);
  const server = createTestHarness({ workers: names.map((name) => ({ config: { ...shared, name } })) });
  try {
    await server.listen();
    const loads: number[] = [];
    const idles: number[] = [];
    for (const name of names) {
      const time = async (path: string) => {
        const startedAt = performance.now();
        const response = await server.getWorker(name).fetch(path);
        if (!response.ok) throw new Error(`${bundle} was not loaded: ${await response.text()}`);
        return performance.now() - startedAt;
      };
      // The first request starts the isolate. The time of the fastest request that loads nothing is subtracted below.
      await time("/");
      idles.push(await time("/"), await time("/"));
      loads.push(await time("/load"));
    }
    loads.sort((a, b) => a - b);
    const idle = Math.min(...idles);
    return { median: (loads[isolateCount >> 1] ?? 0) - idle, fastest: (loads[0] ?? 0) - idle };
  } finally {
    await server.close();
    rmSync(directory, { recursive: true });
  }
}
