import type { Localized, NavigationGroup, NavigationItem, ShellConfig } from "./config.ts";

// The record that the command line writes into index.html and the client starts from. It is in
// `<script type="application/json" id="platform-page">` and is public.

/** An item as the page has it: `path` without slashes at its ends, `useHashRouter` decided. */
export type PageItem = Omit<NavigationItem, "useHashRouter"> & { useHashRouter: boolean };
/** A group as the page has it; groups nest at most two levels. */
export type PageGroup = Omit<NavigationGroup, "items"> & { items: PageEntry[] };
export type PageEntry = PageItem | PageGroup;

/** Address of a legal document's Markdown, or one for each language. */
export type LegalAddress = string | Record<string, string>;
export type LegalDocumentName = "privacyPolicy" | "termsOfService" | "legalNotice" | "dataProcessingAgreement";

type Backend = NonNullable<ShellConfig["backend"]>;
/** Addresses without a slash at their end, `adminPathname` without any at its ends, an untrusted `login.panelUrl` left out. */
export type PageBackend = Omit<Backend, "companyId"> & { companyId?: number };

/** The configuration in the page: validated, with its defaults, without what only the command line reads. */
export type PageConfig = Omit<
  ShellConfig,
  "$schema" | "port" | "hosting" | "desktop" | "language" | "legalDocuments" | "navigation" | "backend"
> & {
  /** offered languages, the default one first */
  language: string[];
  navigation: PageEntry[];
  backend?: PageBackend;
  legalDocuments?: Partial<Record<LegalDocumentName, LegalAddress>>;
};

/** Interface texts of one language: `view.key` to text, with the configuration's own ones over those of the shell. */
export type Messages = Record<string, string>;

export type PageData = {
  config: PageConfig;
  mode: "development" | "production";
  target: "web" | "desktop";
  /** version of the shell */
  version: string;
  /** the default language, whose texts are `messages` */
  language: string;
  messages: Messages;
};

export const pageElementId = "platform-page";

// --- development server ---------------------------------------------------------------------------------------------------
// A page in development also loads `/__dev/client.js`. It follows the event stream, draws the overlay of a broken edit, reloads
// where a reload is needed, and hands what can be applied in place to the client: an event on `window`, `PageData` in `detail`.

export const configEvent = "platform:config";

/** Something wrong with a configuration, or doubtful. Lines and columns begin at 1. */
export type Finding = {
  file: string;
  line: number;
  column: number;
  level: "error" | "warning";
  code: string;
  /** key path, `navigation[2].path`; empty for the file as a whole */
  path: string;
  sentence: string;
};

/** One event of `/__dev/events`, as JSON. */
export type DevEvent =
  | { type: "state"; boot: string; generation: number; findings: Finding[] }
  | { type: "config"; generation: number; page: PageData }
  | { type: "reload" }
  | { type: "moved"; port: number }
  | { type: "static"; paths: string[] }
  | { type: "broken"; findings: Finding[] };

/** Whether an entry of the navigation is a group. */
export function isGroup(entry: PageEntry): entry is PageGroup {
  return "items" in entry;
}

/** The text for a language: this one, its base, the first configured one, English, the first there is. */
export function resolveText(text: Localized, language: string, configured: readonly string[]): string {
  if (typeof text === "string") return text;
  const base = language.split("-")[0] ?? language;
  for (const tag of [language, base, configured[0] ?? "en", "en"]) {
    const found = text[tag];
    if (found !== undefined) return found;
  }
  return Object.values(text)[0] ?? "";
}
