import { chooseLanguage } from "../i18n/tags.ts";
import type { Shell } from "../shell/shell.ts";

/** Keeps the language at what was chosen here, else at what the browser wants, among what the configuration offers. */
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
