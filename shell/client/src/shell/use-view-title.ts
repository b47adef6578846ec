import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import type { Route } from "../router/routes.ts";
import { findSection, useSections } from "../settings/sections.ts";
import { useStore } from "../store.ts";
import { legalDocuments } from "../views/legal-names.ts";
import { useShell } from "./context.ts";
import { useText } from "./use-text.ts";

const titles = {
  settings: "settings.title",
  legal: "legal.title",
  admin: "admin.title",
  welcome: "welcome.name",
  diagnostics: "diagnostics.title",
  consent: "consent.title",
  login: "account.signIn",
  callback: "account.signIn",
  "not-found": "notFound.name",
} as const satisfies Record<Exclude<Route["view"], "frame" | "start">, MessageKey>;

/**
 * Returns the name of a view: the label of its navigation item, else the built-in name. A frame or start view without an item
 * has an empty name.
 */
export function useViewTitle(route: Route): string {
  const t = useT();
  const text = useText();
  if (route.item !== undefined) return text(route.item.label);
  return route.view === "frame" || route.view === "start" ? "" : t(titles[route.view]);
}

/** Returns the title of a route: the name of the settings section or legal document, else the name of the view. */
export function useDocumentTitle(route: Route): string {
  const { page } = useShell();
  const t = useT();
  const configured = useStore(page).config.legalDocuments ?? {};
  const sections = useSections();
  const view = useViewTitle(route);
  if ((route.view !== "settings" && route.view !== "legal") || route.rest === "") return view;
  if (route.view === "settings") return findSection(sections, route.rest)?.title ?? t(titles["not-found"]);
  const document = legalDocuments.find(({ name, path }) => path === route.rest && configured[name] !== undefined);
  return t(document?.title ?? titles["not-found"]);
}
