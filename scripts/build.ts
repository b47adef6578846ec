// `npm run build`: writes the production bundle of each Worker to dist/<worker>, as `wrangler deploy` would upload it.
// Prints the size and start-up time of each bundle.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { wrangler } from "./support/databases/databases.ts";
import { runScript } from "./support/processes/children.ts";
import { isolateCount, measureStartUp } from "./support/start/start-up.ts";
import { configs } from "./support/start/workspace.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
const milliseconds = (time: number) => `${time.toFixed(1)} ms`;

/** Returns the content of the files that are uploaded, without source maps and metadata. */
function readBundle(directory: string): Buffer {
  const names = readdirSync(directory).filter((name) => /\.(js|mjs|wasm)$/.test(name));
  return Buffer.concat(names.map((name) => readFileSync(join(directory, name))));
}

const rows = [["Worker", "bundle", "gzip", "start-up", "fastest"]];
for (const [worker, config] of Object.entries(configs)) {
  const directory = join(root, "dist", worker);
  const args = ["deploy", "--dry-run", "--minify", "--outdir", directory, "-c", config];
  await runScript(wrangler, args);
  const bundle = readBundle(directory);
  const { median, fastest } = await measureStartUp(join(directory, "worker.js"), config);
  const sizes = [bundle.length, gzipSync(bundle).length].map(kilobytes);
  rows.push([worker, ...sizes, milliseconds(median), milliseconds(fastest)]);
}
for (const [name = "", ...cells] of rows) console.log(name.padEnd(10), ...cells.map((cell) => cell.padStart(12)));
console.log(
  "\nBundles are minified, as npm run deploy uploads them. Start-up: evaluation of the modules by workerd on this machine, the" +
    `\nmedian of ${isolateCount} fresh isolates. Other load on this machine increases the times; it affects the fastest least.`,
);
