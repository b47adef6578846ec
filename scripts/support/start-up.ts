import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestHarness, unstable_readConfig as readConfig } from "wrangler";

const isolates = 9;
const probe = `export default { async fetch(request) {
  if (new URL(request.url).pathname === "/load") await import("./bundle.mjs");
  return new Response();
} };`;

/** Milliseconds that a bundle takes in workerd to be compiled and evaluated, over as many isolates that never saw it. */
export type StartUp = { median: number; fastest: number; isolates: number };

/** Measures how long `bundle` takes to load, under the compatibility settings of the Worker's `config`. */
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
  const names = Array.from({ length: isolates }, (_, index) => `isolate-${index}`);
  const server = createTestHarness({ workers: names.map((name) => ({ config: { ...shared, name } })) });
  try {
    await server.listen();
    const times: number[] = [];
    for (const name of names) {
      const time = async (path: string) => {
        const begin = performance.now();
        const response = await server.getWorker(name).fetch(path);
        if (!response.ok) throw new Error(`${bundle} was not loaded: ${await response.text()}`);
        return performance.now() - begin;
      };
      // What a call costs that loads nothing is taken off; the first calls also start the isolate.
      await time("/");
      const idle = Math.min(await time("/"), await time("/"));
      times.push(Math.max(0, (await time("/load")) - idle));
    }
    times.sort((a, b) => a - b);
    return { median: times[isolates >> 1] ?? 0, fastest: times[0] ?? 0, isolates };
  } finally {
    await server.close();
    rmSync(directory, { recursive: true });
  }
}
