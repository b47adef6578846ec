import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtShell, repository } from "../shell/current.ts";

/** The applications of `examples/apps`, by the names of their folders and apps. */
export const exampleApps = ["today", "orders"] as const;
export type ExampleApp = (typeof exampleApps)[number];

export const exampleSources = join(repository, "examples/apps");
/** The built library for embedded applications. */
export const builtSdk = join(builtShell, "sdk");

/**
 * Builds the example applications with Vite into `folder`, one folder each. They may connect to the platform at `origin`. The shell
 * must be built, because the applications contain its library.
 */
export async function buildExamples(folder: string, origin: string): Promise<void> {
  const { build } = await import("vite");
  for (const name of exampleApps) {
    const outDir = join(folder, name);
    await build({
      configFile: false,
      root: join(exampleSources, name),
      // Vite warns that it leaves the script of the tiny library as it is.
      logLevel: "error",
      // The name that projects import the library by.
      resolve: { alias: { "platform/sdk": builtSdk } },
      build: { outDir, emptyOutDir: true, modulePreload: { polyfill: false } },
    });
    if (name === "today") {
      mkdirSync(join(outDir, "platform"));
      copyFileSync(join(builtSdk, "tiny.js"), join(outDir, "platform/tiny.js"));
    }
    writeFileSync(join(outDir, "_headers"), `/*\n  Content-Security-Policy: ${policyOf(origin)}\n`);
  }
}

/** Returns the content policy of the applications. The hosting service adds who may frame them. */
function policyOf(origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    `connect-src 'self' ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
