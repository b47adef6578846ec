import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS, findEvent } from "../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../schemas/email/content/catalog-texts";
import { composeCustomTemplate, type DesignRow } from "../../../workers/email/authoring/templates/custom-template";
import { findAuthProblem } from "../../../workers/email/content/documents/auth-checks";
import { unknownTokensOf } from "../../../workers/email/content/documents/warnings";
import { adaptDesign } from "../../../workers/email/content/library/adaptation";
import { composeDefaultContent } from "../../../workers/email/content/library/default-content";
import { LIBRARY_DESIGNS } from "../../../workers/email/content/library/designs/designs";
import { eventTexts } from "../../../workers/email/content/library/texts/events";
import type { EmailServices } from "../../../workers/email/services";
import { sha256Hex } from "../../../workers/kit/crypto/hash";

const services = {
  settings: { authLinkHosts: ["id.example.com"] },
  clock: { now: () => 1000 },
} as unknown as Pick<EmailServices, "settings" | "clock">;

const designRow = (key: string): DesignRow => {
  const design = LIBRARY_DESIGNS.find((authCase) => authCase.key === key);
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

describe("custom template of a design", () => {
  it.each(cases)(
    "equals the default content of $event.event_type in $language for its default design",
    async (authCase) => {
      const { template, version } = await composeCustomTemplate(services, designRow(authCase.event.default_template), {
        ...authCase,
        companyId: 7,
        createdBy: null,
      });
      expect(template.template_key).toMatch(/^company\.[a-z0-9]{12}$/);
      expect(template).toMatchObject({ name: authCase.event.label, language: authCase.language, company_id: 7 });
      const { subject, html, text } = composeDefaultContent(authCase.event, authCase.language);
      expect(version.checksum).toBe(await sha256Hex([subject, html, text].join("\n")));
      expect(version.uses.hosts).toEqual([]);
    },
  );

  it.each(LIBRARY_DESIGNS)("has no unknown token with the design $key", ({ document }) => {
    const drafts = cases.map(({ event, language }) => ({
      event,
      draft: { ...event.suggested[language], document: adaptDesign(document, event, language, []) },
    }));
    expect(drafts.flatMap(({ event, draft }) => unknownTokensOf(event, draft))).toEqual([]);
  });

  const designs = [
    ...LIBRARY_DESIGNS.map(({ key }) => [key, designRow(key)] as const),
    ["a company's design with a paragraph", companyDesignRow(paragraph("Hello"))] as const,
    [
      "a company's design with a link to another host",
      companyDesignRow({ type: "button", attrs: { href: "https://shop.example.com" }, content: [] }),
    ] as const,
  ];
  const authCases = designs.flatMap(([name, design]) =>
    cases.filter(({ event }) => event.lane_class === "auth").map((authCase) => ({ name, design, ...authCase })),
  );

  it.each(authCases)("can be published without changes: $name for $event.event_type in $language", async (authCase) => {
    const { version } = await composeCustomTemplate(services, authCase.design, {
      ...authCase,
      companyId: 7,
      createdBy: 1,
    });
    const draft = { ...version, document: JSON.parse(version.document) };
    expect(findAuthProblem(authCase.event, draft, ["id.example.com"])).toBeNull();
    expect(version.text).toContain(`{{ ${authCase.event.link_token} }}`);
    const hasCode = authCase.event.variables.some(({ token }) => token === "sign_in_code");
    expect(version.text.includes("{{ sign_in_code }}")).toBe(hasCode);
  });

  it.each(authCases.filter(({ name }) => name.includes(".")))(
    "explains unrequested mails and shows its button's URL: $name for $event.event_type in $language",
    async (authCase) => {
      const { version } = await composeCustomTemplate(services, authCase.design, {
        ...authCase,
        companyId: 7,
        createdBy: 1,
      });
      const { footnote, button } = eventTexts(authCase.event)[authCase.language];
      expect(version.text.replace(/\s+/g, " ")).toContain(footnote?.replace(/\s+/g, " "));
      expect(button).toBeDefined();
      const address = `{{ ${authCase.event.link_token} }}`;
      expect(version.html.split(`>${address}</a>`)).toHaveLength(2);
      expect(version.html.indexOf(`>${address}</a>`)).toBeGreaterThan(version.html.indexOf('class="button-label"'));
    },
  );

  it("is rejected when a mail would exceed the size limit", async () => {
    const event = findEvent("identity.membership.enabled");
    if (event === undefined) throw new Error("no event");
    const composeWith = (count: number) => {
      const target = { companyId: 7, event, language: "en", createdBy: 1 } as const;
      return composeCustomTemplate(services, companyDesignRow(paragraph("{{app_url}} ".repeat(count))), target);
    };
    await expect(composeWith(43_000)).rejects.toMatchObject({
      options: { field_errors: { document: ["render_failed"] } },
    });
    await expect(composeWith(3000)).resolves.toBeDefined();
  });

  it("is rejected when the design's text is not allowed in sign-in mails", async () => {
    const event = findEvent("identity.user.invited");
    if (event === undefined) throw new Error("no event");
    const composeWith = composeCustomTemplate(services, companyDesignRow(paragraph("See www.example.com")), {
      event,
      language: "en",
      companyId: 7,
      createdBy: 1,
    });
    await expect(composeWith).rejects.toMatchObject({
      code: "auth_literal_link",
      options: { field_errors: { document: ["literal_url"] } },
    });
  });
});
