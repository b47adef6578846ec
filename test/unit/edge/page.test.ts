import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("sets French punctuation with spaces that no line ends at", () => {
  const page = readFileSync(new URL("../../../workers/edge/assets/sign-in.html", import.meta.url), "utf8");
  const texts = Object.values<string>(JSON.parse(/^const texts = (.*?^\});$/ms.exec(page)?.[1] ?? "{}").fr);
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.filter((text) => /« | [»:;?!]/.test(text))).toEqual([]);
});
