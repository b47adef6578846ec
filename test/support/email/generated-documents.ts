import fc from "fast-check";

/** Texts that try to inject markup, code or tokens into a mail. */
const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style><style>*{display:none}",
  "-->",
  "<!--{#end#}-->",
  "<!--{#when company_name#}-->",
  "]]>",
  "&lt;b&gt; &amp;#39;",
  "\u0002when company_name\u0003",
  "\u202egnp.exe\u202c",
  "javascript:alert(1)",
  "java&#115;cript:alert(1)",
  "data:text/html,<b>",
  "{{ company_name }}",
  '{{ company_name|default:"<b>you</b>" }}',
  '{{ missing|default:"\' x" }}',
  "{{ unclosed",
  "{{ {{ company_name }} }}",
  "{% tag %}",
  "plain words",
  "",
  "é\u00a0: 漢字 🎉",
];

const HREFS = [
  "https://example.com/a?b=1&c=2",
  'https://example.com/"onclick="x',
  "https://evil.test\\@example.com/",
  "mailto:mina@example.com",
  "tel:+33123456789",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "ftp://example.com",
  "//example.com",
  "#",
  "",
  "{{ action_url }}",
  "{{ company_name }}",
  "{{ action_url }}/{{ company_name }}",
  "{{ missing }}",
  "data:text/html,x",
  "vbscript:x",
];

const STYLES = [
  "color:#123456;font-size:14px",
  "color: red; position: fixed; top: 0",
  "background:url(https://example.com/x.png)",
  "background-color:#ffffff;display:none",
  "width:expression(alert(1))",
  "color:red\\; position:fixed",
  "font-family: \"A\", 'B'",
  "color:{{ company_name }}",
  "@import 'x'",
  "color:red/*x*/",
  "padding:1px;;:;x",
  "text-align:center;letter-spacing:1px",
];

const hostile = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme", maxLength: 20 }));
const href = fc.constantFrom(...HREFS);
const style = fc.constantFrom(...STYLES);
const size = fc.constantFrom(0, 1, 600, "50%", "12px", "auto", "x", -1, 100_000);

const value = fc.oneof(hostile, size, fc.boolean(), fc.constant(null));

/** Attributes, most of which are valid. */
const attributes = fc.record(
  {
    style,
    class: fc.constantFrom("muted", "brand", "code details", 'x"y', "{{ a }}", "button-label", "on-hero"),
    when: fc.constantFrom("company_name", "missing", "system.logo_url", "not a name"),
    align: fc.constantFrom("left", "center", "middle"),
    lang: fc.constantFrom("fr", "en-GB", '"x'),
    dir: fc.constantFrom("ltr", "rtl", "up"),
    textId: fc.constantFrom("lead", "heading", "x".repeat(80)),
    width: size,
    title: hostile,
    onclick: fc.constant("alert(1)"),
  },
  { requiredKeys: [] },
);

/** Valid attributes only, so that enough documents render. */
const validAttributes = fc.record(
  {
    style: fc.constantFrom(...STYLES.filter((text) => !/url|expression|[\\@*]/.test(text))),
    class: fc.constantFrom("muted", "brand", "code", 'x"y', "details", "panel", "on-hero"),
    when: fc.constantFrom("company_name", "missing", "system.logo_url"),
    align: fc.constantFrom("left", "center"),
    lang: fc.constantFrom("fr", "en-GB"),
  },
  { requiredKeys: [] },
);

const marks = (link: fc.Arbitrary<string>) =>
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constantFrom("bold", "italic", "underline", "strike", "code", "sup", "uppercase") }),
      fc.record({ type: fc.constant("link"), attrs: fc.record({ href: link }) }),
      fc.record({ type: fc.constant("preservedStyle"), attrs: fc.record({ style }) }),
    ),
    { maxLength: 2 },
  );

/** Link targets, most of which are valid. Only the link check rejects the others. */
const mostlyValidHref = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...HREFS.filter((text) => /^(?:https:|mailto:|tel:|\{\{|$)/.test(text))) },
  { weight: 1, arbitrary: fc.constantFrom("ftp://example.com", "//example.com") },
);
const mostlyValidSrc = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("https://example.com/i.png", "") },
  { weight: 1, arbitrary: fc.constantFrom("http://example.com/i.png", "{{ company_name }}/i.png") },
);
const noTags = (text: string) => !/\{%|%\}|\{#|#\}/.test(text);

/** Returns a generator of documents that mostly pass validation, with hostile texts wherever text is allowed. */
function mostlyValidDocuments(): fc.Arbitrary<unknown> {
  const harmlessTexts = hostile.filter(noTags);
  const text = fc.record({ type: fc.constant("text"), text: harmlessTexts, marks: marks(mostlyValidHref) });
  const inline = fc.array(
    fc.oneof(
      text,
      fc.constant({ type: "hardBreak" }),
      fc.record({
        type: fc.constant("image"),
        attrs: fc.record({
          src: mostlyValidSrc,
          alt: harmlessTexts.filter((alt) => !/script:|data:/i.test(alt)),
        }),
      }),
    ),
    { maxLength: 3 },
  );
  const plain = fc.array(fc.record({ type: fc.constant("text"), text: harmlessTexts }), { maxLength: 2 });
  return fc
    .letrec((recursive) => {
      const blocks = fc.array(recursive("block"), { maxLength: 3 });
      const column = fc.record({ type: fc.constant("columnsColumn"), attrs: validAttributes, content: blocks });
      const cell = fc.record({
        type: fc.constantFrom("tableCell", "tableHeader"),
        attrs: validAttributes,
        content: blocks,
      });
      const row = fc.record({
        type: fc.constant("tableRow"),
        attrs: validAttributes,
        content: fc.array(cell, { maxLength: 3 }),
      });
      const item = fc.record({ type: fc.constant("listItem"), attrs: validAttributes, content: blocks });
      return {
        block: fc.oneof(
          { depthSize: "small", withCrossShrink: true },
          fc.record({ type: fc.constant("paragraph"), attrs: validAttributes, content: inline }),
          fc.record({
            type: fc.constant("heading"),
            attrs: fc.record({ level: fc.integer({ min: 1, max: 6 }) }),
            content: inline,
          }),
          fc.record({ type: fc.constant("button"), attrs: fc.record({ href: mostlyValidHref }), content: plain }),
          fc.record({ type: fc.constant("codeBlock"), content: plain }),
          fc.constant({ type: "horizontalRule" }),
          fc.record({
            type: fc.constantFrom("container", "section", "div", "blockquote", "body"),
            attrs: validAttributes,
            content: blocks,
          }),
          fc.record({
            type: fc.constantFrom("bulletList", "orderedList"),
            attrs: validAttributes,
            content: fc.array(item, { maxLength: 3 }),
          }),
          fc.record({
            type: fc.constant("table"),
            attrs: validAttributes,
            content: fc.array(row, { maxLength: 3 }),
          }),
          fc.record({ type: fc.constant("twoColumns"), content: fc.tuple(column, column) }),
          fc.record({ type: fc.constant("threeColumns"), content: fc.tuple(column, column, column) }),
        ),
      };
    })
    .block.chain((block) =>
      fc.record({
        type: fc.constant("doc"),
        content: fc.array(fc.constant(block), { minLength: 1, maxLength: 2 }),
      }),
    );
}

/** Returns a generator of documents of any structure, most of them invalid. */
function wildDocuments(): fc.Arbitrary<unknown> {
  const types = ["paragraph", "heading", "button", "image", "table", "tableRow", "text", "script", "div", "twoColumns"];
  return fc
    .letrec((recursive) => ({
      node: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.record({ type: fc.constant("text"), text: hostile, marks: marks(href) }),
        fc.record(
          {
            type: fc.constantFrom(...types),
            attrs: fc.oneof(attributes, fc.dictionary(fc.constantFrom("href", "src", "alt", "level", "when"), value)),
            content: fc.array(recursive("node"), { maxLength: 3 }),
          },
          { requiredKeys: ["type"] },
        ),
      ),
    }))
    .node.map((node) => ({ type: "doc", content: [node] }));
}

type Generated = { type?: string; text?: string; attrs?: object | null; content?: Generated[] };

/** Returns the document with its outermost sections and table rows repeated over a list, whose items replace the company name. */
function withLists(node: Generated, isInList = false): Generated {
  const isRepeated = !isInList && (node.type === "section" || node.type === "tableRow");
  const isInside = isInList || isRepeated;
  return {
    ...node,
    ...(isRepeated ? { attrs: { ...node.attrs, each: "items" } } : {}),
    ...(isInside && node.text !== undefined ? { text: node.text.replaceAll("company_name", "item.name") } : {}),
    ...(node.content === undefined ? {} : { content: node.content.map((child) => withLists(child, isInside)) }),
  };
}

/** Documents that a company could send, both well-formed and hostile. */
export const generatedDocuments: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: mostlyValidDocuments() },
  { weight: 1, arbitrary: mostlyValidDocuments().map((document) => withLists(document as Generated)) },
  { weight: 1, arbitrary: wildDocuments() },
);
