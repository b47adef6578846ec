import { expect, it } from "vitest";
import { checkProse } from "../../../scripts/support/documents/prose.ts";

const phrasesIn = (file: string, text: string) =>
  checkProse(file, text).map(({ line, phrase }) => `${line}: ${phrase}`);

it("reports discouraged phrases in documents, except in code blocks", () => {
  expect(phrasesIn("a.md", "It begins anew.\n```\nanew\n```\nWhoever asks is told.")).toEqual([
    "1: anew",
    "5: Whoever",
    "5: is told",
  ]);
});

it("reports discouraged phrases in comments and test titles, but not in code and strings", () => {
  const source = [
    'const anew = "whoever"; // begins anew',
    "/** What became of it. */",
    'it("is told what happened", () => {});',
    'it.for(rows)("starts anew", () => {});',
    'show("anew");',
  ].join("\n");
  expect(phrasesIn("a.ts", source)).toEqual(["1: anew", "2: What became of", "3: is told", "4: anew"]);
});
