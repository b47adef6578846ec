// `npm run check:folders`: checks imports between folders. Fails if a folder is missing from lint/folders.ts, or if a
// value import violates the order there. Also fails if a service imports another service, or if the kit imports a
// service.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOrders } from "../lint/folders.ts";
import { checkFolderOrder, findServiceCrossings } from "./support/folder-order.ts";
import { services } from "./support/services.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
let failures = 0;

function fail(message: string): void {
  console.error(message);
  failures += 1;
}

/** Returns the text of the TypeScript sources in a folder, by path without the prefix `base`. */
function readSources(folder: string, base: string): Map<string, string> {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const sources = paths
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => join(folder, path));
  return new Map(sources.map((path) => [path.slice(base.length), readFileSync(join(root, path), "utf8")]));
}

for (const [folder, order] of Object.entries(folderOrders)) {
  const { unlisted, upward } = checkFolderOrder(readSources(folder, `${folder}/`), order);
  for (const subfolder of unlisted) fail(`${folder}/${subfolder}: add it to lint/folders.ts, above what it imports.`);
  for (const { file, from, to, source } of upward) {
    fail(`${folder}/${file}: ${from} may not import "${source}", because ${to} is above it in lint/folders.ts.`);
  }
}
for (const { file, target } of findServiceCrossings(readSources("workers", ""), services)) {
  fail(
    `${file} may not import ${target}: services do not import each other, and the kit imports no service; see schemas/rpc.ts.`,
  );
}
if (failures > 0) process.exitCode = 1;
