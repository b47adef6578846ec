import { describe, expect, it } from "vitest";
import { brandTokens } from "../../../workers/email/content/branding/brand-tokens";
import { readBrandingChange } from "../../../workers/email/content/branding/branding-input";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";
import { designMail, SAMPLE_BRANDING } from "../../../workers/email/content/library/samples";
import { brandColours, contrast } from "../../../workers/kit/pages/brand-colours";
import type { Problem } from "../../../workers/kit/problem";

function readFieldErrors(body: Record<string, unknown>, debug = false): unknown {
  try {
    readBrandingChange(body, { debug });
    return null;
  } catch (error) {
    return (error as Problem).options.field_errors;
  }
}

describe("colours of a company", () => {
  const colours = ["#000000", "#ffffff", "#ffe600", "#777777", "#e9e9e9", "#0a5c45", "#ff5a3c", "#7c5cff", "#120d1f"];

  it.each(colours)("makes %s visible on light and dark panels, with readable text on top", (primary) => {
    const { color, text, colorDark, textDark, ink, inkDark } = brandColours(primary);
    expect(contrast(color, "#ffffff")).toBeGreaterThanOrEqual(3);
    expect(contrast(colorDark, "#131316")).toBeGreaterThanOrEqual(3);
    expect(contrast(color, text)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(colorDark, textDark)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ink, "#f5f2ec")).toBeGreaterThanOrEqual(4.5);
    expect(contrast(inkDark, "#26222f")).toBeGreaterThanOrEqual(4.5);
  });

  it("keeps a colour that has enough contrast", () => {
    expect(brandColours("#0a5c45")).toMatchObject({ color: "#0a5c45", text: "#ffffff" });
    expect(brandColours("#ffe600")).toMatchObject({ colorDark: "#ffe600", textDark: "#000000" });
  });

  it("returns no colour token for an invalid stored colour", () => {
    const tokens = brandTokens({ ...SAMPLE_BRANDING, social_links: {}, primary_color: "red;position:fixed" }, "en");
    expect(Object.keys(tokens).sort()).toEqual(["footer_text", "logo_dark_url", "logo_url", "postal_address"]);
    expect(brandTokens(null, "en")).toEqual({});
  });
});

it("omits a stored text that contains a link", () => {
  const stored = { ...SAMPLE_BRANDING, footer_text: "www.evil.test/login?@a", postal_address: "8 rue des Lilas" };
  expect(brandTokens(stored, "en")).toMatchObject({ footer_text: "", postal_address: "8 rue des Lilas" });
});

it("links to social networks that are set, in news and receipts but not in security mail and letters", () => {
  const linked = (branding: typeof SAMPLE_BRANDING) =>
    LIBRARY_DESIGNS.map((design) => designMail(design, { branding }))
      .filter(({ html }) => /href="https:\/\/www\.linkedin\.com\/company\/aster-labs"[^>]*>LinkedIn</.test(html))
      .map(({ name }) => name);
  const plain = /\.(?:activation|password-reset|subscription-confirmation|text-only)$/;
  const names = LIBRARY_DESIGNS.map(({ key }) => key).filter((key) => !plain.test(key));
  expect(linked(SAMPLE_BRANDING)).toEqual(names);
  const html = designMail(LIBRARY_DESIGNS[3] as (typeof LIBRARY_DESIGNS)[number], { branding: SAMPLE_BRANDING }).html;
  expect(html).not.toMatch(/TikTok|Bluesky/);
});

it("takes the footer of the language, else the one of all languages", () => {
  const stored = { ...SAMPLE_BRANDING, footer_text: "Questions?", footer_texts: { fr: "Une question ?" } };
  expect(brandTokens(stored, "fr").footer_text).toBe("Une question ?");
  expect(brandTokens(stored, "en").footer_text).toBe("Questions?");
});

describe("fields of a branding", () => {
  it("trims values, lower-cases the colour and clears fields that are null or missing", () => {
    const body = {
      primary_color: " #0A5C45 ",
      logo_url: "https://cdn.aster.example/Logo.png?v=2",
      postal_address: "Aster Labs, 8 rue des Lilas, 69001 Lyon",
      footer_text: "",
      footer_texts: { en: "", fr: " Une question ? " },
      other: 1,
    };
    expect(readBrandingChange(body, { debug: false })).toEqual({
      primary_color: "#0a5c45",
      logo_url: "https://cdn.aster.example/Logo.png?v=2",
      postal_address: "Aster Labs, 8 rue des Lilas, 69001 Lyon",
      logo_dark_url: null,
      footer_text: "",
      footer_texts: { en: null, fr: "Une question ?" },
      social_links: null,
    });
    expect(readBrandingChange({ footer_text: null }, { debug: false })).toEqual({
      primary_color: null,
      logo_url: null,
      logo_dark_url: null,
      postal_address: null,
      footer_text: null,
      footer_texts: null,
      social_links: null,
    });
  });

  it.each([
    [["https://github.com/aster"], { social_links: ["invalid"] }],
    [{ myspace: "https://myspace.com/aster" }, { social_links: ["invalid"] }],
    [
      {
        instagram: "https://instagram.com.evil.test/a",
        facebook: "http://www.facebook.com/aster",
        linkedin: "https://www.linkedin.com@evil.test/",
        x: `https://x.com/${"a".repeat(200)}`,
        github: "https://github.com/aster",
        youtube: "https://youtube.com:8443/a",
      },
      {
        "social_links.instagram": ["host_not_allowed"],
        "social_links.facebook": ["scheme_not_allowed"],
        "social_links.linkedin": ["invalid"],
        "social_links.x": ["too_long"],
        "social_links.youtube": ["host_not_allowed"],
      },
    ],
  ])("rejects the social links %j", (social_links, errors) => {
    expect(readFieldErrors({ social_links })).toEqual(errors);
  });

  it.each([
    ["text", { footer_texts: ["invalid"] }],
    [{ de: "Fragen?" }, { footer_texts: ["invalid"] }],
    [
      { en: 1, fr: "https://evil.test" },
      { "footer_texts.en": ["invalid"], "footer_texts.fr": ["literal_url"] },
    ],
  ])("rejects the footers %j", (footer_texts, errors) => {
    expect(readFieldErrors({ footer_texts })).toEqual(errors);
  });

  it.each([
    ["red", "invalid"],
    ["#12345", "invalid"],
    ["#1234567", "invalid"],
    ["#12345g", "invalid"],
    ["#123456;position:fixed", "invalid"],
    [{}, "invalid"],
    [1_193_046, "invalid"],
  ])("rejects the colour %j", (primary_color, code) => {
    expect(readFieldErrors({ primary_color })).toEqual({ primary_color: [code] });
  });

  it.each([
    ["http://cdn.aster.example/logo.png", "scheme_not_allowed"],
    ["http://localhost:8787/logo.png", "scheme_not_allowed"],
    ["javascript:alert(1)", "scheme_not_allowed"],
    ["data:image/png;base64,AAAA", "scheme_not_allowed"],
    ["mailto:a@example.com", "scheme_not_allowed"],
    ["//cdn.aster.example/logo.png", "scheme_not_allowed"],
    ["https://user@cdn.aster.example/logo.png", "invalid"],
    ["https://cdn.aster.example/a b.png", "invalid"],
    ['https://cdn.aster.example/"onerror=x', "scheme_not_allowed"],
    ["https://cdn.aster.example/{{ company_name }}", "scheme_not_allowed"],
    [`https://cdn.aster.example/${"x".repeat(2048)}`, "too_long"],
  ])("rejects the logo %s", (logo_url, code) => {
    expect(readFieldErrors({ logo_url })).toEqual({ logo_url: [code] });
  });

  it("accepts a logo on localhost in development", () => {
    expect(readFieldErrors({ logo_url: "http://localhost:8787/logo.png" }, true)).toBeNull();
  });

  it.each([
    ["two\nlines", "invalid"],
    ["turned \u202egnp.exe", "invalid"],
    ["hid\u200bden", "invalid"],
    ["{{ company_name }}", "template_tags_forbidden"],
    ["{% if %}", "template_tags_forbidden"],
    ["https://evil.test", "literal_url"],
    ["see www.evil.test", "literal_url"],
    ["see evil.test/now", "literal_url"],
    ["mailto:help@aster.example", "literal_url"],
    ["www.evil.test/login?@a", "literal_url"],
    ["ｗｗｗ.evil.test/login?@a.example", "literal_url"],
    ["evil.test/login/@a", "literal_url"],
    ["evil.test/login/@aster.example", "literal_url"],
    ["www.evil.test@aster.example", "literal_url"],
    ["evil.test@a", "literal_url"],
    ["//evil.test/help@aster.example", "literal_url"],
    ["help@evil.test/login", "literal_url"],
    ["help@evil.test?now", "literal_url"],
    ["T.co/login", "literal_url"],
    ["x".repeat(301), "too_long"],
  ])("rejects the footer %j", (footer_text, code) => {
    expect(readFieldErrors({ footer_text })).toEqual({ footer_text: [code] });
  });

  it.each([
    "Questions? Write to help@aster.example.",
    "+33 4 78 00 00 00",
    "SIRET 123 456 789 00012 · Lyon",
    "help@aster.example",
    "Aster Labs <help@aster.example>, or (for bills) pay+1@mail.aster.example!",
  ])("accepts the footer %s", (footer_text) => {
    expect(readFieldErrors({ footer_text })).toBeNull();
  });

  it("returns the errors of all fields together", () => {
    expect(readFieldErrors({ primary_color: "x", postal_address: "https://evil.test" })).toEqual({
      primary_color: ["invalid"],
      postal_address: ["literal_url"],
    });
  });
});
