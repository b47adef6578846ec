import { describe, expect, it } from "vitest";
import { CATALOG_EVENTS, type CatalogEvent } from "../../../schemas/email/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../schemas/email/catalog-texts";
import { exampleValue } from "../../../workers/email/content/catalog";
import { composeDefaultContent, composeDesign } from "../../../workers/email/library/default-content";
import { LIBRARY_DESIGNS } from "../../../workers/email/library/designs/designs";
import { DESIGN_SETS } from "../../../workers/email/library/sets";
import { substitute } from "../../../workers/email/render/substitution";

const hosts = ["app.example.com"];
const system = {
  message_id: "msg_test",
  assets_url: "https://mail.test/static/library",
  unsubscribe_url: "https://mail.test/u/x",
};

function mail(event: CatalogEvent, language: EmailLanguage, variables: Record<string, string>) {
  const urlTokens = event.variables.filter(({ type }) => type === "url").map(({ token }) => token);
  const result = substitute(composeDefaultContent(event, language), variables, {
    authLane: event.lane_class === "auth",
    authLinkHosts: hosts,
    debug: false,
    system,
    urlTokens,
  });
  if ("error" in result) throw new Error(result.token);
  return result;
}

const examples = (event: CatalogEvent) =>
  Object.fromEntries(event.variables.map((variable) => [variable.token, exampleValue(variable, hosts)]));
const required = (event: CatalogEvent) =>
  Object.fromEntries(
    event.variables
      .filter((variable) => variable.required)
      .map((variable) => [variable.token, exampleValue(variable, hosts)]),
  );

const cases = CATALOG_EVENTS.flatMap((event) =>
  EMAIL_LANGUAGES.map((language) => [`${event.event_type} ${language}`, event, language] as const),
);

describe.each(cases)("default content of %s", (_name, event, language) => {
  it("leaves no mark or token, with all examples and with the required values alone", () => {
    for (const variables of [examples(event), required(event)]) {
      const { subject, html, text } = mail(event, language, variables);
      const body = html.slice(html.indexOf("<body"));
      expect(`${subject}${body}${text}`).not.toMatch(/[{}]|undefined|[^\P{Cc}\n]/u);
      expect(html).not.toMatch(/\{\{|\{#/);
      expect(html).not.toMatch(/href=""/);
    }
  });

  it("has one h1 with the subject, presentation tables, the language, and stays below 12 KB", () => {
    const { html, subject } = mail(event, language, examples(event));
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toContain(`>${subject}</h1>`);
    expect(html).toContain(`<html lang="${language}" dir="ltr"`);
    expect((html.match(/<table(?![^>]*role="presentation")/g) ?? []).length).toBe(0);
    expect(new TextEncoder().encode(html).length).toBeLessThan(12_288);
  });

  it("names each variable with a value in both parts, and wraps the text", () => {
    const { html, text } = mail(event, language, examples(event));
    for (const [token, value] of Object.entries(examples(event))) {
      expect(text.replace(/\s+/g, " "), token).toContain(value);
      expect(html, token).toContain(value.replaceAll("&", "&amp;"));
    }
    const long = text.split("\n").filter((line) => line.length > 78);
    expect(long.every((line) => line.includes("https://"))).toBe(true);
  });

  it("links to every URL variable that has a value, to unsubscribe off the auth lane, and to nothing else", () => {
    const targets = [...composeDefaultContent(event, language).html.matchAll(/<a href="([^"]*)"/g)].map(
      ([, href]) => href,
    );
    const urls = event.variables.filter(({ type }) => type === "url");
    const expected = urls.map(({ token }) => `{{ ${token} }}`);
    if (event.lane_class !== "auth") expected.push("{{ system.unsubscribe_url }}");
    expect(new Set(targets)).toEqual(new Set(expected));
    const full = mail(event, language, examples(event));
    const least = mail(event, language, required(event));
    for (const { token, required: isRequired } of urls) {
      const value = examples(event)[token] ?? "";
      expect(full.html).toContain(`<a href="${value.replaceAll("&", "&amp;")}"`);
      expect(full.text.replace(/\s+/g, " ")).toContain(`: ${value}`);
      if (!isRequired) expect(least.html + least.text).not.toContain(value);
    }
  });
});

describe("sign-in mail", () => {
  const event = CATALOG_EVENTS.find(({ default_ttl_seconds }) => default_ttl_seconds === 120);
  if (event === undefined) throw new Error("no magic link event");

  it("shows button, bare link, code and lifetime, and leaves out what has no value", () => {
    const full = mail(event, "en", examples(event));
    expect(full.html).toContain(">Sign in</a>");
    expect(full.html).toContain(">https://app.example.com/api/v1/magic-link/verify?token=example&amp;company_id=1</a>");
    expect(full.html).toContain(">BCDF-2345</p>");
    expect(full.text).toContain("ends 30 minutes after you asked for it.");
    const least = mail(event, "en", required(event));
    expect(least.html).not.toMatch(/type this code|works once/);
    expect(least.text).not.toMatch(/type this code|works once|Name:/);
  });

  it("refuses to be made with a link outside the listed hosts", () => {
    const variables = { ...examples(event), magic_link_url: "https://evil.test/" };
    expect(() => mail(event, "en", variables)).toThrow("magic_link_url");
  });
});

describe("invitation mail", () => {
  const event = CATALOG_EVENTS.find(({ event_type }) => event_type === "identity.user.invited");
  if (event === undefined) throw new Error("no invitation event");

  it.each([
    ["en", ">Open the invitation</a>", "This invitation works for 14 days."],
    ["fr", ">Ouvrir l’invitation</a>", "Cette invitation est valable 14 days."],
  ] as const)(
    "shows button, bare link and lifetime in %s, and leaves out what has no value",
    (language, button, life) => {
      const full = mail(event, language, examples(event));
      expect(full.html).toContain(button);
      expect(full.html).toContain(">https://app.example.com/api/v1/invitations/open?token=example</a>");
      expect(full.text).toContain(life);
      expect(mail(event, language, required(event)).text).not.toContain(life.split(" 14")[0]);
    },
  );
});

function luminance(hex: string): number {
  const channel = (start: number) => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(DESIGN_SETS.map((set) => [set.key, set] as const))("set %s", (_key, set) => {
  const colourOf = (style: string, property: string) =>
    new RegExp(`(?:^|[;{])${property}:(#[0-9a-f]{6})`).exec(style)?.[1];
  const darkRule = (name: string) =>
    new RegExp(`(?:^|[},{])(?:[^{}]*,)?\\.${name}(?:,[^{}]*)?\\{([^}]*)\\}`).exec(
      set.head.slice(set.head.indexOf("prefers-color-scheme:dark")),
    )?.[1] ?? "";

  it("has a contrast of at least 4.5:1 in light mode", () => {
    const panel = colourOf(set.styles.panel ?? "", "background-color") ?? "";
    for (const kind of ["brand", "heading", "text", "line", "muted", "link", "item"]) {
      expect(contrast(colourOf(set.styles[kind] ?? "", "color") ?? "", panel), kind).toBeGreaterThanOrEqual(4.5);
    }
    const button = colourOf(set.styles.button ?? "", "background-color") ?? "";
    expect(contrast(colourOf(set.styles.buttonLabel ?? "", "color") ?? "", button)).toBeGreaterThanOrEqual(4.5);
    const code = set.styles.code ?? "";
    expect(contrast(colourOf(code, "color") ?? "", colourOf(code, "background-color") ?? "")).toBeGreaterThanOrEqual(
      4.5,
    );
  });

  it("has a contrast of at least 4.5:1 in dark mode", () => {
    const panel = colourOf(darkRule("panel"), "background-color") ?? "";
    for (const name of ["brand", "heading", "text", "line", "muted", "link", "item"]) {
      expect(contrast(colourOf(darkRule(name), "color") ?? "", panel), name).toBeGreaterThanOrEqual(4.5);
    }
    const button = colourOf(darkRule("button"), "background-color") ?? "";
    expect(contrast(colourOf(darkRule("button-label"), "color") ?? "", button)).toBeGreaterThanOrEqual(4.5);
  });
});

describe("built-in designs", () => {
  it.each(LIBRARY_DESIGNS.map((design) => [design.key, design] as const))(
    "%s uses only company_name, action_url and system tokens",
    (key, design) => {
      const { html, text } = composeDesign(design);
      const tokens = [...`${design.subject}${design.preheader}${html}${text}`.matchAll(/\{\{ ([a-z_.]+)/g)];
      const others = tokens
        .map(([, name]) => name)
        .filter((name) => !/^(company_name|action_url|system\..*)$/.test(name ?? ""));
      expect(others).toEqual([]);
      expect(html.includes('class="button-table"')).toBe(key !== "barebone.text-only");
      expect(html).toContain("{{ system.unsubscribe_url }}");
    },
  );
});
