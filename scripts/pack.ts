// `npm run pack`: builds the command as a separate package in dist/cli and packs it into a tarball in dist. The package
// requires Node 20 and contains the built shell.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { buildShell } from "./build-shell.ts";
import { builtShell, repository } from "./support/shell/current.ts";

const folder = join(repository, "dist/cli");
const packageJson = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  name: string;
  version: string;
  devDependencies: Record<string, string>;
};

await buildShell();
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "bin"), { recursive: true });
await build({
  entryPoints: { platform: join(repository, "cli/main.ts") },
  outdir: join(folder, "bin"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // Splitting lets a command load only the code that it runs.
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: "esm",
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  external: ["esbuild"],
  alias: { "node:util": join(repository, "scripts/support/older-util.ts") },
  define: { PLATFORM_VERSION: JSON.stringify(packageJson.version) },
  banner: { js: "#!/usr/bin/env node" },
  legalComments: "none",
  logLevel: "warning",
});
copyFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm"), join(folder, "bin/resvg.wasm"));
cpSync(builtShell, join(folder, "shell"), { recursive: true });
for (const name of ["config.d.ts", "config.schema.json"])
  copyFileSync(join(repository, "cli/published", name), join(folder, name));
copyFileSync(join(repository, "docs/shell-command.md"), join(folder, "README.md"));
writeFileSync(
  join(folder, "package.json"),
  `${JSON.stringify(
    {
      name: packageJson.name,
      version: packageJson.version,
      description: "A signed-in frame for applications, from one configuration file",
      type: "module",
      engines: { node: ">=20" },
      bin: { platform: "bin/platform.mjs" },
      exports: {
        ".": { types: "./config.d.ts" },
        "./config.schema.json": "./config.schema.json",
        "./sdk/*": "./shell/sdk/*",
        "./package.json": "./package.json",
      },
      files: ["bin", "shell", "config.d.ts", "config.schema.json"],
      dependencies: { esbuild: packageJson.devDependencies.esbuild },
    },
    null,
    2,
  )}\n`,
);
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", folder, "--json", "--ignore-scripts", "--pack-destination", join(repository, "dist")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
) as { filename: string; size: number; unpackedSize: number; entryCount: number }[];
if (packed !== undefined) {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `dist/${packed.filename}: ${packed.entryCount} files, ${megabytes(packed.size)}, ${megabytes(packed.unpackedSize)} unpacked`,
  );
}
