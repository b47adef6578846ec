import { useShell } from "../shell/context.ts";
import type { LocalSettings } from "../shell/settings.ts";
import { useStore } from "../store.ts";

/** What goes with the account; everything else stays in this browser. */
export type Preferences = Pick<LocalSettings, "themeName" | "language" | "region" | "colorScheme">;

/** The preferences, and what changes them: here at once, and for the account when one is signed in. */
export function usePreferences(): [Preferences, (change: Preferences) => void] {
  const { settings, session } = useShell();
  const set = (change: Preferences) => {
    settings.set((last) => ({ ...last, ...change }));
    void session?.updatePreferences(change);
  };
  return [useStore(settings), set];
}
