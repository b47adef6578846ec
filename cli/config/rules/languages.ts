import { listAt, objectAt, type RuleContext, textAt } from "./context.ts";

const shellLanguages = ["en", "fr"];

/** Checks that each offered language has texts. In a build, also checks that added languages have every text. */
export function checkLanguages({ rawConfig, report, shell, command }: RuleContext): void {
  const messages = objectAt(rawConfig, "messages");
  const availableLanguages = [...shellLanguages, ...Object.keys(messages)];
  const single = textAt(rawConfig, "language");
  const offered = single === undefined ? listAt(rawConfig, "language") : [single];
  for (const [index, tag] of offered.entries()) {
    if (typeof tag !== "string") continue;
    const base = tag.split("-")[0] ?? tag;
    if (availableLanguages.includes(tag) || availableLanguages.includes(base)) continue;
    const path = single === undefined ? ["language", index] : ["language"];
    report(
      "unknown-language",
      path,
      `"${tag}" has no texts. Add them under messages["${tag}"], or offer ${availableLanguages.join(", ")}.`,
    );
  }
  if (command !== "build" || shell === undefined) return;
  for (const [tag, texts] of Object.entries(messages)) {
    if (shellLanguages.includes(tag.split("-")[0] ?? tag)) continue;
    const missing = Object.keys(shell.texts).filter((key) => textAt(texts, key) === undefined);
    if (missing.length === 0) continue;
    const firstMissing = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ", …" : "");
    const sentence = `${missing.length} of ${Object.keys(shell.texts).length} texts are missing and are shown in English: ${firstMissing}.`;
    report("missing-translation", ["messages", tag], sentence, { level: "warning", part: "key" });
  }
}
