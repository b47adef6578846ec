// `npm run build`: the production bundle of each Worker into dist/<worker>, as `wrangler deploy` would upload it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { runScript } from "./support/children.ts";
import { wrangler } from "./support/databases.ts";
import { configs } from "./support/workspace.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

/** What is uploaded; maps and notes of the bundler stay here. */
function readBundle(directory: string): Buffer {
  const names = readdirSync(directory).filter((name) => /\.(js|mjs|wasm)$/.test(name));
  return Buffer.concat(names.map((name) => readFileSync(join(directory, name))));
}

const rows: [string, string, string][] = [["Worker", "bundle", "gzip"]];
for (const [worker, config] of Object.entries(configs)) {
  const directory = join(root, "dist", worker);
  const args = ["deploy", "--dry-run", "--minify", "--outdir", directory, "-c", config];
  await runScript(wrangler, args);
  const bundle = readBundle(directory);
  rows.push([worker, kilobytes(bundle.length), kilobytes(gzipSync(bundle).length)]);
}
for (const [name, size, gzip] of rows) console.log(name.padEnd(10), size.padStart(12), gzip.padStart(12));
