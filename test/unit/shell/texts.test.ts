import { describe, expect, test } from "vitest";
import english from "../../../shell/client/src/i18n/en.json" with { type: "json" };
import french from "../../../shell/client/src/i18n/fr.json" with { type: "json" };
import { chooseLanguage, directionOf } from "../../../shell/client/src/i18n/tags.ts";
import { type MessageKey, translator } from "../../../shell/client/src/i18n/translate.ts";

const texts: [string, Record<string, string>][] = [
  ["en", english],
  ["fr", french],
];
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted();

describe("the interface texts", () => {
  test("have the same keys and placeholders in English and French", () => {
    expect(Object.keys(french).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, text] of Object.entries<string>(english))
      expect([key, placeholders((french as Record<string, string>)[key] ?? "")]).toEqual([key, placeholders(text)]);
  });

  test("follow the rules of the language: no-break spaces in French, no exclamation marks, no “please”", () => {
    for (const [key, text] of Object.entries<string>(english))
      expect([key, /e-mail/i.test(text)]).toEqual([key, false]);
    for (const [key, text] of Object.entries<string>(french))
      expect([key, / [:;!?»]|« /.test(text)]).toEqual([key, false]);
    for (const [, all] of texts)
      for (const [key, text] of Object.entries(all))
        expect([key, /!|\b(please|oops|successfully|veuillez)\b/i.test(text)]).toEqual([key, false]);
  });
});

test("chooses the plural form of a text by number and fills in its values", () => {
  const t = translator({ "nav.badge.one": "{count} nouveau", "nav.badge.other": "{count} nouveaux" }, "fr");
  const key: MessageKey = "nav.badge";
  expect(t(key, { count: 1 })).toBe("1 nouveau");
  expect(t(key, { count: 1200 })).toMatch(/^1.200 nouveaux$/);
});

test("chooses a language by preference, then by base language, else the first", () => {
  expect(chooseLanguage([undefined, "fr-CA", "en"], ["en", "fr"])).toBe("fr");
  expect(chooseLanguage(["de"], ["fr", "en"])).toBe("fr");
  expect(chooseLanguage(["pt-BR"], ["pt", "pt-br"])).toBe("pt-br");
  expect(chooseLanguage([], [])).toBe("en");
  expect([directionOf("ar"), directionOf("he-IL"), directionOf("az-Arab"), directionOf("fr")]).toEqual([
    "rtl",
    "rtl",
    "rtl",
    "ltr",
  ]);
});
