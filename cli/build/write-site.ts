import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const temporary = /^\.web-\d+(?:-old)?$/;

/** Writes a site to a temporary folder and swaps it in at the end. On failure the existing site stays unchanged. */
export async function writeSite(root: string, files: ReadonlyMap<string, Buffer>): Promise<string> {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  // What a build left that was killed.
  for (const name of readdirSync(dist))
    if (temporary.test(name)) rmSync(join(dist, name), { recursive: true, force: true });
  const fresh = join(dist, `.web-${process.pid}`);
  const old = `${fresh}-old`;
  const web = join(dist, "web");
  try {
    for (const folder of new Set([...files.keys()].map((path) => dirname(join(fresh, path)))))
      await mkdir(folder, { recursive: true });
    await Promise.all([...files].map(([path, bytes]) => writeFile(join(fresh, path), bytes)));
    if (existsSync(web)) renameSync(web, old);
    try {
      renameSync(fresh, web);
    } catch (error) {
      if (existsSync(old)) renameSync(old, web);
      throw error;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
  return web;
}
