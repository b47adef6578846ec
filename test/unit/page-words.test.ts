import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = new URL("../../workers", import.meta.url).pathname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Returns the French texts in source code: the text of `fr: "…"`, and all texts in an object `fr: {…}`. */
function findFrenchTexts(source: string): string[] {
  const singleTexts = [...source.matchAll(/\bfr:\s*("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text);
  const objects = [...source.matchAll(/^( *)fr: \{\n(.*?)^\1\}/gms)].map(([, , block = ""]) => block);
  const objectTexts = objects.flatMap((block) => block.match(/"(?:[^"\\]|\\.)*"/g) ?? []);
  return [...singleTexts, ...objectTexts].map((text) => JSON.parse(text ?? '""') as string);
}

it("uses no-break spaces before French punctuation in pages and mails", () => {
  const texts = sources.flatMap((name) => findFrenchTexts(readFileSync(join(folder, name), "utf8")));
  expect(texts.length).toBeGreaterThan(80);
  expect(texts.filter((text) => /« | [»:;?!]|[^\s\u00a0\u202f][;?!»](?:\s|$)/.test(text))).toEqual([]);
});
