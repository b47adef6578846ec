import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { loadSource } from "../../scripts/support/load.ts";
import { services } from "../../scripts/support/services.ts";

const folder = fileURLToPath(new URL("../../workers/", import.meta.url));

/** zod calls this global's `postProcessor` for every schema that it creates. */
type ZodGlobal = { __zod_globalConfig?: { postProcessor?: (schema: unknown) => void } };

/** Loads a Worker as a new isolate does, creates one schema, and returns how many schemas were created. */
async function countSchemas(service: string): Promise<number> {
  const shared = globalThis as ZodGlobal;
  shared.__zod_globalConfig ??= {};
  const config = shared.__zod_globalConfig;
  let count = 0;
  config.postProcessor = () => {
    count += 1;
  };
  try {
    await loadSource(`import "./${service}/worker"; import * as z from "zod"; export const one = z.string();`, folder);
    return count;
  } finally {
    delete config.postProcessor;
  }
}

/** Returns the packages that the configuration of a service replaces, with the files that replace them. */
function readAliases(service: string): Record<string, string> {
  const config = readFileSync(`${folder}${service}/wrangler.toml`, "utf8");
  const aliases = config.matchAll(/^"([^".][^"]*)" = "(.+)"$/gm);
  return Object.fromEntries([...aliases].map(([, name, path = ""]) => [name, resolve(folder, service, path)]));
}

describe.each(services)("bundle of %s", (service) => {
  it("creates no schema at startup", async () => {
    expect(await countSchemas(service)).toBe(1);
  }, 30_000);

  it("contains no OpenAPI generator, no core-js and no zod locale except English", async () => {
    const { metafile } = await build({
      alias: readAliases(service),
      entryPoints: [`${folder}${service}/worker.ts`],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      mainFields: ["module", "main"],
      platform: "neutral",
      external: ["cloudflare:*"],
      outdir: "/none",
    });
    const [output] = Object.values(metafile.outputs);
    const bundled = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const paths = bundled.map(([path]) => path);
    expect(paths.filter((path) => /core-js/.test(path))).toEqual([]);
    expect(paths.filter((path) => /zod-to-openapi|openapi3-ts/.test(path))).toEqual([]);
    expect(paths.filter((path) => /zod\/v4\/locales\/(?!en\.js)/.test(path))).toEqual([]);
  }, 30_000);
});
