import type { NavigationGroup, NavigationItem, ShellConfig } from "../../schemas/shell/config.ts";
import type { PageBackend, PageConfig, PageEntry, PageItem } from "../../schemas/shell/page.ts";
import type { Legal } from "./legal/legal-files.ts";
import type { Command } from "./load/env.ts";
import { isTrustedPanel } from "./rules/backend.ts";
import { trimSlashes } from "./rules/context.ts";

type Around = { legal: Legal; command: Command; staticFiles: ReadonlySet<string>; env: NodeJS.ProcessEnv };

/** What the page gets of a configuration: normalized, without what only the command reads. */
export function toPageConfig(config: ShellConfig, around: Around): PageConfig {
  const { $schema, port, hosting, desktop, language, legalDocuments, navigation, backend, ...rest } = config;
  const { storage, errorReporting, favicon, appIcon, logo, ...plain } = rest;
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
    ...(storage && { storage: toStorage(storage) }),
    ...(reporting && { errorReporting: reporting }),
    ...(legalDocuments && { legalDocuments: around.legal.addresses }),
  };
  return dropUndefined(page);
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

function toStorage({ url, filesUrl, ...rest }: NonNullable<ShellConfig["storage"]>): PageConfig["storage"] {
  return { ...rest, url: trimEnd(url), ...(filesUrl && { filesUrl: trimEnd(filesUrl) }) };
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
