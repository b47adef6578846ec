import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { NavigationGroup, NavigationItem, ShellConfig } from "../../schemas/shell/config.ts";
import type { LegalAddress, PageBackend, PageConfig, PageEntry, PageItem } from "../../schemas/shell/page.ts";
import type { Command } from "./load/env.ts";
import { isTrustedPanel } from "./rules/backend.ts";
import { trimSlashes } from "./rules/context.ts";

/** A document beside the page; `path` is its place below the root of the site. */
export type LegalFile = { path: string; text: string };

type Around = { folder: string; command: Command; staticFiles: ReadonlySet<string>; env: NodeJS.ProcessEnv };

/** What the page gets of a configuration: normalized, without what only the command reads. */
export function toPageConfig(config: ShellConfig, around: Around): { page: PageConfig; legalFiles: LegalFile[] } {
  const { $schema, port, hosting, desktop, language, legalDocuments, navigation, backend, ...rest } = config;
  const { storage, errorReporting, favicon, appIcon, logo, ...plain } = rest;
  const legal = toLegalFiles(legalDocuments, around.folder);
  const dsn = around.env.ERROR_REPORTING_DSN;
  const reporting = errorReporting ?? (dsn && /^https?:\/\//.test(dsn) ? { dsn } : undefined);
  const icon = favicon ?? (around.staticFiles.has("favicon.svg") ? "/favicon.svg" : undefined);
  const page: PageConfig = {
    ...plain,
    language: typeof language === "string" ? [language] : [...new Set(language)],
    navigation: navigation.map((entry) => toEntry(entry)),
    ...(icon && { favicon: toAsset(icon) }),
    ...(appIcon && { appIcon: toAsset(appIcon) }),
    ...(logo && {
      logo: typeof logo === "string" ? toAsset(logo) : { light: toAsset(logo.light), dark: toAsset(logo.dark) },
    }),
    ...(backend && { backend: toBackend(backend, config, around.command) }),
    ...(storage && { storage: { ...storage, url: trimEnd(storage.url) } }),
    ...(reporting && { errorReporting: reporting }),
    ...(legalDocuments && { legalDocuments: legal.addresses }),
  };
  return { page: dropUndefined(page), legalFiles: legal.files };
}

function toEntry(entry: NavigationItem | NavigationGroup): PageEntry {
  if ("items" in entry) return { ...entry, items: entry.items.map((inner) => toEntry(inner)) };
  const item: PageItem = {
    ...entry,
    path: trimSlashes(entry.path),
    useHashRouter: entry.useHashRouter ?? entry.url.includes("/#"),
    ...(entry.icon && { icon: toAsset(entry.icon) }),
  };
  return item;
}

function toBackend(backend: NonNullable<ShellConfig["backend"]>, config: ShellConfig, command: Command): PageBackend {
  const { companyId, url, adminUrl, loginUrl, adminPathname, login, ...rest } = backend;
  const { panelUrl, ...signIn } = login ?? {};
  const isPanelShown = panelUrl !== undefined && isTrustedPanel(panelUrl, config, command === "start");
  return {
    ...rest,
    url: trimEnd(url),
    ...(adminUrl && { adminUrl: trimEnd(adminUrl) }),
    ...(loginUrl && { loginUrl: trimEnd(loginUrl) }),
    ...(adminPathname && { adminPathname: trimSlashes(adminPathname) }),
    ...(companyId !== undefined && { companyId: Number(companyId) }),
    ...(login && { login: { ...signIn, ...(isPanelShown && { panelUrl }) } }),
  };
}

/** Documents get names by their content, so that a browser may keep them. */
function toLegalFiles(documents: ShellConfig["legalDocuments"], folder: string) {
  const files: LegalFile[] = [];
  const addressOf = (name: string, text: string | { file: string }): string => {
    const content = typeof text === "string" ? text : readFileSync(resolve(folder, text.file), "utf8");
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
    const path = `assets/${name}-${hash}.md`;
    if (!files.some((file) => file.path === path)) files.push({ path, text: content });
    return `/${path}`;
  };
  const addresses: Record<string, LegalAddress> = {};
  for (const [name, document] of Object.entries(documents ?? {})) {
    if (document === undefined) continue;
    addresses[name] =
      typeof document === "string" || isFileName(document)
        ? addressOf(name, document)
        : Object.fromEntries(Object.entries(document).map(([tag, text]) => [tag, addressOf(name, text)]));
  }
  return { files, addresses };
}

function isFileName(document: object): document is { file: string } {
  return "file" in document && typeof document.file === "string";
}

/** A picture of `static/` as an address of the site. */
function toAsset(path: string): string {
  return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(path) ? path : `/${path}`;
}

function trimEnd(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Through JSON, which is how it reaches the page: members that are undefined are gone. */
function dropUndefined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
