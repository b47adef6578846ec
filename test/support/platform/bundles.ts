import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build, type Plugin } from "esbuild";
import { libraryStatements } from "../../../scripts/support/databases/library.ts";

/**
 * Bundles Workers with the options of wrangler, given their configurations, into one folder per Worker below `folder`, and returns
 * the statements that load the mail library. Every test worker of a run calls this with the same folder; the first one does the
 * work, and the others wait for it.
 */
export async function bundleOnce(folder: string, configs: Readonly<Record<string, string>>): Promise<string[]> {
  const done = join(folder, "library.json");
  try {
    mkdirSync(folder);
  } catch {
    while (!existsSync(done)) {
      if (!existsSync(folder)) throw new Error("another test worker could not bundle the Workers");
      await sleep(50);
    }
    return JSON.parse(readFileSync(done, "utf8")) as string[];
  }
  try {
    await Promise.all(Object.entries(configs).map(([name, config]) => bundle(config, join(folder, name))));
    const library = await libraryStatements();
    writeFileSync(`${done}.part`, JSON.stringify(library));
    // The name appears when the file is complete.
    renameSync(`${done}.part`, done);
    return library;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function bundle(config: string, outdir: string): Promise<void> {
  const text = readFileSync(config, "utf8");
  const main = /^main = "(.+)"$/m.exec(text)?.[1] ?? "worker.ts";
  const aliases = new Map([...text.matchAll(/^"([^"]+)" = "(.+)"$/gm)].map(([, from = "", to = ""]) => [from, to]));
  const useAliases: Plugin = {
    name: "aliases",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^\.\.\/core\/|^@babel\// }, ({ path }) => {
        const target = aliases.get(path);
        return target === undefined ? null : { path: target };
      });
    },
  };
  await build({
    entryPoints: [resolve(dirname(config), main)],
    outdir,
    bundle: true,
    format: "esm",
    target: "es2024",
    supported: { "import-source": true, using: true },
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"test"' },
    external: ["cloudflare:*"],
    sourcemap: "linked",
    logLevel: "error",
    plugins: [useAliases],
  });
}
