import type { PageData } from "../../../../schemas/shell/page.ts";
import type { Consent } from "../consent/consent.ts";
import type { Frames } from "../frames/frames.ts";
import type { Languages } from "../i18n/language.ts";
import type { Dialogs } from "../overlays/dialogs.ts";
import type { Overlays } from "../overlays/overlays.ts";
import type { Toasts } from "../overlays/toasts.ts";
import type { Router } from "../router/router.ts";
import type { Session } from "../session/session.ts";
import type { Readable, Store } from "../store.ts";
import type { Appearance } from "../theme/apply.ts";
import type { LocalSettings } from "./settings.ts";

/** Everything a component reaches: `useShell()`. There is one in a page; the first paint has one of its own, which stands still. */
export type Shell = {
  /** what the command line put into the page; changes when a development server applies an edit */
  page: Store<PageData>;
  settings: Store<LocalSettings>;
  language: Languages;
  appearance: Readable<Appearance>;
  router: Router;
  /** null in the first paint only */
  session: Session | null;
  frames: Frames;
  /** title that the visible application gave its page */
  appTitle: Readable<string | null>;
  /** counts at items, by their paths */
  badges: Store<Readonly<Record<string, number>>>;
  toasts: Toasts;
  overlays: Overlays;
  dialogs: Dialogs;
  /** whether the palette is open */
  palette: Store<boolean>;
  openPalette: () => void;
  /** hosts whose cookies were decided on */
  consent: Consent;
};
