import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { PageData } from "../../schemas/shell/page.ts";
import type { Target } from "../config/load/env.ts";
import type { Config } from "../config/load.ts";
import { toHex } from "../config/rules/color.ts";
import { trimSlashes } from "../config/rules/context.ts";
import { listFiles } from "../config/static-files.ts";
import { firstLoads, renderDocument } from "../page/document.ts";
import { drawIcons, isIconSource } from "../page/icons.ts";
import { renderManifest } from "../page/manifest.ts";
import { toPageData } from "../page/page-data.ts";
import type { ShellFiles, ShellRecord } from "../page/shell-files.ts";
import { renderHeaders } from "./headers.ts";
import { listPagePaths, renderOffline } from "./pages.ts";
import { injectFileList, type SiteFile } from "./worker.ts";

export type Site = { files: Map<string, Buffer>; firstLoadBytes: number };
type Step = <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>;

/** Returns all files of `dist/web` by path. The output is deterministic. */
export async function composeSite(
  { root, result, target, shell }: { root: string; result: Config; target: Target; shell: ShellFiles },
  step: Step,
): Promise<Site> {
  const files = new Map<string, Buffer>();
  const add = (path: string, content: string | Uint8Array) => files.set(path, Buffer.from(content));
  const page = toPageData(result.page, shell, "production", target);
  const paths = listPagePaths(result.page);
  const pageCopies = ["404.html", ...paths.map((path) => `${path}/index.html`)];
  const staticFolder = join(root, "static");
  const staticFiles = listFiles(staticFolder);

  const policy = await step("pages", () => {
    for (const path of staticFiles) add(path, readFileSync(join(staticFolder, path)));
    const document = renderDocument(page, shell);
    for (const path of ["index.html", ...pageCopies]) add(path, document.html);
    for (const { path, text } of result.legalFiles) add(path, text);
    return document.policy;
  });
  await step("assets", async () => {
    for (const path of listFiles(join(shell.folder, "assets")))
      add(`assets/${path}`, readFileSync(join(shell.folder, "assets", path)));
    if (target !== "web") return;
    const icons = await makeIcons(page, shell, files);
    for (const { path, bytes } of icons.drawn) add(path, bytes);
    add("manifest.webmanifest", renderManifest(page, shell, icons.all));
  });
  await step("worker", () => {
    add("offline.html", renderOffline(readFileSync(join(shell.folder, "offline.css"), "utf8"), page));
    const staticPages = staticFiles.filter((path) => /\.html?$/i.test(path));
    add("_headers", renderHeaders(policy, paths, staticPages));
    if (target === "web" && result.page.serviceWorker) add("sw.js", makeWorker(shell, files, new Set(pageCopies)));
  });
  return { files, firstLoadBytes: firstLoadBytes(page, shell) };
}

function makeWorker(shell: ShellFiles, files: Map<string, Buffer>, pageCopies: ReadonlySet<string>): string {
  const list: SiteFile[] = [...files].map(([path, bytes]) => ({ path, bytes }));
  return injectFileList(readFileSync(join(shell.folder, "sw.js"), "utf8"), list, pageCopies);
}

/**
 * Returns icons drawn from `appIcon`, else from `favicon`. If neither is an image in `static/`, returns the shell's icons.
 */
async function makeIcons(page: PageData, shell: ShellRecord, files: Map<string, Buffer>) {
  for (const source of [page.config.appIcon, page.config.favicon]) {
    const name = trimSlashes(source ?? "");
    const picture = files.get(name);
    if (picture === undefined || !isIconSource(name)) continue;
    const background = toHex(shell.palettes.light.background ?? "#ffffff");
    const drawn = await drawIcons(picture, name, background);
    return { drawn, all: drawn.map(({ path, size, isMaskable }) => ({ path, size, isMaskable })) };
  }
  return { drawn: [], all: shell.icons };
}

/** Returns the gzipped size, in bytes, of the scripts that a page loads before the first frame of an application appears. */
export function firstLoadBytes(page: PageData, shell: ShellFiles): number {
  const scripts = [shell.entry, ...firstLoads(page, shell).scripts];
  return scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(shell.folder, path)), { level: 9 }).length, 0);
}
