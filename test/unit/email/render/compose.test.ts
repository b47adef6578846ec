import { describe, expect, it } from "vitest";
import type { DocumentNode } from "../../../../workers/email/content/format/document";
import { composeDocument } from "../../../../workers/email/content/render/compose";
import { type MailContent, substitute } from "../../../../workers/email/content/tokens/substitution";
import { wrapText } from "../../../../workers/email/content/tokens/wrap";
import { cpuMsOf } from "../../../support/wall-clock";

const text = (value: string, ...marks: string[]): DocumentNode => ({
  type: "text",
  text: value,
  marks: marks.map((type) => ({ type })),
});
const block = (type: string, content: DocumentNode[], attrs = {}): DocumentNode => ({ type, attrs, content });
const paragraph = (value: string, attrs = {}) => block("paragraph", [text(value)], attrs);

function compose(content: DocumentNode[], overrides = {}) {
  const document = { type: "doc" as const, content };
  return composeDocument(document, { set: "barebone", language: "en", subject: "S", preheader: "P", ...overrides });
}

describe("composition", () => {
  it("writes language, direction, hidden preheader, title and the CSS of the set", () => {
    const { html } = compose([], { language: "fr", dir: "rtl", subject: "<Sujet>", preheader: "<P>" });
    expect(html).toMatch(/^<!doctype html>\n<html lang="fr" dir="rtl"/);
    expect(html).toContain("<title>&lt;Sujet&gt;</title>");
    expect(html).toMatch(/<div style="display:none[^"]*">&lt;P&gt;&#847;/);
    expect(html).toContain("@media (prefers-color-scheme:dark)");
    expect(html).toContain("@media (max-width:480px)");
  });

  it("escapes text, attributes and class names", () => {
    const { html } = compose([
      paragraph("<script>", { class: 'x"y ok', style: 'font-family: "A", serif', lang: "fr" }),
      { type: "image", attrs: { src: "https://a.test/i.png", alt: '"><b>' } },
    ]);
    expect(html).not.toMatch(/<script|"><b>/);
    expect(html).toContain('alt="&quot;&gt;&lt;b&gt;"');
    expect(html).toContain('class="text ok"');
    expect(html).toContain("font-family:&quot;A&quot;, serif");
  });

  it("removes styles outside the list, hidden display and tokens, and keeps other styles", () => {
    const style =
      "position:absolute; display:none; color:{{ a }}; background:red; COLOR: #123456; opacity:0; z-index:1";
    const { html } = compose([paragraph("x", { style })]);
    const [, written] = /<p[^>]* style="([^"]*)"/.exec(html) ?? [];
    expect(written).toContain("color:#123456");
    expect(written).not.toMatch(/position|display|background|opacity|z-index|\{\{/);
  });

  it("never writes target, rel, id or data-id", () => {
    const marks = [{ type: "link", attrs: { href: "https://a.test", target: "_blank", rel: "x", id: "i" } }];
    const { html } = compose([
      block("paragraph", [{ type: "text", text: "x", marks }], { id: "ident", "data-id": "ident" }),
    ]);
    expect(html).not.toMatch(/target=|rel=|ident/);
  });

  it("uses presentation tables of at most 600 px, including tables for Outlook", () => {
    const { html } = compose([
      block("container", [block("section", [paragraph("x")])], { width: 900 }),
      block("twoColumns", [block("columnsColumn", [paragraph("a")]), block("columnsColumn", [paragraph("b")])]),
    ]);
    expect(html).toContain("max-width:600px");
    expect(html).toMatch(/<!--\[if mso\]><table[^>]*width="600"/);
    const tables = html.match(/<table[^>]*>/g) ?? [];
    expect(tables.every((table) => table.includes('role="presentation"'))).toBe(true);
  });

  it("writes a button with padding for Outlook, and none without a target", () => {
    const label = [text("Go")];
    const { html } = compose([block("button", label, { href: "https://a.test" }), block("button", label, {})]);
    expect(html.match(/>Go</g)).toHaveLength(1);
    expect(html).toMatch(
      /<td align="center" bgcolor="{{ system.brand_color|default:&quot;#1c1c1f&quot; }}" class="button" style="[^"]*mso-padding-alt:13px 26px/,
    );
  });

  it("writes the plain-text part: headings, lists, tables, rules, code, quotes and links", () => {
    const row = (...cells: string[]) =>
      block(
        "tableRow",
        cells.map((cell) => block("tableCell", [paragraph(cell)])),
      );
    const linked = { type: "text", text: "site", marks: [{ type: "link", attrs: { href: "https://a.test" } }] };
    const { text: plainText } = compose([
      block("heading", [text("Title", "bold")], { level: 1 }),
      block("paragraph", [text("a  b"), { type: "hardBreak" }, text("See the "), linked, text(".")]),
      block("bulletList", [
        block("listItem", [paragraph("one"), paragraph("more")]),
        block("listItem", [paragraph("two")]),
      ]),
      block("orderedList", [block("listItem", [paragraph("three")])], { start: 3 }),
      block("table", [row("k", "v"), row("k2", "v2")]),
      { type: "horizontalRule" },
      block("codeBlock", [text("x\n  y")]),
      block("blockquote", [paragraph("said")]),
      block("previewText", [text("hidden")]),
      paragraph("l1", { class: "line" }),
      paragraph("l2", { class: "line" }),
    ]);
    expect(plainText).toBe(
      [
        "Title",
        "a b\nSee the site: https://a.test.",
        "- one\n\n  more\n- two",
        "3. three",
        "k | v\nk2 | v2",
        "----------",
        "x\n  y",
        "> said",
        "l1\nl2",
      ].join("\n\n"),
    );
  });

  it("joins the text nodes of one link before its URL", () => {
    const mark = { type: "link", attrs: { href: "https://a.test" } };
    const pieces = ["the ", "site"].map((value) => ({ type: "text", text: value, marks: [mark] }));
    expect(compose([block("paragraph", pieces)]).text).toBe("the site: https://a.test");
  });

  it("preserves the space before the colon of a French link", () => {
    const button = block("button", [text("Ouvrir")], { href: "https://a.test" });
    const site = block("paragraph", [
      { type: "text", text: "le site", marks: [{ type: "link", attrs: { href: "https://b.test" } }] },
    ]);
    expect(compose([button, site], { language: "fr" }).text).toBe(
      "Ouvrir\u00a0: https://a.test\n\nle site\u00a0: https://b.test",
    );
  });

  it("never nests links, but uses the first of several link marks and the outer URL of an image in a link", () => {
    const link = (href: string) => ({ type: "link", attrs: { href } });
    const image = { type: "image", attrs: { src: "https://a.test/i.png", alt: "I", href: "https://b.test" } };
    const { html } = compose([
      block("paragraph", [{ type: "text", text: "x", marks: [link("https://a.test"), link("https://b.test")] }]),
      block("paragraph", [{ ...image, marks: [link("https://a.test")] }]),
      block("button", [image], { href: "https://a.test" }),
      block("paragraph", [image]),
    ]);
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "https://a.test",
      "https://a.test",
      "https://a.test",
      "https://b.test",
    ]);
  });

  it("uses the company's colour for a button unless the author set another colour", () => {
    const label = [text("Go")];
    const colored = { href: "https://a.test", style: "background-color:#ff0000" };
    const { html } = compose([block("button", label, { href: "https://a.test" }), block("button", label, colored)]);
    const body = html.slice(html.indexOf("<body"));
    expect(body.match(/background-color:\{\{ system\.brand_color\|default:&quot;#1c1c1f&quot; \}\}/g)).toHaveLength(1);
    expect(body).toMatch(/background-color:#ff0000[^"]*"><a [^>]*color:#ffffff/);
    const unbranded = compose([block("button", label, { href: "https://a.test" })], { isBranded: false }).html;
    expect(unbranded).not.toContain("{{");
  });

  it("omits a table in the HTML and the text part when the values of all its rows are missing", () => {
    const row = (token: string) =>
      block(
        "tableRow",
        [token, `{{ ${token} }}`].map((cell) => block("tableCell", [paragraph(cell)])),
        { when: token },
      );
    const table = block("table", [row("a"), row("b")], { class: "details" });
    const fill = (variables: Record<string, string>) => {
      const composed = { subject: "", ...compose([table, paragraph("after")]) };
      const system = { message_id: "m" };
      const options = { authLane: false, authLinkHosts: [], debug: false, urlTokens: [], system };
      return substitute(composed, variables, options) as MailContent;
    };
    expect(fill({ a: "1", b: "2" }).text).toBe("a: 1\nb: 2\n\nafter\n");
    expect(fill({ b: "2" }).text).toBe("b: 2\n\nafter\n");
    expect(fill({}).text).toBe("after\n");
    expect(fill({}).html).not.toContain('class="details"');
  });
});

describe("quotes and lists in the text part", () => {
  const nestIn = (type: string, times: number, node: DocumentNode): DocumentNode =>
    Array.from({ length: times }).reduce<DocumentNode>((inner) => block(type, [inner]), node);
  const composeWrappedText = (...content: DocumentNode[]) => wrapText(compose(content).text);

  it("prefix every line of their content, even when nested", () => {
    const code = block("codeBlock", [text("a\n\nb")]);
    const item = (...content: DocumentNode[]) => block("listItem", content);
    const list = block("bulletList", [item(paragraph("c"), code), item(block("blockquote", [paragraph("d"), code]))]);
    expect(
      composeWrappedText(block("blockquote", [paragraph("e"), list, block("blockquote", [code])]), paragraph("f")),
    ).toBe(
      [
        "> e",
        ">",
        "> - c",
        ">",
        ">   a",
        ">",
        ">   b",
        "> - > d",
        ">   >",
        ">   > a",
        ">   >",
        ">   > b",
        ">",
        "> > a",
        "> >",
        "> > b",
        "",
        "f",
        "",
      ].join("\n"),
    );
    const broken = block("paragraph", [text("a"), { type: "hardBreak" }, text("b"), { type: "hardBreak" }]);
    expect(composeWrappedText(block("blockquote", [broken, paragraph("c")]))).toBe("> a\n> b\n>\n> c\n");
    const row = block("tableRow", [block("tableCell", [block("blockquote", [code])]), block("tableCell", [broken])]);
    expect(composeWrappedText(block("blockquote", [block("table", [row, row])]))).toBe(
      "> > a > > b | a b\n> > a > > b | a b\n",
    );
  });

  it("are rejected quickly when a small document becomes a mail of more than 2 MB", () => {
    const lines = block("codeBlock", [text("\n".repeat(100_000))]);
    const expectTooLarge = () => expect(() => compose([nestIn("blockquote", 35, lines)])).toThrow("larger");
    expect(cpuMsOf(expectTooLarge) <= 200 || cpuMsOf(expectTooLarge) <= 200).toBe(true);
    expect(compose([nestIn("blockquote", 5, lines)]).text.length).toBeGreaterThan(1_000_000);
  });

  it("take linear time in a table cell", () => {
    const cell = block("tableCell", [block("codeBlock", [text(`a${" ".repeat(60_000)}b`)])]);
    const composed = () => void compose([block("table", [block("tableRow", [cell])])]);
    expect(cpuMsOf(composed) <= 200 || cpuMsOf(composed) <= 200).toBe(true);
  });
});

describe("text wrapping", () => {
  it("indents list items under their text and collapses empty lines", () => {
    const wrapped = wrapText(`- ${"word ".repeat(20)}\n\n\n\nend`);
    expect(wrapped).toMatch(/^- word[\s\S]*\n {2}word/);
    expect(wrapped).toMatch(/word\n\nend\n$/);
  });
});
