import { chooseLanguage } from "../i18n/tags.ts";
import type { Shell } from "../shell/shell.ts";

/**
 * Keeps the language at the user's choice, else the browser's preference, among the configured ones. Resolves when the first
 * one is loaded.
 */
export function syncLanguage({ page, settings, language }: Shell): Promise<void> {
  const preferredCode = () =>
    chooseLanguage([settings.get().language, ...navigator.languages], page.get().config.language);
  let last = page.get();
  const update = () => {
    const code = preferredCode();
    const isEdited = last !== page.get();
    last = page.get();
    return code === language.get().code && !isEdited ? Promise.resolve() : language.choose(code);
  };
  page.subscribe(update);
  settings.subscribe(update);
  return update();
}
