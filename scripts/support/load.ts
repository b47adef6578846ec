import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * Imports a TypeScript module of the Workers into Node. Bundles it first, because the Workers import without file
 * extensions, which Node cannot resolve. `path` is absolute; the caller provides the type of the module.
 */
export function loadModule<Module>(path: string): Promise<Module> {
  return loadSource(`export * from ${JSON.stringify(path)};`, tmpdir());
}

/** A stub that replaces the modules of workerd. */
const stub = fileURLToPath(new URL("./workerd-stub.ts", import.meta.url));
const alias = { "cloudflare:workers": stub, "cloudflare:sockets": stub };

/** Like `loadModule`, but takes the source text of a module. Its imports are relative to `folder`. */
export async function loadSource<Module>(contents: string, folder: string): Promise<Module> {
  const directory = await mkdtemp(join(tmpdir(), "load-module-"));
  try {
    const outfile = join(directory, "module.mjs");
    const stdin = { contents, resolveDir: folder };
    const mainFields = ["module", "main"];
    await build({
      stdin,
      outfile,
      bundle: true,
      external: ["node:*"],
      format: "esm",
      platform: "neutral",
      mainFields,
      alias,
      logLevel: "error",
    });
    return (await import(pathToFileURL(outfile).href)) as Module;
  } finally {
    await rm(directory, { recursive: true });
  }
}
