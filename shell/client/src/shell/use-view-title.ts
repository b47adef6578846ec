import type { MessageKey } from "../i18n/translate.ts";
import { useT } from "../i18n/use-t.ts";
import type { Route } from "../router/routes.ts";
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

/** Name of a view: the label of its item, else its own. */
export function useViewTitle(route: Route): string {
  const t = useT();
  const text = useText();
  if (route.item !== undefined) return text(route.item.label);
  return route.view === "frame" || route.view === "start" ? "" : t(titles[route.view]);
}
