import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { drawIcons } from "../../../cli/page/icons.ts";
import { PAGE_TOKENS } from "../../../schemas/look/page-tokens.ts";
import { browsers } from "../../../shell/client/browsers.ts";

const client = "shell/client";
const hashOf = (content: string | Buffer) => createHash("sha256").update(content).digest("hex").slice(0, 8);

/**
 * Returns the inline script of all pages and the styles of the first paint by layout. Writes the script that a page loads
 * when it is served from a subfolder.
 */
export async function buildPaint(
  repository: string,
  folder: string,
): Promise<{ boot: string; critical: Record<string, string> }> {
  const bundle = async (path: string, options: Pick<BuildOptions, "format" | "define"> = {}) => {
    const { outputFiles } = await build({
      entryPoints: [join(repository, client, path)],
      bundle: true,
      minify: true,
      write: false,
      target: browsers,
      legalComments: "none",
      ...options,
    });
    return outputFiles[0]?.text.trim() ?? "";
  };
  const subfolder = await bundle("src/boot/subfolder.ts", { format: "esm" });
  const subfolderPath = `assets/subfolder-${hashOf(subfolder)}.js`;
  writeFileSync(join(folder, subfolderPath), subfolder);
  // `critical.css` is the style of all layouts, `critical-<layout>.css` the style of one layout.
  const styles = readdirSync(join(repository, client, "src/skeleton")).flatMap((name) => {
    const layout = /^critical(?:-([a-z-]+))?\.css$/.exec(name);
    return layout === null ? [] : [[layout[1] ?? "all", `src/skeleton/${name}`] as const];
  });
  const critical = styles.map(async ([layout, path]) => [layout, await bundle(path)] as const);
  const define = { SUBFOLDER_SCRIPT: JSON.stringify(`/${subfolderPath}`) };
  return {
    boot: await bundle("src/boot/boot.ts", { format: "iife", define }),
    critical: Object.fromEntries(await Promise.all(critical)),
  };
}

/**
 * Builds the service worker and the development client, and writes the style of the offline page. The service worker still
 * contains the placeholder for its list of files.
 */
export async function buildSmallScripts(repository: string, folder: string): Promise<void> {
  const shared = { bundle: true, minify: true, legalComments: "none", target: "es2022" } as const;
  await Promise.all([
    build({
      ...shared,
      entryPoints: [join(repository, client, "sw/worker.ts")],
      outfile: join(folder, "sw.js"),
      format: "iife",
      define: { "process.env.NODE_ENV": '"production"' },
    }),
    build({
      ...shared,
      entryPoints: [join(repository, "cli/browser/dev-client.ts")],
      outfile: join(folder, "dev-client.js"),
      format: "esm",
    }),
  ]);
  const offline = readFileSync(join(repository, client, "sw/offline.css"), "utf8");
  writeFileSync(join(folder, "offline.css"), `${PAGE_TOKENS}\n${offline.trim()}`);
}

/** Writes the default icons, for configurations that name no image. */
export async function buildIcons(repository: string, folder: string) {
  const mark = readFileSync(join(repository, client, "sw/mark.svg"));
  const favicon = `assets/favicon-${hashOf(mark)}.svg`;
  writeFileSync(join(folder, favicon), mark);
  const drawn = await drawIcons(mark, "mark.svg", "#3b5bdb");
  const icons = drawn.map(({ bytes, ...icon }) => {
    writeFileSync(join(folder, icon.path), bytes);
    return icon;
  });
  return { favicon, icons };
}

/** Returns the texts of the interface by language, including the texts that the command writes into pages. */
export function readTexts(repository: string): Record<string, Record<string, string>> {
  const folder = join(repository, client, "src/i18n");
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, never>;
  const worker: Record<string, Record<string, string>> = read(join(repository, client, "sw/texts.json"));
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -5), { ...read(join(folder, name)), ...worker[name.slice(0, -5)] }]),
  );
}

/** Returns the colours of the default theme, read from its style sheet. */
export function readPalettes(repository: string): Record<"light" | "dark", Record<string, string>> {
  const css = readFileSync(join(repository, "schemas/look/tokens.css"), "utf8");
  const [light = "", dark = ""] = css.split(/:root\[data-scheme="dark"\]/);
  return { light: tokensOf(light), dark: tokensOf(dark.slice(0, dark.indexOf("}"))) };
}

function tokensOf(css: string): Record<string, string> {
  const tokens = [...css.matchAll(/--([a-z-]+):\s*(#[0-9a-f]+|(?:rgb|hsl|oklch)\([^)]+\));/gi)];
  return Object.fromEntries(
    tokens.map(([, name = "", value = ""]) => [
      name.replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
