import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS } from "../../../schemas/email/content/catalog";
import { eventTypeInputSchema } from "../../../schemas/email/content/event-types";
import { PRESETS, type PresetName } from "../../../schemas/email/content/presets";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";
import { PRESETS_BY_NAME } from "../../../workers/email/content/presets/presets";
import { readNewEventType } from "../../../workers/email/intake/event-types/event-type-input";
import { presentPreset } from "../../../workers/email/intake/event-types/preset";
import { presetMails } from "../../../workers/email/intake/event-types/preset-samples";
import { readMail } from "../../support/email/mail-html";

const settings = { debug: false, maxDocumentBytes: 524_288 };
const inputOf = (preset: PresetName) => readNewEventType({ preset }, settings).input;

it("uses each built-in design in a preset or an event of the platform, and no other design", () => {
  const used = [
    ...CATALOG_EVENTS.map(({ default_template }) => default_template),
    ...PRESETS.flatMap((preset) => PRESETS_BY_NAME[preset].designs),
  ];
  expect([...new Set(used)].sort()).toEqual(LIBRARY_DESIGNS.map(({ key }) => key).sort());
});

it("sorts the presets by name, because pages end at a name", () => {
  expect([...PRESETS].sort()).toEqual(PRESETS);
  expect(Object.keys(PRESETS_BY_NAME).sort()).toEqual(PRESETS);
});

it("lists the items of orders, carts and invoices", () => {
  const withItems = PRESETS.filter((preset) => inputOf(preset).variables.some(({ token }) => token === "items"));
  expect(withItems).toEqual([
    ...["cart.abandoned", "invoice.issued"],
    ...["order.cancelled", "order.placed", "order.refunded", "order.shipped"],
  ]);
});

describe.each(PRESETS)("%s", (preset) => {
  it("is what its entry in the list creates as a type of a company's own, in both languages", () => {
    const { preset: _preset, suitable_templates, ...fields } = presentPreset(preset);
    expect(eventTypeInputSchema.safeParse(fields).success).toBe(true);
    expect(readNewEventType(fields, settings).input).toEqual(inputOf(preset));
    expect(suitable_templates[0]).toBe(fields.default_template);
    const { en, fr } = fields.texts;
    for (const name of ["subject", "preheader", "lead", "button", "footnote"] as const) {
      expect([name, en[name] === ""]).toEqual([name, fr[name] === ""]);
    }
    for (const { labels, fields: itemFields = [] } of fields.variables) {
      expect([labels, ...itemFields.map((field) => field.labels)].every(({ en, fr }) => en !== "" && fr !== "")).toBe(
        true,
      );
    }
    const written = (texts: object) => Object.values(texts).map((text) => String(text).replace(/\{\{.*?\}\}/g, "X"));
    expect([...written(en), ...written(fr)].filter((text) => /[!']/.test(text))).toEqual([]);
    expect(written(fr).filter((text) => /(?<!\u00a0)[?;:%]/.test(text))).toEqual([]);
  });
});

it("renders the mail of each preset in all its designs, without a token and with a short subject", () => {
  const mails = presetMails();
  const stop = /Unsubscribe from|Ne plus recevoir/;
  expect(mails.filter(({ text }) => stop.test(text)).length).toBeGreaterThan(20);
  expect(mails.length).toBe(2 * PRESETS.flatMap((preset) => PRESETS_BY_NAME[preset].designs).length);
  for (const { name, subject, html, text } of mails) {
    readMail(html);
    expect(`${subject}${text}`, name).not.toMatch(/\{\{|undefined|null|\[object/);
    expect(subject.length, name).toBeLessThanOrEqual(60);
    const isNecessary =
      /\.(?:activation|password-reset|subscription-confirmation|order-(?:confirmation|shipping))$/.test(name);
    if (isNecessary) expect(text, name).not.toMatch(stop);
  }
});
