import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import { DESIGN_SETS } from "../../../workers/email/content/design-sets/sets";
import { type DocumentNode, stringAttribute } from "../../../workers/email/content/format/document";
import { composeDesign } from "../../../workers/email/content/library/default-content";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";
import { adaptedMail, defaultMails, designMail, SAMPLE_BRANDING } from "../../../workers/email/content/library/samples";
import { validateDocument } from "../../../workers/email/content/render/validation";
import { presetMails } from "../../../workers/email/intake/event-types/preset-samples";
import { contrast } from "../../../workers/kit/pages/brand-colours";
import { elementsOf, readMail, visibleTexts } from "../../support/email/mail-html";

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

function findLowContrast(html: string): string[] {
  return [false, true].flatMap((isDark) =>
    visibleTexts(html, isDark).flatMap(({ text, color, ground }) => {
      const ratio = contrast(color, ground);
      return ratio >= 4.5 ? [] : [`${isDark ? "dark" : "light"} ${text}: ${color} on ${ground}`];
    }),
  );
}

/** Events whose mails together contain each part that an event can add to a design. */
const CHECKED_EVENTS = [
  "identity.auth.magic_link.requested",
  "hosting.deployment.failed",
  "identity.membership.enabled",
];

it("finds five sets of eight designs in the library", () => {
  const service =
    "activation feature-announcement password-reset product-update subscription-confirmation subscription-update text-only welcome";
  const shop = "abandoned-cart activation newsletter order-confirmation order-shipping password-reset promo welcome";
  const keysInSet = (set: string) =>
    LIBRARY_DESIGNS.filter((design) => design.set === set)
      .map(({ key }) => key.slice(set.length + 1))
      .join(" ");
  expect(DESIGN_SETS.map(({ key, name }) => [key, name])).toEqual(
    ["barebone", "matte", "protocol", "arcane", "studio"].map((key) => [key, key[0]?.toUpperCase() + key.slice(1)]),
  );
  expect(DESIGN_SETS.map(({ key }) => keysInSet(key))).toEqual([service, service, service, shop, shop]);
  const names = LIBRARY_DESIGNS.filter(({ key }) => key.endsWith("order-shipping")).map(({ name }) => name);
  expect(names).toEqual(["Order shipping", "Order shipping"]);
});

it("finds no tokens in the head of a set, because editors show the head unchanged", () => {
  for (const { head, css } of DESIGN_SETS) {
    expect(head).not.toMatch(/\{\{|</);
    expect(css).toContain("{{ system.brand_color");
  }
});

/** Returns the types and classes of the blocks of a design in their order. */
const skeletonOf = (node: DocumentNode): string =>
  `${node.type}.${stringAttribute(node.attrs, "class")}(${(node.content ?? []).map(skeletonOf).join(" ")})`;

it("gives each design of a set its own structure", () => {
  for (const { key } of DESIGN_SETS) {
    const designs = LIBRARY_DESIGNS.filter(({ set }) => set === key);
    expect(new Set(designs.map(({ document }) => skeletonOf(document))).size, key).toBe(8);
  }
});

it("shows security mail without pictures, blocks of colour and short lines above the heading", () => {
  const designs = LIBRARY_DESIGNS.filter(({ key }) => /activation|password-reset/.test(key));
  expect(designs).toHaveLength(10);
  for (const { key, document } of designs) expect(skeletonOf(document), key).not.toMatch(/image|hero|eyebrow|on-dark/);
});

describe.each(LIBRARY_DESIGNS.map((design) => [design.key, design] as const))("%s", (key, design) => {
  const { html } = designMail(design);

  it("is a valid document", () => {
    expect(validateDocument(design.document, { debug: false, maxBytes: 524_288 })).toEqual({ ok: true });
  });

  it("is well-formed HTML of at most 60 KB with one h1, alt texts and presentation tables", () => {
    const elements = [...elementsOf(readMail(html))];
    expect(byteLength(composeDesign(design).html)).toBeLessThan(61_440);
    expect(elements.filter(({ tag }) => tag === "h1")).toHaveLength(1);
    const images = elements.filter(({ tag }) => tag === "img");
    expect(images.filter(({ attributes }) => (attributes.alt ?? "") === "")).toEqual([]);
    const tables = elements.filter(({ tag }) => tag === "table");
    expect(tables.filter(({ attributes }) => attributes.role !== "presentation")).toEqual([]);
  });

  it("has readable texts in light and dark mode", () => {
    expect(findLowContrast(html)).toEqual([]);
  });

  it.each(["#7a1fa2", "#000000", "#ffffff", "#ffe600", "#808080", "#00a3ff"])(
    "has readable texts with the company colour %s",
    (primary_color) => {
      expect(findLowContrast(designMail(design, { branding: { ...SAMPLE_BRANDING, primary_color } }).html)).toEqual([]);
    },
  );

  it("replaces its own accent colours with the company's colour", () => {
    const accents =
      /#(?:1b5e44|8fd3b2|1d4ed8|8cb4ff|b79cff|c3adff|ff7d5e|ff8c70|5a35b0|b23a1c|ff9d82|1f5bd8|8db4ff)\b/i;
    expect(designMail(design, { branding: SAMPLE_BRANDING }).html).not.toMatch(accents);
    expect(html).toMatch(accents);
  });

  it("contains only allowed tokens, an unsubscribe link, and a button unless the design is text-only", () => {
    const composed = composeDesign(design);
    const tokens = [
      ...`${design.subject}${design.preheader}${composed.html}${composed.text}`.matchAll(/\{\{ ([a-z_.]+)/g),
    ];
    const others = tokens.filter(([, name = ""]) => !/^(company_name|action_url|system\..*)$/.test(name));
    expect(others.map(([, name]) => name)).toEqual([]);
    expect(composed.html.includes('class="button-table"')).toBe(!key.endsWith(".text-only"));
    expect(composed.html).toContain('href="{{ system.unsubscribe_url }}"');
    // Every font has these characters: Latin letters, punctuation, the euro and the minus.
    expect(composed.text).not.toMatch(/[^\p{Cc} -~\u00a0-\u024f\u2010-\u2026\u20ac\u2212]/u);
    expect(composed.html).not.toMatch(/brand_color|logo_url|style="[^"]*\{\{/);
  });

  it("has a preheader of 40 to 100 characters, and no exclamation marks", () => {
    expect(design.preheader.length).toBeGreaterThanOrEqual(40);
    expect(design.preheader.length).toBeLessThanOrEqual(100);
    expect(`${design.subject}${design.preheader}${composeDesign(design).text}`).not.toContain("!");
  });

  it("adapts to every event without its sample content", () => {
    for (const event of CATALOG_EVENTS) {
      for (const language of ["en", "fr"] as const) {
        const mail = adaptedMail(design, event, language);
        if (CHECKED_EVENTS.includes(event.event_type)) expect(findLowContrast(mail.html), event.event_type).toEqual([]);
        expect(mail.html).not.toMatch(/Linen|EARLY20|first story|first thing|Tracking|Parcel post/);
        for (const { token, type, required } of event.variables) {
          if (type === "url" && required)
            expect(mail.html, token).toMatch(/<a href="https:[^"]*" class="button-label"/);
          if (token === "sign_in_code") expect(mail.html).toContain(">BCDF-2345<");
        }
      }
    }
  });
});

it("contains no English in the sample values of French mails", () => {
  const french = defaultMails().filter(({ language }) => language === "fr");
  expect(french.filter(({ text }) => / (?:days|on Windows|November)\b/.test(text)).map(({ name }) => name)).toEqual([]);
});

it("shows the items and totals of orders and invoices, and has readable presets in every design set", () => {
  const mails = presetMails();
  expect(new Set(mails.map(({ name }) => name.split(" ")[1]?.split(".")[0])).size).toBe(5);
  for (const { name, language, html, text } of mails) {
    if (language === "en") expect(findLowContrast(html), name).toEqual([]);
    if (name.startsWith("order.placed")) {
      expect(text).toMatch(
        /\n\nCarafe Lumi.{1,3}(?:€36\.00|36,00\s€)\n(?:Model|Modèle).{1,3}1 L\n(?:Quantity|Quantité).{1,3}1\n\nMug/,
      );
      expect(html.match(/<img src="[^"]*" alt="[^"]*"/g), name).toEqual([
        '<img src="https://shop.example.com/pictures/carafe.png" alt=""',
      ]);
      expect(text).toMatch(/Mug Oslo[\s\S]*(?:€48\.00|48,00\s€)[\s\S]*Total.{1,3}(?:€88\.50|88,50\s€)/);
    }
    if (name.startsWith("newsletter.published")) expect(text).toMatch(/(?:A longer|Une) .*: https:.*\n\n(?:We|Nous)/);
    if (name.startsWith("invoice.issued")) expect(text).toMatch(/(?:VAT|TVA).*\nTotal.{1,3}(?:€254\.40|254,40\s€)/);
  }
});

describe("default mails", () => {
  it.each(defaultMails({ branding: SAMPLE_BRANDING }).map((mail) => [`${mail.name} ${mail.language}`, mail] as const))(
    "%s has readable texts with a company's colour",
    (_name, { html }) => {
      expect(findLowContrast(html)).toEqual([]);
    },
  );
});
