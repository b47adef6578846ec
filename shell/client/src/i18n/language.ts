import type { Messages, PageData } from "../../../../schemas/shell/page.ts";
import { createStore, type Readable } from "../store.ts";
import { baseOf, directionOf } from "./tags.ts";
import { type Translate, translator } from "./translate.ts";

/** The current language, its direction and its texts. */
export type Language = { code: string; dir: "ltr" | "rtl"; t: Translate };

export type Languages = Readable<Language> & {
  /** Loads a language and makes it current. When loading fails, the current language remains. */
  choose: (code: string) => Promise<void>;
};

const files: Record<string, () => Promise<{ default: Messages }>> = {
  en: () => import("./en.json"),
  fr: () => import("./fr.json"),
};

const language = (code: string, messages: Messages): Language => ({
  code,
  dir: directionOf(code),
  t: translator(messages, code),
});

/** Creates a store with the current language. It starts with the default language, whose texts the page contains. */
export function createLanguages(page: () => PageData): Languages {
  const current = createStore(language(page().language, page().messages));
  let requestedCode = page().language;
  const load = async (code: string): Promise<Messages> => {
    const { language: first, messages, config } = page();
    if (code === first) return messages;
    // The configured texts override the built-in texts. A language that only the configuration has starts with the English texts.
    const file = files[baseOf(code)] ?? files.en;
    return { ...(await file?.())?.default, ...config.messages?.[baseOf(code)], ...config.messages?.[code] };
  };
  return {
    get: current.get,
    subscribe: current.subscribe,
    async choose(code) {
      requestedCode = code;
      const messages = await load(code).catch(() => undefined);
      if (requestedCode === code && messages !== undefined) current.set(language(code, messages));
    },
  };
}
