import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS, type CatalogEvent, findEvent } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { exampleValue } from "../../../../workers/email/content/catalog/catalog";
import { composeDefaultContent } from "../../../../workers/email/content/library/default-content";
import { fillMail, SAMPLE_BRANDING } from "../../../../workers/email/content/library/samples";
import { eventTexts } from "../../../../workers/email/content/library/texts/events";
import { elementsOf, readMail, visibleTexts } from "../../../support/email/mail-html";

const hosts = ["app.example.com"];

const examples = (event: CatalogEvent) =>
  Object.fromEntries(event.variables.map((variable) => [variable.token, exampleValue(variable, hosts)]));
const required = (event: CatalogEvent) =>
  Object.fromEntries(Object.entries(examples(event)).filter(([token]) => isRequired(event, token)));
const isRequired = (event: CatalogEvent, name: string) =>
  event.variables.some(({ token, required }) => token === name && required);

function mail(event: CatalogEvent, language: EmailLanguage, variables: Record<string, string> = examples(event)) {
  return fillMail(composeDefaultContent(event, language), event, language, { variables });
}

function mailFor(type: string, language: EmailLanguage = "en", overrides: Record<string, string> = {}) {
  const event = findEvent(type);
  if (event === undefined) throw new Error(`no event ${type}`);
  return mail(event, language, { ...examples(event), ...overrides });
}

const visibleText = (html: string): string =>
  visibleTexts(html, false)
    .map(({ text }) => text)
    .join("\n");

/** Tokens with machine-readable values that a mail replaces with words or omits. */
const WORDED_TOKENS = [
  "actor_kind",
  "thread_id",
  "used_bytes",
  "country_code",
  "max_bytes",
  "change",
  "changed_fields",
  "mime_type",
  "operation",
  "source",
];
const cases = CATALOG_EVENTS.flatMap((event) =>
  EMAIL_LANGUAGES.map((language) => [`${event.event_type} ${language}`, event, language] as const),
);

describe.each(cases)("default content of %s", (_name, event, language) => {
  it("contains no block marker or token, with all examples and with only the required values", () => {
    for (const variables of [examples(event), required(event)]) {
      const { subject, html, text } = mail(event, language, variables);
      const body = html.slice(html.indexOf("<body"));
      expect(`${subject}${body}${text}`).not.toMatch(/[{}]|undefined|[^\P{Cc}\n]/u);
      expect(html).not.toMatch(/\{\{|\{#/);
      expect(html).not.toMatch(/href=""/);
      expect(visibleText(html)).not.toMatch(/ {2}|\(\)| [.,]/);
    }
  });

  it("has one h1 with the subject, presentation tables, the language, and fewer than 16 KB", () => {
    const { html, subject } = mail(event, language);
    const elements = [...elementsOf(readMail(html))];
    const headings = elements.filter(({ tag }) => tag === "h1").map(({ children }) => children);
    expect(headings.flat().map((text) => String(text).replaceAll("\u00a0", " "))).toEqual([
      subject.replaceAll("\u00a0", " "),
    ]);
    expect(html).toContain(`<html lang="${language}" dir="ltr"`);
    const tables = elements.filter(({ tag }) => tag === "table");
    expect(tables.filter(({ attributes }) => attributes.role !== "presentation")).toEqual([]);
    expect(new TextEncoder().encode(html).length).toBeLessThan(16_384);
  });

  it("contains each value in HTML and text, replaces machine-readable values with words, and wraps the text", () => {
    const { html, text } = mail(event, language);
    const line = text.replace(/\s+/g, " ");
    for (const [token, value] of Object.entries(examples(event))) {
      // Mails omit the recipient's own address and the technical names of an app, and show a label instead of the name of the
      // company's bucket.
      if (["recipient_email", "bucket_name", "name", "slug"].includes(token)) continue;
      if (WORDED_TOKENS.includes(token)) {
        expect(line, token).not.toContain(value);
        expect(visibleText(html), token).not.toContain(value);
      } else {
        expect(line, token).toContain(value.replace(/\s+/g, " "));
        expect(html, token).toContain(value.replaceAll("&", "&amp;"));
      }
    }
    // A button and a coloured label mean nothing in a text.
    expect(line).not.toMatch(/button|bouton/i);
    const state = eventTexts(event).state?.[language];
    if (state !== undefined) expect(text.split("\n")).not.toContain(state);
    const long = text.split("\n").filter((row) => row.length > 78);
    expect(long.every((row) => row.includes("https://"))).toBe(true);
  });

  it("names the company at most three times, and never as a row of the details", () => {
    const texts = visibleText(mail(event, language).html);
    expect(texts.split("Aster Labs").length - 1).toBeLessThanOrEqual(3);
    expect(texts).not.toMatch(/^(?:Company|Entreprise)$/m);
  });

  it("explains why it was sent, that replies are not read, and how to stop it unless it is sign-in mail", () => {
    const { html, text } = mail(event, language);
    const isFrench = language === "fr";
    expect(text).toMatch(isFrench ? /Vous recevez cet e-mail parce qu/ : /You get this email because /);
    expect(text).toContain(
      isFrench ? "Les réponses à cet e-mail ne sont pas lues." : "Replies to this email are not read.",
    );
    const stop = isFrench ? "Ne plus recevoir ces notifications" : "Unsubscribe from Aster Labs notifications";
    expect(visibleText(html).includes(stop)).toBe(event.lane_class !== "auth");
  });

  it("links only to URL variables with a value and to the unsubscribe page when there is one", () => {
    const targets = [...composeDefaultContent(event, language).html.matchAll(/<a href="([^"]*)"/g)].map(
      ([, href]) => href,
    );
    const urls = event.variables.filter((variable) => variable.type === "url" && !variable.is_earlier_name);
    const expected = urls.map(({ token }) => `{{ ${token} }}`);
    if (event.lane_class !== "auth") expected.push("{{ system.unsubscribe_url }}");
    expect(new Set(targets)).toEqual(new Set(expected));
    const fullMail = mail(event, language);
    const minimalMail = mail(event, language, required(event));
    for (const { token, required: isNeeded } of urls) {
      const value = examples(event)[token] ?? "";
      expect(fullMail.html).toContain(`<a href="${value.replaceAll("&", "&amp;")}" class="button-label"`);
      expect(fullMail.text.replace(/\s+/g, " ")).toContain(`: ${value}`);
      if (!isNeeded) expect(minimalMail.html + minimalMail.text).not.toContain(value);
    }
  });

  it("contains the company's colour, address and footer only if the company has a branding", () => {
    const content = composeDefaultContent(event, language);
    const monogram = /class="monogram" style="[^"]*background-color:#7a1fa2;[^"]*">A<\/span>/;
    const { html, text } = fillMail(content, event, language, { branding: SAMPLE_BRANDING });
    expect(html).toMatch(monogram);
    const logo_url = "https://cdn.aster.example/logo.png";
    const withLogo = fillMail(content, event, language, { branding: { ...SAMPLE_BRANDING, logo_url } });
    expect(withLogo.html).toContain('<img src="https://cdn.aster.example/logo.png" alt="Aster Labs"');
    expect(withLogo.html).not.toMatch(/class="monogram"|logo-dark"/);
    expect(text).toContain("8 rue des Lilas, 69001 Lyon");
    expect(text).toContain("help@aster.example");
    const plain = fillMail(content, event, language);
    expect(plain.html).not.toMatch(/<img|#7a1fa2|Lilas/);
  });
});

describe("sign-in mail", () => {
  const event = findEvent("identity.auth.magic_link.requested");
  if (event === undefined) throw new Error("no magic link event");

  it("shows greeting, button, code, requesting device, and the plain URL last", () => {
    const { html, text } = mail(event, "en");
    const order = [
      "Hi Mina,",
      "You need no password. The page that opens asks you to\u00a0confirm.",
      "Sign in",
      "BCDF-2345",
      "Valid once, for 30 minutes after your request.",
      "Chrome on Windows",
      "France",
      "22 November 2026 at 16:05\u00a0UTC",
      "https://app.example.com/api/v1/magic-link/verify?token=example&company_id=1",
    ];
    const positions = order.map((part) => visibleText(html).split("\n").lastIndexOf(part));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(text).toContain(
      "Requested from: Chrome on Windows\nCountry: France\nTime: 22 November 2026 at 16:05\u00a0UTC",
    );
  });

  it.each(["en", "fr"] as const)("shows the code above the URL in the text part in %s", (language) => {
    const { text } = mail(event, language);
    const lines = text.split("\n").filter((line) => line !== "");
    const code = lines.indexOf("BCDF-2345");
    expect(lines[code - 1]).toMatch(/^Code /);
    expect(lines[code + 1]).toMatch(/^(Sign in|Se connecter)/);
    expect(lines[code + 2]).toMatch(/^https:/);
    expect(lines.filter((line) => line.includes("https:"))).toHaveLength(1);
  });

  it("omits parts without a value", () => {
    const { html, text } = mail(event, "en", required(event));
    expect(visibleText(html) + text).not.toMatch(/BCDF|Code for|Valid once|Requested from|Country|Hi /);
    expect(html).not.toContain('class="details"');
  });

  it("fails for a link outside the allowed hosts", () => {
    expect(() => mailFor(event.event_type, "en", { magic_link_url: "https://evil.test/" })).toThrow("magic_link_url");
  });
});

describe("invitation mail", () => {
  it.each([
    ["en", "Open the invitation", "This invitation works for 14 days."],
    ["fr", "Ouvrir l’invitation", "Cette invitation est valable 14 days."],
  ] as const)("shows button, plain URL and lifetime in %s", (language, button, lifetime) => {
    const { html } = mailFor("identity.user.invited", language);
    expect(visibleText(html).split("\n")).toEqual(
      expect.arrayContaining([button, lifetime, "https://app.example.com/api/v1/invitations/open?token=example"]),
    );
  });
});

describe("deployment mail", () => {
  it.each([
    ["en", "Failed", "could not be unpacked"],
    ["fr", "Échec", "n’a pas pu être décompressée"],
  ] as const)(
    "marks a failure in %s, explains the reason in words, and contains the error code",
    (language, word, reason) => {
      const { html } = mailFor("hosting.deployment.failed", language);
      expect(html).toMatch(
        new RegExp(`class="text status failure html-only" style="[^"]*color:#a1201a[^"]*">${word}</p>`),
      );
      expect(visibleText(html)).toContain(reason);
      expect(visibleText(html)).toContain("artifact_extract_failed");
    },
  );

  it("refers to the error code when the reason is unknown", () => {
    const { html } = mailFor("hosting.deployment.failed", "en", { error: "quota_exceeded" });
    expect(visibleText(html)).toContain("The code below names the reason.");
    expect(visibleText(html)).toContain("quota_exceeded");
  });

  it("marks a success, and has no status when the deployment has only started", () => {
    expect(mailFor("hosting.deployment.succeeded").html).toContain('class="text status success html-only"');
    expect(mailFor("hosting.deployment.created").html).not.toContain('class="text status');
  });
});
