import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const schema = "schemas/shell/messages.ts";
const types = (...names: string[]) => [schema, ...names.map((name) => `shell/sdk/types/${name}.ts`)];

/** The builds of the SDK: scripts that applications load, and their types. */
const builds = {
  tiny: {
    entry: "tiny-script",
    format: "iife",
    types: types("common", "tiny"),
    declaration: "declare global {\n  /** the shell around this page */\n  var platform: TinyPlatform;\n}\n",
  },
  "tiny.module": {
    entry: "tiny-module",
    format: "esm",
    types: types("common", "tiny"),
    declaration: "/** The shell around this page. */\nexport declare const platform: TinyPlatform;\n",
  },
  platform: {
    entry: "full-module",
    format: "esm",
    types: types("common", "tiny", "full"),
    declaration: "/** The shell around this page. */\nexport declare const platform: Platform;\n",
  },
} as const;

/** Builds the SDK for embedded applications into `sdk/`: three scripts and their types. */
export async function buildSdk(repository: string, folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  const target = join(folder, "sdk");
  mkdirSync(target, { recursive: true });
  await Promise.all(
    Object.entries(builds).map(async ([name, { entry, format, types: sources, declaration }]) => {
      await build({
        entryPoints: [join(repository, `shell/sdk/src/entries/${entry}.ts`)],
        outfile: join(target, `${name}.js`),
        bundle: true,
        minify: true,
        format,
        platform: "browser",
        target: "es2022",
        define: { PLATFORM_SDK_VERSION: JSON.stringify(version) },
        logLevel: "warning",
      });
      const texts = sources.map((path) => withoutImports(readFileSync(join(repository, path), "utf8")));
      writeFileSync(join(target, `${name}.d.ts`), [...texts, declaration].join("\n"));
    }),
  );
}

/** Removes imports, constants and line comments, because the types of several files are joined into one. */
function withoutImports(text: string): string {
  return text.replace(/^(?:import type|export const) [^;]+;\n+/gm, "").replace(/^\/\/ .*\n\n?/gm, "");
}
