import { readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, Loader, Message, Plugin } from "esbuild";
import type { Finding } from "../../../schemas/shell/page.ts";
import type { Position } from "../findings.ts";
import { fileFinding } from "../findings.ts";

/**
 * A configuration bundled with its relative imports into one module. `origin` maps a position in `code` to the source.
 */
export type Bundle = { code: string; origin: (line: number, column: number) => Position | undefined };
export type BundleResult = { files: string[] } & ({ bundle: Bundle } | { findings: Finding[] });

const loaders: Record<string, Loader> = {
  ".ts": "ts",
  ".mts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".json": "json",
};

/**
 * Bundles a configuration in memory. Imports of packages are kept; the process that evaluates the bundle resolves them
 * from the folder of `file`.
 */
export async function bundleConfig(file: string): Promise<BundleResult> {
  const { build } = await import("esbuild");
  const files = new Set([file]);
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      outfile: join(dirname(file), "platform.config.bundle.mjs"),
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      target: `node${process.versions.node}`,
      packages: "external",
      sourcemap: "external",
      sourcesContent: false,
      charset: "utf8",
      logLevel: "silent",
      plugins: [trackFiles(files)],
    });
    const text = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? "";
    const map = new SourceMap(JSON.parse(text(".mjs.map")));
    return { files: [...files], bundle: { code: text(".mjs"), origin: originOf(map, dirname(file)) } };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    for (const folder of foldersOfMissing(error.errors, dirname(file))) files.add(folder);
    return { files: [...files], findings: error.errors.map((message) => toFinding(message, file)) };
  }
}

/**
 * Records each file that esbuild reads, so that it is watched even if another file has a syntax error. Replaces the
 * paths of import.meta, which would otherwise point to the bundle.
 */
function trackFiles(files: Set<string>): Plugin {
  return {
    name: "own-files",
    setup({ onLoad }) {
      onLoad({ filter: /\.(?:[mc]?[jt]sx?|json)$/, namespace: "file" }, async ({ path }) => {
        files.add(path);
        const loader = loaders[/\.\w+$/.exec(path)?.[0] ?? ""];
        if (loader === undefined || loader === "json") return undefined;
        const metaValues: Record<string, string> = {
          url: pathToFileURL(path).href,
          filename: path,
          dirname: dirname(path),
        };
        const source = await readFile(path, "utf8");
        const contents = source.replace(/\bimport\.meta\.(url|filename|dirname)\b/g, (match, name: string) => {
          return name in metaValues ? JSON.stringify(metaValues[name]) : match;
        });
        return { contents, loader };
      });
    },
  };
}

function originOf(map: SourceMap, folder: string): Bundle["origin"] {
  return (line, column) => {
    const entry = map.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry) || typeof entry.originalSource !== "string") return undefined;
    return {
      file: resolve(folder, entry.originalSource),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    };
  };
}

function toFinding({ text, location }: Message, file: string): Finding {
  if (location === null) return fileFinding("config-syntax", file, `${text}.`);
  const position = { line: location.line, column: location.column + 1 };
  return fileFinding("config-syntax", resolve(dirname(file), location.file), `${text.replace(/[.!]$/, "")}.`, position);
}

/** Returns the paths of unresolved relative imports, so that they are watched until the files exist. */
function foldersOfMissing(messages: Message[], folder: string): string[] {
  return messages.flatMap(({ text, location }) => {
    const specifier = /^Could not resolve "(\.[^"]*)"/.exec(text)?.[1];
    return specifier && location ? [resolve(folder, dirname(location.file), specifier)] : [];
  });
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
