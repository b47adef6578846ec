import { useShell } from "../shell/context.ts";
import type { LocalSettings } from "../shell/settings.ts";
import { useStore } from "../store.ts";

/** Preferences of the settings page, stored with the account. Other settings are stored only in this browser. */
export type Preferences = Pick<LocalSettings, "themeName" | "language" | "region" | "colorScheme">;

/** Returns the preferences and a function that changes them in this browser and in the account of a signed-in user. */
export function usePreferences(): [Preferences, (change: Preferences) => void] {
  const { settings, session } = useShell();
  const set = (change: Preferences) => {
    settings.set((last) => ({ ...last, ...change }));
    void session?.updatePreferences(change);
  };
  return [useStore(settings), set];
}
