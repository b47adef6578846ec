import type { PageConfig, PageData } from "../../schemas/shell/page.ts";
import { builtInPages } from "../config/rules/files.ts";
import { escapeHtml } from "../page/document.ts";
import { listPageItems } from "../page/policy.ts";

const legalPaths = {
  privacyPolicy: "privacy-policy",
  termsOfService: "terms-of-service",
  legalNotice: "legal-notice",
  dataProcessingAgreement: "data-processing-agreement",
} as const;

/** Every address that has a page of its own, without slashes at its ends, sorted; the root is not among them. */
export function listPagePaths(config: PageConfig): string[] {
  const { backend, legalDocuments = {} } = config;
  const isAdmin = backend?.type === "platform" && backend.adminUrl !== undefined;
  const documents = Object.entries(legalPaths).flatMap(([name, path]) =>
    name in legalDocuments ? [`legal/${path}`] : [],
  );
  const paths = [
    ...builtInPages,
    "__settings",
    "__welcome",
    "__diagnostics",
    "__cookie-preferences",
    ...documents,
    ...(isAdmin && backend.adminPathname ? [backend.adminPathname] : []),
    ...listPageItems(config.navigation).map(({ path }) => path),
  ];
  return [...new Set(paths)].filter((path) => path !== "").toSorted();
}

/** The page that the service worker shows when it has nothing else. */
export function renderOffline(template: string, { language, messages }: PageData, direction: "ltr" | "rtl"): string {
  const text = (key: string) => escapeHtml(messages[key] ?? "");
  const values: Record<string, string> = {
    lang: escapeHtml(language),
    dir: direction,
    title: text("worker.title"),
    heading: text("worker.title"),
    text: text("worker.text"),
    retry: text("worker.retry"),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
