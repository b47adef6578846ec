import { listAt, objectAt, type RuleContext, textAt } from "./context.ts";

const ownLanguages = ["en", "fr"];

/** Offered languages have texts, and added ones have all of them. */
export function checkLanguages({ written, report, shell, command }: RuleContext): void {
  const messages = objectAt(written, "messages");
  const known = [...ownLanguages, ...Object.keys(messages)];
  const single = textAt(written, "language");
  const offered = single === undefined ? listAt(written, "language") : [single];
  for (const [index, tag] of offered.entries()) {
    if (typeof tag !== "string") continue;
    const base = tag.split("-")[0] ?? tag;
    if (known.includes(tag) || known.includes(base)) continue;
    const path = single === undefined ? ["language", index] : ["language"];
    report(
      "unknown-language",
      path,
      `"${tag}" has no texts. Add them under messages["${tag}"], or offer ${known.join(", ")}.`,
    );
  }
  if (command !== "build" || shell === undefined) return;
  for (const [tag, texts] of Object.entries(messages)) {
    if (ownLanguages.includes(tag.split("-")[0] ?? tag)) continue;
    const missing = Object.keys(shell.texts).filter((key) => textAt(texts, key) === undefined);
    if (missing.length === 0) continue;
    const shown = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ", …" : "");
    const sentence = `${missing.length} of ${Object.keys(shell.texts).length} texts are missing and stay English: ${shown}.`;
    report("missing-translation", ["messages", tag], sentence, { level: "warning", part: "key" });
  }
}
