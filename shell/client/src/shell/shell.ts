import type { PageData } from "../../../../schemas/shell/page.ts";
import type { Languages } from "../i18n/language.ts";
import type { Toasts } from "../overlays/toasts.ts";
import type { Router } from "../router/router.ts";
import type { Session } from "../session/session.ts";
import type { Store } from "../store.ts";
import type { LocalSettings } from "./settings.ts";

/** Everything a component reaches: `useShell()`. There is one in a page; the first paint has one of its own, which stands still. */
export type Shell = {
  /** what the command line put into the page; changes when a development server applies an edit */
  page: Store<PageData>;
  settings: Store<LocalSettings>;
  language: Languages;
  router: Router;
  /** null in the first paint only */
  session: Session | null;
  toasts: Toasts;
};
