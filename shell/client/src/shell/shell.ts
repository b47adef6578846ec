import type { PageData } from "../../../../schemas/shell/page.ts";
import type { Commands } from "../commands/commands.ts";
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

/** The objects that components use through `useShell()`. Each page has one shell. The first paint uses a static shell. */
export type Shell = {
  /** data from the command line tool; changes when a development server applies an edit */
  page: Store<PageData>;
  settings: Store<LocalSettings>;
  language: Languages;
  appearance: Readable<Appearance>;
  router: Router;
  /** null only in the first paint */
  session: Session | null;
  frames: Frames;
  /** title set by the visible application */
  appTitle: Readable<string | null>;
  /** badge counts by item path */
  badges: Store<Readonly<Record<string, number>>>;
  /** commands that applications add to the palette */
  commands: Commands;
  toasts: Toasts;
  overlays: Overlays;
  dialogs: Dialogs;
  /** whether the command palette is open */
  palette: Store<boolean>;
  openPalette: () => void;
  /** cookie decisions of the user */
  consent: Consent;
};
