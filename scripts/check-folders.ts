// `npm run check:folders`: fails on a folder that lint/folders.ts does not list, and on a value import against its order.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOrders } from "../lint/folders.ts";
import { checkFolderOrder } from "./support/folder-order.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

for (const [room, order] of Object.entries(folderOrders)) {
  const paths = readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, room, path), "utf8")]));
  const { unlisted, upward } = checkFolderOrder(files, order);
  for (const folder of unlisted) console.error(`${room}/${folder}: add it to lint/folders.ts, above what it imports.`);
  for (const { file, from, to, source } of upward) {
    console.error(`${room}/${file}: ${from} may not import "${source}", because ${to} is above it in lint/folders.ts.`);
  }
  if (unlisted.length + upward.length > 0) process.exitCode = 1;
}
