import { createStore, type Store } from "../store.ts";

export type Scheme = "light" | "dark" | "system";
export type Density = "comfortable" | "compact";
export type LayoutName = "sidebar" | "app-bar" | "fullscreen";

/** Settings of this browser (`platform:settings`). An absent setting has its default value. */
export type LocalSettings = {
  themeName?: string;
  colorScheme?: Scheme;
  /** only of this browser, because it depends on the screen */
  density?: Density;
  language?: string;
  /** time zone */
  region?: string;
  /** px */
  sidebarWidth?: number;
  sidebarCollapsed?: boolean;
  /** groups whose open state differs from the configuration, by key */
  groups?: Record<string, boolean>;
  /** paths of the items that were opened last, the last one first */
  recent?: string[];
  /** paths of the items that the user has pinned */
  pinned?: string[];
  /** the user whose recent and pinned places these are; absent for a visitor who is not signed in */
  placesOwner?: string;
  /** hints that the user has closed */
  dismissed?: string[];
  errorReporting?: boolean;
  serviceWorker?: boolean;
  developerMode?: boolean;
  layout?: LayoutName;
  /** comma-separated names of loggers that write to the console */
  logs?: string;
  pauseRefresh?: boolean;
};

const key = "platform:settings";
const version = 1;

/** The expected type of each setting. Values of another type are dropped. */
const kinds = {
  themeName: "string",
  colorScheme: "string",
  density: "string",
  language: "string",
  region: "string",
  sidebarWidth: "number",
  sidebarCollapsed: "boolean",
  groups: "object",
  recent: "texts",
  pinned: "texts",
  placesOwner: "string",
  dismissed: "texts",
  errorReporting: "boolean",
  serviceWorker: "boolean",
  developerMode: "boolean",
  layout: "string",
  logs: "string",
  pauseRefresh: "boolean",
} as const satisfies Record<keyof LocalSettings, string>;

const choices: Partial<Record<keyof LocalSettings, readonly string[]>> = {
  colorScheme: ["light", "dark", "system"],
  density: ["comfortable", "compact"],
  layout: ["sidebar", "app-bar", "fullscreen"],
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === "string") ? "texts" : "mixed";
  return typeof value;
}

/** Parses stored settings. Drops invalid settings. */
export function parseSettings(text: string | null): LocalSettings {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "null");
  } catch {
    return {};
  }
  if (typeof stored !== "object" || stored === null || !("v" in stored) || stored.v !== version) return {};
  const entries = Object.entries(stored).filter(([name, value]) => {
    const allowed = choices[name as keyof LocalSettings];
    return (
      value !== null &&
      kindOf(value) === kinds[name as keyof LocalSettings] &&
      (allowed === undefined || allowed.includes(String(value)))
    );
  });
  return Object.fromEntries(entries);
}

/** Returns the settings of this browser, in sync with other tabs. Without storage, they last as long as the page. */
export function createSettings(): Store<LocalSettings> {
  const read = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const settings = createStore(parseSettings(read()));
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) settings.set(parseSettings(event.newValue));
  });
  const set: typeof settings.set = (next) => {
    settings.set(next);
    try {
      localStorage.setItem(key, JSON.stringify({ v: version, ...settings.get() }));
    } catch {
      // Storage is full or blocked. The setting lasts until the page is closed.
    }
  };
  return { get: settings.get, subscribe: settings.subscribe, set };
}
