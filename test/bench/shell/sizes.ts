import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { sessionAt } from "../../support/shell/fake-identity.ts";
import type { Row } from "./table.ts";

type View = { name: string; path: string; target: number; key?: string };

const otherView = 12;
const views: View[] = [
  { name: "sign-in", path: "/login", target: 15 },
  { name: "callback", path: "/login/callback?platform_oauth_error_code=oauth_failed", target: 15 },
  { name: "settings, the first section", path: "/settings", target: 25 },
  { name: "welcome", path: "/home", target: otherView },
  { name: "not found", path: "/nothing", target: otherView },
  { name: "legal index", path: "/legal", target: otherView },
  { name: "legal document", path: "/legal/privacy-policy", target: otherView },
  { name: "diagnostics", path: "/__diagnostics", target: otherView },
  { name: "consent preferences", path: "/__cookie-preferences", target: otherView },
  { name: "palette over an application", path: "/orders", target: otherView, key: "Control+k" },
];
const sections = ["appearance", "data-privacy", "account", "storage", "updates", "advanced", "legal-documents"];

type Visit = { locale?: string; signedInAt?: string; after?: (page: Page) => Promise<unknown> };

/** Measures the compressed sizes of the built site's parts as a browser loads them. */
export async function measureSizes(
  browser: Browser,
  { site, folder, identity }: { site: string; folder: string; identity: string },
): Promise<Row[]> {
  const sizeOf = (path: string) => gzipSync(readFileSync(join(folder, path)), { level: 9 }).length / 1000;
  const sum = (paths: Iterable<string>) => [...paths].reduce((total, path) => total + sizeOf(path), 0);
  const filesOf = async (path: string, { locale = "en-GB", signedInAt, after }: Visit = {}) => {
    const context = await browser.newContext({ locale, serviceWorkers: "block" });
    await context.addInitScript(watchFirstFrame);
    if (signedInAt !== undefined)
      await context.addInitScript((stored) => {
        if (window.top === window) localStorage.setItem("platform:session", stored);
      }, sessionAt(signedInAt));
    const page = await context.newPage();
    await page.goto(site + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    // Shorter than the delay after which the shell loads its idle parts.
    await page.waitForTimeout(400);
    await after?.(page);
    const loaded = await page.evaluate(loadedFiles);
    await context.close();
    return loaded.filter((file) => !/\/later-/.test(file)).map((file) => file.slice(1));
  };
  const isScript = (path: string) => path.endsWith(".js");
  const isStyle = (path: string) => path.endsWith(".css");

  // The files that index.html lists, which every page loads immediately.
  const listedFiles = new Set(readFileSync(join(folder, "index.html"), "utf8").match(/\bassets\/[^"]+\.(?:js|css)/g));
  const first = await filesOf("/orders");
  const french = (await filesOf("/orders", { locale: "fr-FR" })).filter(isScript);
  const signedIn = (await filesOf("/orders", { signedInAt: identity })).filter(isScript);
  const rows: Row[] = [
    { name: "scripts before the first frame is visible", value: sum(first.filter(isScript)), target: 70, unit: "KB" },
    { name: "the same in another language", value: sum(french), target: 70, unit: "KB" },
    { name: "the same for a signed-in user", value: sum(signedIn), target: 70, unit: "KB" },
    { name: "styles before the first frame is visible", value: sum(first.filter(isStyle)), target: 12, unit: "KB" },
    { name: "index.html", value: sizeOf("index.html"), target: 14, unit: "KB" },
  ];
  const lazy = (name: string, files: Iterable<string>, target: number) => {
    const parts = [...new Set(files)].filter((file) => !listedFiles.has(file));
    rows.push({ name: `${name}, scripts`, value: sum(parts.filter(isScript)), target, unit: "KB" });
    const styles = parts.filter(isStyle);
    if (styles.length > 0) rows.push({ name: `${name}, styles`, value: sum(styles), unit: "KB" });
  };
  for (const { name, path, target, key } of views) {
    const press = async (page: Page) => {
      await page.keyboard.press(key ?? "");
      await page.getByRole("combobox").waitFor();
    };
    lazy(name, await filesOf(path, key === undefined ? {} : { after: press }), target);
  }
  const all: string[] = [];
  for (const section of sections) all.push(...(await filesOf(`/settings/${section}`, { signedInAt: identity })));
  lazy("settings, all sections of a signed-in user", all, 25);
  return rows;
}

/** Runs in the page and records when the first frame has loaded. */
function watchFirstFrame() {
  document.addEventListener(
    "load",
    ({ target }) => {
      if (target instanceof HTMLIFrameElement) (window as { firstFrameAt?: number }).firstFrameAt ??= performance.now();
    },
    true,
  );
}

/**
 * Runs in the page and returns the scripts and styles of its own origin. If the page has a frame, returns only those
 * that started to load before the frame was loaded, unless a dialog is open.
 */
function loadedFiles(): string[] {
  const { firstFrameAt = Number.POSITIVE_INFINITY } = window as { firstFrameAt?: number };
  const loadedBefore = document.querySelector("dialog[open]") === null ? firstFrameAt : Number.POSITIVE_INFINITY;
  const { origin } = location;
  return performance
    .getEntriesByType("resource")
    .filter(({ name, startTime }) => startTime < loadedBefore && name.startsWith(origin) && /\.(?:js|css)$/.test(name))
    .map(({ name }) => name.slice(origin.length));
}
