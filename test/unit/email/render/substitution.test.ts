import { describe, expect, it } from "vitest";
import type { DocumentNode } from "../../../../workers/email/content/format/document";
import { composeDocument } from "../../../../workers/email/content/render/compose";
import { substitute } from "../../../../workers/email/content/tokens/substitution";
import { cpuMsOf } from "../../../support/wall-clock";

const system = {
  message_id: "msg_1",
  unsubscribe_url: "https://mail.test/u/token",
};
const options = { authLane: false, authLinkHosts: ["app.test"], debug: false, system, urlTokens: ["link_url"] };

const paragraph = (text: string, attrs = {}, marks: DocumentNode["marks"] = []): DocumentNode => ({
  type: "paragraph",
  attrs,
  content: [{ type: "text", text, marks }],
});
const link = (text: string, href: string) =>
  paragraph(text, {}, [{ type: "link", attrs: { href, title: "{{ name }}" } }]);
const button = (href: string): DocumentNode => ({
  type: "button",
  attrs: { href },
  content: [{ type: "text", text: "Open" }],
});

function render(nodes: DocumentNode[], variables: Record<string, string> = {}, overrides = {}, subject = "S") {
  const document = { type: "doc" as const, content: nodes };
  const parts = composeDocument(document, { set: "barebone", language: "en", subject, preheader: "" });
  const result = substitute({ subject, ...parts }, variables, { ...options, ...overrides });
  if ("error" in result) throw new Error(result.error);
  return { ...result, body: result.html.slice(result.html.indexOf("<body")) };
}

describe("substitution", () => {
  it("replaces tokens with their value, their default or nothing", () => {
    const nodes = [paragraph('[{{ name }}] [{{other|default:"you & me"}}] [{{ none }}]')];
    expect(render(nodes, { name: "Mina", other: "" }).text).toBe("[Mina] [you & me] []\n");
    expect(render(nodes, { name: "Mina" }).body).toContain("[Mina] [you &amp; me] []");
  });

  it("leaves malformed tokens as text", () => {
    const malformed = '{{ 1a }} {{ a|upper }} {{ a b }} {{ a|default:"x{{ y" }} {{';
    expect(render([paragraph(malformed)], { a: "A", y: "Y" }).text.trim()).toBe(malformed);
  });

  it("escapes values and defaults in content and attributes", () => {
    const hostile = `<img src=x onerror="a()">'&`;
    const { body } = render(
      [paragraph("{{ name }}"), paragraph(`{{ none|default:"<b>'" }}`), link("x", "https://a.test/?q={{ code }}")],
      { name: hostile, code: `1"onmouseover="x` },
    );
    expect(body).not.toContain("<img");
    expect(body).not.toContain("<b>");
    expect(body).not.toContain('onmouseover="x');
    expect(body).toContain("&lt;img src=x onerror=&quot;a()&quot;&gt;&#39;&amp;");
    expect(body).toContain("&lt;b&gt;&#39;");
  });

  it("does not substitute inside substituted values", () => {
    const value = '{{ secret }}{#end#}<!--{#end#}-->{{ none|default:"d" }}';
    const { text, body } = render([paragraph("{{ name }}", { when: "name" })], { name: value, secret: "LEAK" });
    expect(text.trim()).toBe(value);
    expect(body).not.toContain("LEAK");
    expect(body).toContain("{{ secret }}");
  });

  it("does not read block markers that adjacent text nodes form", () => {
    const pieces: DocumentNode = {
      type: "paragraph",
      content: ["\u0002", "when no\u0003", "kept", "\u0002end", "\u0003"].map((text) => ({ type: "text", text })),
    };
    const { text, body } = render([pieces, paragraph("<!--{when no}-->")]);
    expect(text).toContain("kept");
    expect(body).toContain("kept");
  });

  it("turns line breaks and control characters of the subject into spaces", () => {
    const { subject } = render([], { name: "a\r\nBcc: b@c.test\u0000\u2028x" }, {}, "Hi {{ name }}");
    expect(subject).toBe("Hi a Bcc: b@c.test x");
  });

  it("omits blocks whose `when` token is empty, including nested blocks, in the HTML and the text part", () => {
    const inner = paragraph("inner", { when: "b" });
    const nodes = [
      paragraph("first", { when: "a" }),
      { type: "section", attrs: { when: "a" }, content: [inner, paragraph("outer")] },
      paragraph("last"),
    ];
    expect(render(nodes, { a: "1" }).text).toBe("first\n\nouter\n\nlast\n");
    expect(render(nodes, { a: "1", b: "1" }).text).toBe("first\n\ninner\n\nouter\n\nlast\n");
    const without = render(nodes, { b: "1", a: "" });
    expect(without.text).toBe("last\n");
    expect(without.body).not.toMatch(/first|inner|outer|\{#/);
  });

  it("keeps only the text of a link whose URL is not allowed, and removes a button with such a URL", () => {
    const nodes = [link("Terms", "{{ terms }}"), button("{{ terms }}"), link("Site", "https://a.test")];
    const unsafe = render(nodes, { terms: "javascript:alert(1)" });
    expect(unsafe.body).not.toMatch(/javascript|>Open</);
    expect(unsafe.body).toContain(">Terms<");
    expect(unsafe.body.match(/<a /g)).toHaveLength(1);
    expect(unsafe.body.match(/<\/a>/g)).toHaveLength(1);
    expect(unsafe.text).toBe("Terms\n\nSite: https://a.test\n");
    expect(render(nodes, { terms: "{{ terms }}" }).body).not.toContain('href="{{');
    const safe = render(nodes, { terms: "https://t.test/?a=1&b=2", name: "N" });
    expect(safe.body).toContain('<a href="https://t.test/?a=1&amp;b=2" title="N"');
    expect(safe.text).toBe("Terms: https://t.test/?a=1&b=2\n\nOpen: https://t.test/?a=1&b=2\n\nSite: https://a.test\n");
  });

  it("fails the message when the URL in a declared variable is not allowed, even if the mail does not use it", () => {
    const content = { subject: "", html: "", text: "" };
    const error = { error: "variable_url_not_allowed", token: "link_url" };
    expect(substitute(content, { link_url: "ftp://a.test" }, options)).toEqual(error);
    expect(substitute(content, { link_url: "https://evil.test" }, { ...options, authLane: true })).toEqual(error);
    expect(substitute(content, { link_url: "" }, options)).not.toHaveProperty("error");
  });

  it("fills unsubscribe tokens except on the auth lane, and never lets variables replace system tokens", () => {
    const nodes = [paragraph("{{ system.message_id }} {{ system.unsubscribe_url }}")];
    const variables = { "system.message_id": "forged", "system.unsubscribe_url": "https://evil.test" };
    expect(render(nodes, variables).text).toBe("msg_1 https://mail.test/u/token\n");
    expect(render(nodes, variables, { authLane: true }).text).toBe("msg_1\n");
  });

  it("ignores inherited names", () => {
    expect(render([paragraph("[{{ constructor }}{{ toString }}]")]).text).toBe("[]\n");
  });

  it("wraps text at 78 columns without breaking URLs", () => {
    const url = `https://a.test/${"x".repeat(120)}`;
    const { text } = render([paragraph(`${"word ".repeat(40)}{{ name }} ${"end ".repeat(10)}`)], { name: url });
    const lines = text.split("\n");
    expect(lines).toContain(url);
    expect(lines.filter((line) => line !== url).every((line) => line.length <= 78)).toBe(true);
  });

  // An algorithm in quadratic time would exceed this limit of CPU time by far.
  it("substitutes long hostile texts in linear time", () => {
    const cpuMs = cpuMsOf(() => {
      for (const hostile of ["{{a".repeat(30_000), `{{a|default:"`.repeat(8000), `{{a${" ".repeat(90_000)}`]) {
        render([paragraph(hostile)], {}, {}, hostile);
      }
    });
    expect(cpuMs).toBeLessThan(2000);
  });
});

describe("size of a mail", () => {
  const repeated = (count: number) => Array.from({ length: count }, () => paragraph("{{ name }}"));

  it("is at most 2 MB of HTML and text, however often a value is repeated", () => {
    const name = "x".repeat(1000);
    expect(() => render(repeated(2400), { name })).toThrow("too_large");
    const { html, text } = render(repeated(900), { name });
    expect(html.length + text.length).toBeGreaterThan(1_800_000);
    expect(() => render(repeated(450), { name: "é".repeat(1000) })).not.toThrow();
    expect(() => render(repeated(900), { name: "é".repeat(1000) })).toThrow("too_large");
    expect(() => render(repeated(240), { name: "&".repeat(2000) })).toThrow("too_large");
  });

  it("is checked before the mail is composed", () => {
    const name = "<".repeat(8000);
    const targets = Array.from({ length: 20 }, () => link("x", `https://a.test/${"{{name}}".repeat(2500)}`));
    const tooLarge = () => expect(() => render(repeated(4900), { name })).toThrow("too_large");
    const unlinked = () => expect(render(targets, { name }).body).not.toContain("<a ");
    for (const work of [tooLarge, unlinked]) {
      const isFast = () => cpuMsOf(work) <= 500;
      expect(isFast() || isFast()).toBe(true);
    }
  });

  it("does not grow with the indentation of a long line", () => {
    const { text } = render([
      { type: "codeBlock", content: [{ type: "text", text: `x\n${" ".repeat(1000)}${"word ".repeat(1000)}` }] },
    ]);
    expect(text.length).toBeLessThan(15_000);
  });
});
