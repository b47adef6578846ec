import { describe, expect, it } from "vitest";
import type { CatalogEvent, CatalogVariable, ValueType } from "../../../schemas/email/content/catalog";
import { exampleVariables } from "../../../workers/email/content/catalog/examples";
import type { ValueFormat } from "../../../workers/email/content/catalog/value-format";
import {
  checkVariables,
  readPreviewVariables,
  resolveVariables,
  urlTokensOf,
  variablesByFormat,
} from "../../../workers/email/content/catalog/variables";
import type { EmailSettings } from "../../../workers/email/settings";
import { Problem } from "../../../workers/kit/problem";

const variable = (token: string, value_type: ValueType, more: Partial<CatalogVariable> = {}): CatalogVariable => ({
  token,
  type: value_type === "url" ? "url" : "string",
  value_type,
  required: false,
  example: token,
  ...more,
});

const fields = [
  variable("name", "text", { required: true }),
  variable("price", "money", { sample: { amount: 2, currency: "EUR" } }),
  variable("link", "url"),
  variable("image_url", "url"),
];
const event = {
  event_type: "shop.order.placed",
  lane_class: "transactional",
  suggested: { en: { subject: "{{ name }}", preheader: "" }, fr: { subject: "{{ name }}", preheader: "" } },
  variables: [
    variable("company_name", "text"),
    variable("name", "text"),
    variable("count", "number", { sample: 1200.5 }),
    variable("paid_at", "date", { sample: "2026-11-27" }),
    variable("total", "money"),
    variable("is_gift", "boolean", { sample: true }),
    variable("items", "list", { fields, sample: [{ name: "Pen", price: { amount: "2.5", currency: "EUR" } }] }),
  ],
} as unknown as CatalogEvent;
const settings = { authLinkHosts: [], debug: false } as unknown as EmailSettings;
const english: ValueFormat = { language: "en", timeZone: "UTC" };
const french: ValueFormat = { language: "fr", timeZone: "Europe/Paris" };

const resolve = (input: object, format = english) => resolveVariables(event, { ...input }, "Shop", format);

/** Returns the code and the field errors of the error that the work throws. */
function problemOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, fields: error.options.field_errors };
    throw error;
  }
  throw new Error("no error");
}

/** Returns the text with ordinary spaces, because the texts of Intl contain several kinds of spaces. */
const plain = (value: unknown) => String(value).replace(/\s/g, " ");

describe("typed variables", () => {
  it.each<[string, unknown, string, string]>([
    ["count", 1234567.891, "1,234,567.891", "1 234 567,891"],
    ["count", "12345678901234.0123456789", "12,345,678,901,234.0123456789", "12 345 678 901 234,0123456789"],
    ["count", -0.5, "-0.5", "-0,5"],
    ["count", 0, "0", "0"],
    ["total", { amount: 1234.5, currency: "EUR" }, "€1,234.50", "1 234,50 €"],
    ["total", { amount: "-12", currency: "GBP" }, "-£12.00", "-12,00 £GB"],
    ["total", { amount: "1234.5", currency: "JPY" }, "JP¥1,235", "1 235 JPY"],
    ["paid_at", "2026-11-27", "27 November 2026", "27 novembre 2026"],
    ["paid_at", "2024-02-29", "29 February 2024", "29 février 2024"],
    ["paid_at", "2026-11-27T23:30:00Z", "27 November 2026 at 23:30 UTC", "28 novembre 2026 à 00:30 UTC+1"],
    ["paid_at", "2026-07-01T10:00:00.123+02:00", "1 July 2026 at 08:00 UTC", "1er juillet 2026 à 10:00 UTC+2"],
    ["paid_at", "2026-11-27T23:30", "27 November 2026 at 23:30 UTC", "28 novembre 2026 à 00:30 UTC+1"],
    ["is_gift", true, "Yes", "Oui"],
    ["is_gift", false, "No", "Non"],
    ["name", 7, "7", "7"],
  ])("formats %s %j in the language and time zone of the mail", (token, value, en, fr) => {
    expect(plain(resolve({ [token]: value })[token])).toBe(en);
    expect(plain(resolve({ [token]: value }, french)[token])).toBe(fr);
  });

  it.each<[string, unknown]>([
    ["count", "1,5"],
    ["count", "1e3"],
    ["count", 1e15],
    ["count", true],
    ["total", 5],
    ["total", { amount: 5 }],
    ["total", { amount: 5, currency: "eur" }],
    ["total", { amount: 5, currency: "XQQ" }],
    ["total", { amount: "5,00", currency: "EUR" }],
    ["paid_at", "27.11.2026"],
    ["paid_at", "2026-02-30"],
    ["paid_at", "2026-11-27T24:00Z"],
    ["paid_at", 1_795_000_000],
    ["is_gift", "true"],
    ["is_gift", 1],
    ["name", { first: "Mina" }],
    ["name", ["Mina"]],
    ["items", { 0: { name: "Pen" } }],
    ["items", "Pen"],
  ])("rejects %s %j", (token, value) => {
    const fields = { [`variables.${token}`]: ["invalid"] };
    expect(problemOf(() => resolve({ [token]: value }))).toEqual({ code: "validation_failed", fields });
  });

  it("formats the fields of lists, and drops undeclared fields, empty values and empty lists", () => {
    const items = [
      { name: "Pen", price: { amount: 2, currency: "EUR" }, colour: "red" },
      { name: "Ink", price: null },
    ];
    expect(resolve({ items, total: "", other: 1 })).toEqual({
      company_name: "Shop",
      items: [{ name: "Pen", price: "€2.00" }, { name: "Ink" }],
    });
    expect(resolve({ items: [] })).toEqual({ company_name: "Shop" });
  });

  it("names every wrong value of a list, and allows 100 items", () => {
    const items = [{ name: "Pen", price: 2 }, "Ink", { name: {} }];
    expect(problemOf(() => resolve({ items, count: "x" })).fields).toEqual({
      "variables.count": ["invalid"],
      "variables.items.0.price": ["invalid"],
      "variables.items.1": ["invalid"],
      "variables.items.2.name": ["invalid"],
    });
    const itemsOf = (length: number) => ({ items: Array.from({ length }, () => ({ name: "x" })) });
    expect(resolve(itemsOf(100)).items).toHaveLength(100);
    expect(problemOf(() => resolve(itemsOf(101))).fields).toEqual({ "variables.items": ["too_many"] });
  });

  it("checks required fields and URLs of each item, and control characters only in the subject", () => {
    const check = (input: object) => checkVariables(event, resolve(input), settings);
    expect(() => check({ items: [{ name: "a\u0007b", link: "https://shop.test/" }] })).not.toThrow();
    expect(problemOf(() => check({ name: "a\u0007b" })).fields).toEqual({ "variables.name": ["invalid"] });
    expect(problemOf(() => check({ items: [{ name: "x" }, { link: "https://shop.test/" }] }))).toEqual({
      code: "validation_failed",
      fields: { "variables.items.1.name": ["required"] },
    });
    expect(problemOf(() => check({ items: [{ name: "x" }, { name: "y", link: "http://shop.test/" }] }))).toEqual({
      code: "variable_url_not_allowed",
      fields: { "variables.items.1.link": ["scheme_not_allowed"] },
    });
    expect(problemOf(() => check({ items: [{ name: "x", link: "tel:+33", image_url: "tel:+33" }] }))).toEqual({
      code: "variable_url_not_allowed",
      fields: { "variables.items.0.image_url": ["scheme_not_allowed"] },
    });
    expect(urlTokensOf(event)).toEqual(["items.link", "items.image_url"]);
  });

  it("are formatted once per language and time zone", () => {
    const valuesIn = variablesByFormat(event, { count: 1000 }, "Shop");
    expect(valuesIn({ ...english })).toBe(valuesIn({ ...english }));
    expect(plain(valuesIn(french).count)).toBe("1 000");
  });

  it("have formatted examples, and previews format given values and keep undeclared ones", () => {
    expect(exampleVariables(event, "en", [])).toEqual({
      company_name: "company_name",
      name: "name",
      count: "1,200.5",
      paid_at: "27 November 2026",
      total: "total",
      is_gift: "Yes",
      items: [{ name: "Pen", price: "€2.50" }],
    });
    const input = { count: 2000, other: [1, 2], company_name: "Other", total: null };
    expect(readPreviewVariables(event, input, english)).toEqual({
      count: "2,000",
      other: "1, 2",
      company_name: "Other",
      total: "",
    });
    expect(problemOf(() => readPreviewVariables(event, { items: 1 }, english)).fields).toEqual({
      "variables.items": ["invalid"],
    });
  });
});
