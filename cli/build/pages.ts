import type { PageConfig, PageData } from "../../schemas/shell/page.ts";
import { listOwnPages } from "../config/rules/files.ts";
import { directionOf, escapeHtml } from "../page/document.ts";
import { hashForPolicy, listPageItems } from "../page/policy.ts";

/** Every address that has a page of its own, without slashes at its ends, sorted; the root is not among them. */
export function listPagePaths(config: PageConfig): string[] {
  const { backend, legalDocuments } = config;
  const isAdmin = backend?.type === "platform" && backend.adminUrl !== undefined;
  const paths = [
    ...listOwnPages(legalDocuments),
    ...(isAdmin && backend.adminPathname ? [backend.adminPathname] : []),
    ...listPageItems(config.navigation).map(({ path }) => path),
  ];
  return [...new Set(paths)].filter((path) => path !== "").toSorted();
}

/** The page that the service worker shows when it has nothing else; complete in itself. */
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
