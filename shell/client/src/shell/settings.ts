import { createStore, type Store } from "../store.ts";

export type Scheme = "light" | "dark" | "system";
export type LayoutName = "sidebar" | "app-bar" | "fullscreen";

/** What a person chose in this browser, `platform:settings`. Absent means: as it comes. */
export type LocalSettings = {
  themeName?: string;
  colorScheme?: Scheme;
  language?: string;
  /** time zone */
  region?: string;
  /** px */
  sidebarWidth?: number;
  sidebarCollapsed?: boolean;
  /** titles of groups that stand open or closed against their configuration */
  groups?: Record<string, boolean>;
  errorReporting?: boolean;
  serviceWorker?: boolean;
  developerMode?: boolean;
  layout?: LayoutName;
  /** names of loggers that are written to the console, comma separated */
  logs?: string;
  pauseRefresh?: boolean;
};

const key = "platform:settings";
const version = 1;

/** A kind for each of them: what has another one is left out, as if it had never been chosen. */
const kinds = {
  themeName: "string",
  colorScheme: "string",
  language: "string",
  region: "string",
  sidebarWidth: "number",
  sidebarCollapsed: "boolean",
  groups: "object",
  errorReporting: "boolean",
  serviceWorker: "boolean",
  developerMode: "boolean",
  layout: "string",
  logs: "string",
  pauseRefresh: "boolean",
} as const satisfies Record<keyof LocalSettings, string>;

const choices: Partial<Record<keyof LocalSettings, readonly string[]>> = {
  colorScheme: ["light", "dark", "system"],
  layout: ["sidebar", "app-bar", "fullscreen"],
};

/** Settings of a stored text; what cannot be read is nothing. */
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
      typeof value === kinds[name as keyof LocalSettings] &&
      (allowed === undefined || allowed.includes(String(value)))
    );
  });
  return Object.fromEntries(entries);
}

/** The settings of this browser. Other tabs follow; without storage they last as long as the page. */
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
      // A full or forbidden storage: the choice holds until the page is left.
    }
  };
  return { get: settings.get, subscribe: settings.subscribe, set };
}
