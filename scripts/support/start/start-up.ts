import { readFileSync } from "node:fs";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig as readConfig } from "wrangler";

/** Number of evaluations of each bundle. Each evaluation runs in a new isolate. */
export const isolateCount = 9;
const probe = `export default { async fetch(request) {
  if (new URL(request.url).pathname === "/load") await import("./bundle.mjs");
  return new Response();
} };`;

/** Milliseconds that workerd takes to evaluate a bundle in a new isolate. */
export type StartUp = { median: number; fastest: number };

/** Measures how long workerd evaluates a bundle, with the compatibility settings of the Worker's `config`. */
export async function measureStartUp(bundle: string, config: string): Promise<StartUp> {
  process.env.WRANGLER_LOG = "error";
  const { compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags } = readConfig({ config });
  const modules = [
    { type: "ESModule" as const, path: "probe.mjs", contents: probe },
    { type: "ESModule" as const, path: "bundle.mjs", contents: readFileSync(bundle, "utf8") },
  ];
  const names = Array.from({ length: isolateCount }, (_, index) => `isolate-${index}`);
  const workers = names.map((name) => ({ name, modules, compatibilityDate, compatibilityFlags }));
  const runtime = new Miniflare(convertV4MiniflareOptions({ cf: false, telemetry: { enabled: false }, workers }));
  try {
    await runtime.ready;
    const loads: number[] = [];
    const idles: number[] = [];
    for (const name of names) {
      const worker = await runtime.getWorker(name);
      const time = async (path: string) => {
        const startedAt = performance.now();
        const response = await worker.fetch(`http://localhost${path}`);
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
    await runtime.dispose();
  }
}
