import type { NavigationGroup, NavigationItem, ShellConfig } from "../../schemas/shell/config.ts";
import type { PageBackend, PageConfig, PageEntry, PageItem } from "../../schemas/shell/page.ts";
import type { Legal } from "./legal/legal-files.ts";
import type { Command } from "./load/env.ts";
import { isTrustedPanel } from "./rules/backend.ts";
import { trimSlashes } from "./rules/context.ts";

type PageContext = { legal: Legal; command: Command; staticFiles: ReadonlySet<string>; env: NodeJS.ProcessEnv };

/** Returns the part of a configuration that the page needs, normalized. */
export function toPageConfig(config: ShellConfig, context: PageContext): PageConfig {
  const { $schema, port, hosting, desktop, language, legalDocuments, navigation, backend, ...publicConfig } = config;
  const { storage, errorReporting, favicon, appIcon, logo, ...unchanged } = publicConfig;
  const dsn = context.env.ERROR_REPORTING_DSN;
  const reporting = errorReporting ?? (dsn && /^https?:\/\//.test(dsn) ? { dsn } : undefined);
  const icon = favicon ?? (context.staticFiles.has("favicon.svg") ? "/favicon.svg" : undefined);
  const page: PageConfig = {
    ...unchanged,
    language: typeof language === "string" ? [language] : [...new Set(language)],
    navigation: navigation.map((entry) => toEntry(entry)),
    ...(icon && { favicon: toAsset(icon) }),
    ...(appIcon && { appIcon: toAsset(appIcon) }),
    ...(logo && {
      logo: typeof logo === "string" ? toAsset(logo) : { light: toAsset(logo.light), dark: toAsset(logo.dark) },
    }),
    ...(backend && { backend: toBackend(backend, config, context.command) }),
    ...(storage && { storage: toStorage(storage) }),
    ...(reporting && { errorReporting: reporting }),
    ...(legalDocuments && { legalDocuments: context.legal.addresses }),
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
  const { companyId, url, adminUrl, loginUrl, adminPathname, login, ...publicSettings } = backend;
  const { panelUrl, ...signIn } = login ?? {};
  const isPanelAllowed = panelUrl !== undefined && isTrustedPanel(panelUrl, config, command === "start");
  return {
    ...publicSettings,
    url: trimEnd(url),
    ...(adminUrl && { adminUrl: trimEnd(adminUrl) }),
    ...(loginUrl && { loginUrl: trimEnd(loginUrl) }),
    ...(adminPathname && { adminPathname: trimSlashes(adminPathname) }),
    ...(companyId !== undefined && { companyId: Number(companyId) }),
    ...(login && { login: { ...signIn, ...(isPanelAllowed && { panelUrl }) } }),
  };
}

function toStorage({ url, filesUrl, ...settings }: NonNullable<ShellConfig["storage"]>): PageConfig["storage"] {
  return { ...settings, url: trimEnd(url), ...(filesUrl && { filesUrl: trimEnd(filesUrl) }) };
}

/** Returns the URL of an image in `static/`. */
function toAsset(path: string): string {
  return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(path) ? path : `/${path}`;
}

function trimEnd(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Removes undefined members, because the JSON in the page cannot contain them. */
function dropUndefined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
