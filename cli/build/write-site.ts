import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const temporary = /^\.web-\d+(?:-old)?$/;

/**
 * Writes a site to a temporary folder, then replaces `dist/web` with it. Returns the path of `dist/web`. On failure the
 * existing site remains unchanged.
 */
export async function writeSite(root: string, files: ReadonlyMap<string, Buffer>): Promise<string> {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  // Delete the folders of builds that were killed.
  for (const name of readdirSync(dist))
    if (temporary.test(name)) rmSync(join(dist, name), { recursive: true, force: true });
  const newFolder = join(dist, `.web-${process.pid}`);
  const oldFolder = `${newFolder}-old`;
  const web = join(dist, "web");
  try {
    for (const folder of new Set([...files.keys()].map((path) => dirname(join(newFolder, path)))))
      await mkdir(folder, { recursive: true });
    await Promise.all([...files].map(([path, bytes]) => writeFile(join(newFolder, path), bytes)));
    if (existsSync(web)) renameSync(web, oldFolder);
    try {
      renameSync(newFolder, web);
    } catch (error) {
      if (existsSync(oldFolder)) renameSync(oldFolder, web);
      throw error;
    }
  } finally {
    rmSync(newFolder, { recursive: true, force: true });
    rmSync(oldFolder, { recursive: true, force: true });
  }
  return web;
}
