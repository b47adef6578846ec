import { expect, it } from "vitest";
import { renderSignInPage } from "../../../workers/edge/page";

it("sets French punctuation with spaces that no line ends at", async () => {
  const page = await renderSignInPage("").text();
  const texts = Object.values<string>(JSON.parse(/^const texts = (.*);$/m.exec(page)?.[1] ?? "{}").fr);
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.filter((text) => /« | [»:;?!]/.test(text))).toEqual([]);
});
