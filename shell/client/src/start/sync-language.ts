import { chooseLanguage } from "../i18n/tags.ts";
import type { Shell } from "../shell/shell.ts";

/**
 * Keeps the language in sync with the user's choice, else with the browser's preference, limited to the configured languages.
 * Resolves when the first language is loaded.
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
