import type { Localized } from "../../../../schemas/shell/config.ts";
import { isGroup, type PageEntry, resolveText } from "../../../../schemas/shell/page.ts";
import { useStore } from "../store.ts";
import { useShell } from "./context.ts";
import type { Shell } from "./shell.ts";

/** Returns a function that resolves configured texts for the current language. */
export function useText(): (text: Localized) => string {
  const { page, language } = useShell();
  const { code } = useStore(language);
  const { config } = useStore(page);
  return (text) => resolveText(text, code, config.language);
}

/** Resolves a configured text outside of components. */
export const textOf = ({ page, language }: Shell, text: Localized): string =>
  resolveText(text, language.get().code, page.get().config.language);

/** Returns a key for an entry of the navigation. The key does not depend on the language. */
export const entryKey = (entry: PageEntry): string =>
  isGroup(entry) ? `group:${resolveText(entry.title, "en", ["en"])}` : `item:${entry.path}`;

/** Returns the name of the application: the configured title, else a default. */
export const shellTitle = (title: string | undefined): string => title ?? "Platform";
