import type { Localized } from "../../../../schemas/shell/config.ts";
import { isGroup, type PageEntry, resolveText } from "../../../../schemas/shell/page.ts";
import { useStore } from "../store.ts";
import { useShell } from "./context.ts";
import type { Shell } from "./shell.ts";

/** Resolves texts of the configuration for the current language. */
export function useText(): (text: Localized) => string {
  const { page, language } = useShell();
  const { code } = useStore(language);
  const { config } = useStore(page);
  return (text) => resolveText(text, code, config.language);
}

/** The same, outside of components. */
export const textOf = ({ page, language }: Shell, text: Localized): string =>
  resolveText(text, language.get().code, page.get().config.language);

/** A name for an entry that no language changes. */
export const entryKey = (entry: PageEntry): string =>
  isGroup(entry) ? `group:${resolveText(entry.title, "en", ["en"])}` : `item:${entry.path}`;

/** Name of the application: the title of the configuration. */
export const shellTitle = (title: string | undefined): string => title ?? "Platform";
