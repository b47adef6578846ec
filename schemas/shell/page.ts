import type { Localized, NavigationGroup, NavigationItem, ShellConfig } from "./config.ts";

// The data that the command line writes into index.html and that the client reads when it starts. It is the content of
// `<script type="application/json" id="platform-page">` and is public.

/** An item in the page data. `path` has no slashes at its ends, and `useHashRouter` is set. */
export type PageItem = Omit<NavigationItem, "useHashRouter"> & { useHashRouter: boolean };
/** A group in the page data. Groups can be nested at most two levels deep. */
export type PageGroup = Omit<NavigationGroup, "items"> & { items: PageEntry[] };
export type PageEntry = PageItem | PageGroup;

/** The URL of the Markdown of a legal document, or one URL per language. */
export type LegalAddress = string | Record<string, string>;
export type LegalDocumentName = "privacyPolicy" | "termsOfService" | "legalNotice" | "dataProcessingAgreement";

type Backend = NonNullable<ShellConfig["backend"]>;
/**
 * The backend in the page data. URLs have no trailing slash, `adminPathname` has no slashes at its ends, and an untrusted
 * `login.panelUrl` is omitted.
 */
export type PageBackend = Omit<Backend, "companyId"> & { companyId?: number };

/** The configuration in the page data: validated, with defaults, and without fields that only the command line reads. */
export type PageConfig = Omit<
  ShellConfig,
  "$schema" | "port" | "hosting" | "desktop" | "language" | "legalDocuments" | "navigation" | "backend"
> & {
  /** the available languages; the default language comes first */
  language: string[];
  navigation: PageEntry[];
  backend?: PageBackend;
  legalDocuments?: Partial<Record<LegalDocumentName, LegalAddress>>;
};

/** The interface texts of one language by `view.key`. Texts of the configuration override the texts of the shell. */
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
// In development, a page also loads `/__dev/client.js`. It reads the event stream, shows an overlay with errors, and reloads
// the page when needed. It passes other changes to the client as an event on `window` with `PageData` in `detail`.

export const configEvent = "platform:config";

/** An error or a warning about a configuration. Lines and columns start at 1. */
export type Finding = {
  file: string;
  line: number;
  column: number;
  level: "error" | "warning";
  code: string;
  /** key path, such as `navigation[2].path`; empty for the whole file */
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

/** Returns whether an entry of the navigation is a group. */
export function isGroup(entry: PageEntry): entry is PageGroup {
  return "items" in entry;
}

/**
 * Returns the text for a language. If it is missing, returns the text for the base language, the first configured language,
 * English, or the first entry, in this order.
 */
export function resolveText(text: Localized, language: string, configured: readonly string[]): string {
  if (typeof text === "string") return text;
  const base = language.split("-")[0] ?? language;
  for (const tag of [language, base, configured[0] ?? "en", "en"]) {
    const value = text[tag];
    if (value !== undefined) return value;
  }
  return Object.values(text)[0] ?? "";
}
