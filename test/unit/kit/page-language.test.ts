import { expect, test } from "vitest";
import { choosePageLanguage } from "../../../workers/kit/http/request/page-language";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["fr", "fr"],
  ["fr-CA, en", "fr"],
  ["en, fr", "en"],
  ["en;q=0.5, fr;q=0.8", "fr"],
  ["de, fr;q=0.1", "fr"],
  ["fr;q=0, en;q=0.1", "en"],
  ["fr;q=0", "en"],
  ["de, *", "en"],
  [";;,=,q", "en"],
])("reads the page language for Accept-Language %j as %s", (header, language) => {
  expect(choosePageLanguage(header)).toBe(language);
});
