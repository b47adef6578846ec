import type { Messages, PageConfig, PageData } from "../../schemas/shell/page.ts";
import type { Target } from "../config/load/env.ts";
import type { ShellRecord } from "./shell-files.ts";

/** Returns the data that is embedded in a page. */
export function toPageData(
  config: PageConfig,
  shell: Pick<ShellRecord, "version" | "texts">,
  mode: PageData["mode"],
  target: Target,
): PageData {
  const language = config.language[0] ?? "en";
  return { config, mode, target, version: shell.version, language, messages: textsOf(language, config, shell.texts) };
}

/**
 * Merges the texts of English, the base language and the language; later ones override earlier ones. In each language the
 * configuration's texts override the shell's.
 */
function textsOf(language: string, config: PageConfig, texts: Record<string, Messages>): Messages {
  const base = language.split("-")[0] ?? language;
  const layers = [...new Set(["en", base, language])].flatMap((tag) => [texts[tag], config.messages?.[tag]]);
  return Object.assign({}, ...layers.filter((layer) => layer !== undefined));
}
