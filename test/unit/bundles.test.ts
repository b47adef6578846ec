import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { loadSource } from "../../scripts/support/load.ts";
import { services } from "../../scripts/support/services.ts";

const folder = fileURLToPath(new URL("../../workers/", import.meta.url));

/** zod tells a function of this global of every schema that is built. */
type ZodGlobal = { __zod_globalConfig?: { postProcessor?: (schema: unknown) => void } };

/** Loads a Worker as a fresh isolate does, then builds one schema; answers how many were built. */
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

describe.each(services)("what %s carries", (service) => {
  it("builds no schema at its start", async () => {
    expect(await countSchemas(service)).toBe(1);
  }, 30_000);

  it("holds no generator of documents and no language of zod but English", async () => {
    const { metafile } = await build({
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
    const carried = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const paths = carried.map(([path]) => path);
    expect(paths.filter((path) => /zod-to-openapi|openapi3-ts/.test(path))).toEqual([]);
    expect(paths.filter((path) => /zod\/v4\/locales\/(?!en\.js)/.test(path))).toEqual([]);
  }, 30_000);
});
