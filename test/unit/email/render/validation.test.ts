import { describe, expect, it } from "vitest";
import { LIBRARY_DESIGNS } from "../../../../workers/email/content/library/designs/designs";
import { validateDocument } from "../../../../workers/email/content/render/validation";

const options = { debug: false, maxBytes: 524_288 };
const doc = (...content: unknown[]) => ({ type: "doc", content });
const text = (value: string, ...marks: unknown[]) => ({ type: "text", text: value, marks });
const paragraph = (...content: unknown[]) => ({ type: "paragraph", content });
const styled = (attrs: unknown) => ({ type: "paragraph", attrs, content: [] });
const link = (href: unknown) => doc(paragraph(text("x", { type: "link", attrs: { href } })));
const button = (href: string) => doc({ type: "button", attrs: { href }, content: [text("x")] });
const image = (attrs: unknown) => doc({ type: "image", attrs });

function nest(levels: number): unknown {
  let node: unknown = paragraph();
  for (let level = 2; level < levels; level += 1) node = { type: "div", content: [node] };
  return doc(node);
}

function check(document: unknown, overrides = {}) {
  const result = validateDocument(document, { ...options, ...overrides });
  return result.ok ? "ok" : result.code;
}

describe("document validation", () => {
  it.each([
    ["null", null],
    ["a list", []],
    ["another root", { type: "paragraph", content: [] }],
    ["content that is not a list", { type: "doc", content: {} }],
    ["a node that is text", doc("x")],
    ["a node without type", doc({})],
    ["a text that is a number", doc(paragraph({ type: "text", text: 1 }))],
    ["a text node without text", doc(paragraph({ type: "text" }))],
    ["attributes that are a list", doc(styled([]))],
    ["a mark without type", doc(paragraph(text("x", {})))],
    ["marks that are an object", doc(paragraph({ type: "text", text: "x", marks: {} }))],
  ])("rejects %s as an invalid document", (_description, document) => expect(check(document)).toBe("invalid"));

  it("rejects a document with too many bytes, levels or nodes, or hostile nesting, as too large", () => {
    expect(check(doc(paragraph(text("é".repeat(100)))), { maxBytes: 200 })).toBe("too_large");
    expect(check(nest(40))).toBe("ok");
    expect(check(nest(41))).toBe("too_large");
    expect(check(doc(...Array.from({ length: 5000 }, () => paragraph())))).toBe("too_large");
    expect(check(nest(50_000))).toBe("too_large");
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(check(doc({ type: "globalContent", attrs: { data: { deep } } }))).toBe("too_large");
    expect(check({ ...doc(), other: deep })).toBe("too_large");
  });

  it.each(["{%", "%}", "{#", "#}"])("rejects the template tag %s anywhere", (tag) => {
    expect(check(doc(paragraph(text(tag))))).toBe("template_tags_forbidden");
    expect(check(doc(styled({ class: tag })))).toBe("template_tags_forbidden");
    expect(check(doc(), { subject: tag })).toBe("template_tags_forbidden");
    expect(check(doc(), { preheader: tag })).toBe("template_tags_forbidden");
  });

  it.each([
    ["an unknown node", doc({ type: "script" })],
    ["text among blocks", doc(text("x"))],
    ["a block inside a paragraph", doc(paragraph(paragraph()))],
    ["content of a leaf", doc({ type: "horizontalRule", content: [paragraph()] })],
    [
      "three columns with two",
      doc({ type: "threeColumns", content: [{ type: "columnsColumn" }, { type: "columnsColumn" }] }),
    ],
    ["a root inside the root", doc(doc())],
    ["a row outside a table", doc({ type: "tableRow" })],
  ])("rejects %s as a forbidden node", (_description, document) => expect(check(document)).toBe("node_not_allowed"));

  it("rejects unknown marks, a link inside a button and marks in code", () => {
    expect(check(doc(paragraph(text("x", { type: "blink" }))))).toBe("mark_not_allowed");
    const marked = text("x", { type: "link", attrs: { href: "https://a.test" } });
    expect(check(doc({ type: "button", content: [marked] }))).toBe("mark_not_allowed");
    expect(check(doc({ type: "codeBlock", content: [text("x", { type: "bold" })] }))).toBe("mark_not_allowed");
  });

  it.each([
    ["an event handler", doc(styled({ onclick: "x" }))],
    ["an inherited name", doc(styled({ constructor: "x" }))],
    ["attributes on a plain mark", doc(paragraph(text("x", { type: "bold", attrs: { style: "color:red" } })))],
    ["a script in a link", link("javascript:alert(1)")],
    ["a script in numeric entities", link("java&#115;cript:alert(1)")],
    ["a script in named entities", link("java&Tab;script&colon;alert(1)")],
    ["a script after control characters", link("java\u0000\nscript:alert(1)")],
    ["a script in a default", link('{{ a|default:"vbscript:x" }}')],
    ["a script deep in data", doc({ type: "globalContent", attrs: { data: { a: [{ b: "data:text/html,x" }] } } })],
    ["an expression", doc(styled({ style: "width: expression(1)" }))],
    ["a style with an address", doc(styled({ style: "background-color: url(https://a.test)" }))],
    ["a style with an escape", doc(styled({ style: "color: r\\65 d" }))],
    ["a style with a comment", doc(styled({ style: "color: re/**/d" }))],
    ["a style of more than 4096 characters", doc(styled({ style: "color:#111111;".repeat(293) }))],
    ["a style with a tag", doc(styled({ style: "color:red</style><b>" }))],
    ["a token in a class", doc(styled({ class: "{{ a }}" }))],
    ["a token in a number", image({ width: "{{ a }}" })],
    ["a heading of level 7", doc({ type: "heading", attrs: { level: 7 } })],
    [
      "a wide cell",
      doc({ type: "table", content: [{ type: "tableRow", content: [{ type: "tableCell", attrs: { colspan: 21 } }] }] }),
    ],
    ["a link that is a number", link(1)],
    ["a condition that is not a token", doc(styled({ when: "a b" }))],
    ["a long text id", doc(styled({ textId: "x".repeat(65) }))],
    ["large data", doc({ type: "globalContent", attrs: { data: { a: "x".repeat(9000) } } })],
  ])("rejects %s as an unsafe attribute", (_description, document) => expect(check(document)).toBe("unsafe_attribute"));

  it.each([
    "ftp://a.test",
    "http://a.test",
    "//a.test",
    "/path",
    "#part",
    "http://localhost.evil.test",
    "x https://a.test",
  ])("rejects the target %s as an unsafe link", (href) => {
    expect(check(link(href), { debug: true })).toBe("unsafe_link");
    expect(check(button(href))).toBe("unsafe_link");
    expect(check(image({ src: "https://a.test/i.png", href }))).toBe("unsafe_link");
  });

  it("accepts links with a token, https, mailto or tel, and http on loopback in debug mode", () => {
    for (const href of ["{{ a }}", '{{ a|default:"b" }}/x', "https://a.test", "mailto:a@b.test", "tel:+1", "", "#"]) {
      expect(check(link(href))).toBe("ok");
    }
    expect(check(link("http://localhost:8787/"))).toBe("unsafe_link");
    expect(check(link("http://localhost:8787/"), { debug: true })).toBe("ok");
    expect(check(link("http://127.0.0.1"), { debug: true })).toBe("ok");
  });

  it("accepts images only over https", () => {
    expect(check(image({ src: "https://a.test/i.png" }))).toBe("ok");
    expect(check(image({ src: "" }))).toBe("ok");
    for (const src of [
      "http://a.test/i.png",
      "data:image/png;base64,x",
      "{{ a }}/i.png",
      "{{ system.assets_url }}/i.png",
    ]) {
      expect(check(image({ src }))).toBe("unsafe_image");
    }
  });

  it("returns the first failing check of a document with several faults", () => {
    const image = { type: "image", attrs: { src: "ftp://a.test" } };
    const ftp = paragraph(text("x", { type: "link", attrs: { href: "ftp://a.test" } }));
    const handler = styled({ onclick: "x" });
    const mark = paragraph(text("x", { type: "blink" }));
    const node = { type: "script" };
    const tag = paragraph(text("{%"));
    const faults = [image, ftp, handler, mark, node, tag];
    const codes = faults.map((_fault, index) => check(doc(...faults.slice(0, index + 1))));
    expect(codes).toEqual([
      "unsafe_image",
      "unsafe_link",
      "unsafe_attribute",
      "mark_not_allowed",
      "node_not_allowed",
      "template_tags_forbidden",
    ]);
    expect(check(doc(...faults), { maxBytes: 10 })).toBe("too_large");
    expect(check(doc(...faults, 1), { maxBytes: 10 })).toBe("invalid");
  });

  it("treats null attributes as absent and ignores unknown keys of nodes", () => {
    expect(check(doc({ ...styled({ onclick: null, style: null }), extra: 1 }))).toBe("ok");
  });

  it.each(LIBRARY_DESIGNS.map((design) => [design.key, design] as const))("accepts the built-in %s", (_key, design) => {
    expect(check(design.document, { subject: design.subject, preheader: design.preheader })).toBe("ok");
  });
});
