import type { PageConfig, PageData } from "../../schemas/shell/page.ts";
import { APP_SECTION_PREFIX, settingsSections } from "../../schemas/shell/settings-sections.ts";
import { listShellPages } from "../config/rules/files.ts";
import { directionOf, escapeHtml } from "../page/document.ts";
import { hashForPolicy, listPageItems } from "../page/policy.ts";

/** Returns the sorted paths of all pages except the root. The paths have no slashes at their ends. */
export function listPagePaths(config: PageConfig): string[] {
  const { backend, legalDocuments } = config;
  const isAdmin = backend?.type === "platform" && backend.adminUrl !== undefined;
  const items = listPageItems(config.navigation);
  const panels = items.flatMap(({ path, settings }) => (settings === undefined ? [] : `${APP_SECTION_PREFIX}${path}`));
  const settingsItems = items.filter(({ url }) => /^\/__settings\/?(?:[?#]|$)/.test(url)).map(({ path }) => path);
  const paths = [
    ...listShellPages(legalDocuments),
    ...panels.map((panel) => `__settings/${panel}`),
    ...settingsItems.flatMap((path) => [...settingsSections, ...panels].map((section) => `${path}/${section}`)),
    ...(isAdmin && backend.adminPathname ? [backend.adminPathname] : []),
    ...items.map(({ path }) => path),
  ];
  return [...new Set(paths)].filter((path) => path !== "").toSorted();
}

/** Returns the self-contained page that the service worker shows when nothing else is cached. */
export function renderOffline(style: string, { language, messages }: PageData): string {
  const text = (key: string) => escapeHtml(messages[key] ?? "");
  const policy = `default-src 'none'; style-src ${hashForPolicy(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text("worker.title")}</title>
<style>${style}</style>
</head>
<body><main><h1>${text("worker.title")}</h1><p>${text("worker.text")}</p><p><a href="">${text("worker.retry")}</a></p></main></body>
</html>
`;
}
