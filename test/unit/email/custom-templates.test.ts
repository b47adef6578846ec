import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS, findEvent } from "../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../schemas/email/content/catalog-texts";
import { composeCustomTemplate, type DesignRow } from "../../../workers/email/authoring/templates/custom-template";
import { findAuthProblem } from "../../../workers/email/content/documents/auth-checks";
import { composeDefaultContent } from "../../../workers/email/content/library/default-content";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";
import { eventTexts } from "../../../workers/email/content/library/texts/events";
import type { EmailServices } from "../../../workers/email/services";
import { sha256Hex } from "../../../workers/kit/crypto/hash";

const services = {
  settings: { authLinkHosts: ["id.example.com"] },
  clock: { now: () => 1000 },
} as unknown as Pick<EmailServices, "settings" | "clock">;

const rowOf = (key: string): DesignRow => {
  const design = LIBRARY_DESIGNS.find((one) => one.key === key);
  if (design === undefined) throw new Error(key);
  return { id: 1, key, set_key: design.set, company_id: null, document: JSON.stringify(design.document) };
};
const companyDesignRow = (...content: object[]): DesignRow => ({
  id: 2,
  key: "library.own",
  set_key: "",
  company_id: 7,
  document: JSON.stringify({ type: "doc", content }),
});
const paragraph = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] });

const cases = CATALOG_EVENTS.flatMap((event) => EMAIL_LANGUAGES.map((language) => ({ event, language })));

describe("a copy of a design", () => {
  it.each(cases)("of the default one of $event.event_type in $language is its default content", async (one) => {
    const { template, version } = await composeCustomTemplate(services, rowOf(one.event.default_template), {
      ...one,
      companyId: 7,
      createdBy: null,
    });
    expect(template.template_key).toMatch(/^company\.[a-z0-9]{12}$/);
    expect(template).toMatchObject({ name: one.event.label, language: one.language, company_id: 7 });
    const { subject, html, text } = composeDefaultContent(one.event, one.language);
    expect(version.checksum).toBe(await sha256Hex([subject, html, text].join("\n")));
    expect(version.uses.hosts).toEqual([]);
  });

  const designs = [
    ...LIBRARY_DESIGNS.map(({ key }) => [key, rowOf(key)] as const),
    ["a paragraph of a company's own", companyDesignRow(paragraph("Hello"))] as const,
    [
      "a link elsewhere",
      companyDesignRow({ type: "button", attrs: { href: "https://shop.example.com" }, content: [] }),
    ] as const,
  ];
  const authCases = designs.flatMap(([name, design]) =>
    cases.filter(({ event }) => event.lane_class === "auth").map((one) => ({ name, design, ...one })),
  );

  it.each(authCases)("$name made for $event.event_type in $language can be published at once", async (one) => {
    const { version } = await composeCustomTemplate(services, one.design, { ...one, companyId: 7, createdBy: 1 });
    const draft = { ...version, document: JSON.parse(version.document) };
    expect(findAuthProblem(one.event, draft, ["id.example.com"])).toBeNull();
    expect(version.text).toContain(`{{ ${one.event.link_token} }}`);
    const hasCode = one.event.variables.some(({ token }) => token === "sign_in_code");
    expect(version.text.includes("{{ sign_in_code }}")).toBe(hasCode);
  });

  it.each(authCases.filter(({ name }) => name.includes(".")))(
    "$name made for $event.event_type in $language says what to do if one did not ask for it, and where its button leads",
    async (one) => {
      const { version } = await composeCustomTemplate(services, one.design, { ...one, companyId: 7, createdBy: 1 });
      const { aside, button } = eventTexts(one.event.event_type)[one.language];
      expect(version.text.replace(/\s+/g, " ")).toContain(aside?.replace(/\s+/g, " "));
      expect(button).toBeDefined();
      const address = `{{ ${one.event.link_token} }}`;
      expect(version.html.split(`>${address}</a>`)).toHaveLength(2);
      expect(version.html.indexOf(`>${address}</a>`)).toBeGreaterThan(version.html.indexOf('class="button-label"'));
    },
  );

  it("is refused where its mails would be larger than one may be", async () => {
    const event = findEvent("identity.membership.enabled");
    if (event === undefined) throw new Error("no event");
    const made = (count: number) => {
      const target = { companyId: 7, event, language: "en", createdBy: 1 } as const;
      return composeCustomTemplate(services, companyDesignRow(paragraph("{{app_url}} ".repeat(count))), target);
    };
    await expect(made(43_000)).rejects.toMatchObject({ options: { field_errors: { document: ["render_failed"] } } });
    await expect(made(3000)).resolves.toBeDefined();
  });

  it("is refused where the words of the design would be no sign-in mail", async () => {
    const event = findEvent("identity.user.invited");
    if (event === undefined) throw new Error("no event");
    const made = composeCustomTemplate(services, companyDesignRow(paragraph("See www.example.com")), {
      event,
      language: "en",
      companyId: 7,
      createdBy: 1,
    });
    await expect(made).rejects.toMatchObject({
      code: "auth_literal_link",
      options: { field_errors: { document: ["literal_url"] } },
    });
  });
});
