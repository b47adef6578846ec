import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = new URL("../../workers", import.meta.url).pathname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** The texts of French parts: `fr: "…"`, and all of an object behind `fr: {`. */
function frenchOf(source: string): string[] {
  const single = [...source.matchAll(/\bfr:\s*("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text);
  const objects = [...source.matchAll(/^( *)fr: \{\n(.*?)^\1\}/gms)].map(([, , block = ""]) => block);
  const inside = objects.flatMap((block) => block.match(/"(?:[^"\\]|\\.)*"/g) ?? []);
  return [...single, ...inside].map((text) => JSON.parse(text ?? '""') as string);
}

it("sets French punctuation of pages and mails with spaces that no line ends at", () => {
  const texts = sources.flatMap((name) => frenchOf(readFileSync(join(folder, name), "utf8")));
  expect(texts.length).toBeGreaterThan(80);
  expect(texts.filter((text) => /« | [»:;?!]|[^\s\u00a0\u202f][;?!»](?:\s|$)/.test(text))).toEqual([]);
});
