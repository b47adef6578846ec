import { describe, expect, it } from "vitest";
import type { CatalogEvent, CatalogVariable, ValueType } from "../../../../schemas/email/content/catalog";
import { tokenUsesOf } from "../../../../workers/email/content/documents/document-text";
import { warningsOf } from "../../../../workers/email/content/documents/warnings";
import type { DocumentNode } from "../../../../workers/email/content/format/document";
import { adaptDesign } from "../../../../workers/email/content/library/adaptation";
import { LIBRARY_DESIGNS } from "../../../../workers/email/content/library/designs/designs";
import { composeDocument, replaceHeadTexts } from "../../../../workers/email/content/render/compose";
import { validateDocument } from "../../../../workers/email/content/render/validation";
import { substitute } from "../../../../workers/email/content/tokens/substitution";
import type { Variables } from "../../../../workers/email/content/tokens/values";
import { readMail } from "../../../support/email/mail-html";
import { cpuMsOf } from "../../../support/wall-clock";

const options = {
  authLane: false,
  authLinkHosts: [],
  debug: false,
  system: { message_id: "msg_1", unsubscribe_url: "https://mail.test/u/token" },
  urlTokens: ["items.url"],
};
const paragraph = (text: string, attrs = {}, marks: DocumentNode["marks"] = []): DocumentNode => ({
  type: "paragraph",
  attrs,
  content: [{ type: "text", text, marks }],
});
const row = (attrs: Record<string, string>, ...texts: string[]): DocumentNode => ({
  type: "tableRow",
  attrs,
  content: texts.map((text) => ({ type: "tableCell", content: [paragraph(text)] })),
});
const table = (...rows: DocumentNode[]): DocumentNode => ({ type: "table", content: rows });
const section = (attrs: Record<string, string>, ...content: DocumentNode[]): DocumentNode => ({
  type: "section",
  attrs,
  content,
});
const documentOf = (...content: DocumentNode[]) => ({ type: "doc" as const, content });

function render(nodes: DocumentNode[], variables: Variables) {
  const parts = composeDocument(documentOf(...nodes), {
    set: "barebone",
    language: "en",
    subject: "S",
    preheader: "P",
  });
  return substitute({ subject: "S", ...parts }, variables, options);
}

function mailOf(nodes: DocumentNode[], variables: Variables) {
  const result = render(nodes, variables);
  if ("error" in result) throw new Error(result.error);
  readMail(result.html);
  return { text: result.text, body: result.html.slice(result.html.indexOf("<body")) };
}

const items = [
  { name: "Pen & ink", price: "€2.00", url: "https://shop.test/pen?a=1&b=2" },
  { name: "Notebook", price: "€18.00", note: "lined" },
];

describe("a repeated node", () => {
  it("appears once per item, in the HTML and the text part, with the values of the mail beside its own", () => {
    const lines = table(
      row({}, "Item", "Price"),
      row({ each: "items" }, "{{ item.name }} for {{ name }}", "{{ item.price }}"),
    );
    const { text, body } = mailOf([lines, paragraph("Total {{ total }}")], { items, name: "Mina", total: "€20.00" });
    expect(text).toBe("Item | Price\nPen & ink for Mina | €2.00\nNotebook for Mina | €18.00\n\nTotal €20.00\n");
    expect(body.match(/<tr>/g)?.length).toBeGreaterThanOrEqual(3);
    expect(body).toContain("Pen &amp; ink for Mina");
    expect(body).not.toMatch(/\{#|\{\{/);
  });

  it("separates repeated sections by empty lines, also when the section comes first or is in a quote", () => {
    const repeated = section(
      { each: "items" },
      paragraph("{{ item.name }}"),
      paragraph("{{ item.note }}", { when: "item.note" }),
    );
    const expected = "Pen & ink\n\nNotebook\n\nlined\n";
    expect(mailOf([repeated], { items }).text).toBe(expected);
    expect(mailOf([paragraph("Hi"), repeated], { items }).text).toBe(`Hi\n\n${expected}`);
    const quote = { type: "blockquote", content: [section({ each: "items" }, paragraph("{{ item.name }}"))] };
    expect(mailOf([quote], { items }).text).toBe("> Pen & ink\n>\n> Notebook\n");
  });

  it("has no colon after the name of an item without the value", () => {
    const details = {
      ...table(row({ each: "items" }, "{{ item.name }}", "{{ item.note }}")),
      attrs: { class: "details" },
    };
    expect(mailOf([details], { items }).text).toBe("Pen & ink\nNotebook: lined\n");
  });

  it("is omitted without items, with its table and every block that depends on the list", () => {
    const nodes = [
      paragraph("Your items", { when: "items" }),
      table(row({ each: "items" }, "{{ item.name }}")),
      paragraph("End"),
    ];
    for (const variables of [{}, { items: [] }]) {
      const { text, body } = mailOf(nodes, variables);
      expect(text).toBe("End\n");
      expect(body).not.toContain("item");
    }
    expect(mailOf(nodes, { items }).text).toBe("Your items\n\nPen & ink\nNotebook\n\nEnd\n");
  });

  it("keeps a link or a button only for the items with an allowed URL", () => {
    const link = paragraph("{{ item.name }}", {}, [{ type: "link", attrs: { href: "{{ item.url }}" } }]);
    const button = { type: "button", attrs: { href: "{{ item.url }}" }, content: [{ type: "text", text: "Open" }] };
    const { text, body } = mailOf([section({ each: "items" }, link, button)], { items });
    expect(body.match(/<a href="https:\/\/shop.test\/pen\?a=1&amp;b=2"/g)).toHaveLength(2);
    expect(body.match(/<a /g)).toHaveLength(2);
    expect(text).toBe("Pen & ink: https://shop.test/pen?a=1&b=2\n\nOpen: https://shop.test/pen?a=1&b=2\n\nNotebook\n");
    const hostile = [{ name: "x", url: "javascript:alert(1)" }];
    expect(render([link], { items: hostile })).toEqual({ error: "variable_url_not_allowed", token: "items.url" });
  });

  it("escapes the values of items, and never reads them as tokens, marks or markup", () => {
    const hostile = `<b>"'&</b>{{ secret }}<!--{#end#}-->\u0002end\u0003{{ item.name }}`;
    const nodes = [
      section({ each: "items" }, paragraph("[{{ item.name }}] {{ system.message_id }} {{ system.unsubscribe_url }}")),
    ];
    const { text, body } = mailOf(nodes, {
      items: [{ name: hostile }, { name: "", constructor: "c" }],
      secret: "LEAK",
    });
    expect(body).toContain("[&lt;b&gt;&quot;&#39;&amp;&lt;/b&gt;{{ secret }}&lt;!--{#end#}--&gt;end{{ item.name }}]");
    expect(text).toContain("[] msg_1 https://mail.test/u/token");
    expect(`${text}${body}`).not.toContain("LEAK");
  });

  it("keeps title and preheader replaceable", () => {
    const nodes = [section({ each: "items" }, paragraph("{{ item.name }}"))];
    const before = { subject: "Old", preheader: "Before" };
    const composed = composeDocument(documentOf(...nodes), { set: "", language: "en", ...before });
    const html = replaceHeadTexts(composed.html, before, { subject: "New", preheader: "After" });
    expect(html).toContain("<title>New</title>");
    expect(substitute({ ...composed, html, subject: "New" }, { items }, options)).toMatchObject({
      text: "Pen & ink\n\nNotebook\n",
    });
  });

  it("counts its repetitions towards the size of the mail", () => {
    const many = Array.from({ length: 100 }, () => ({ name: "x".repeat(70) }));
    const nodes = [section({ each: "items" }, paragraph("y".repeat(30_000)))];
    const work = () => expect(render(nodes, { items: many })).toEqual({ error: "too_large" });
    expect(cpuMsOf(work)).toBeLessThan(500);
    expect(
      render([section({ each: "items" }, paragraph(`${"y".repeat(9000)}{{ item.name }}`))], { items: many }),
    ).toHaveProperty("html");
  });

  it("is rendered for 100 items within 10 ms", () => {
    const hundred = Array.from({ length: 100 }, (_item, index) => ({ ...items[0], name: `Item ${index}` }));
    const lines = table(row({ each: "items" }, "{{ item.name }}", "{{ item.note }}", "{{ item.price }}"));
    const composed = composeDocument(documentOf({ type: "container", content: [lines] }), {
      set: "studio",
      language: "en",
      subject: "S",
      preheader: "P",
    });
    const work = () => {
      expect(substitute({ subject: "S", ...composed }, { items: hundred }, options)).toHaveProperty("html");
    };
    const times = Array.from({ length: 5 }, () => cpuMsOf(work));
    expect(Math.min(...times)).toBeLessThan(10);
  });
});

describe("checks of repeated nodes", () => {
  const check = (nodes: DocumentNode[], texts = {}) => {
    const result = validateDocument(documentOf(...nodes), { debug: false, maxBytes: 524_288, ...texts });
    return result.ok ? "ok" : result.code;
  };

  it.each<[string, string, DocumentNode[]]>([
    [
      "ok",
      "a repeated row whose cells use the item",
      [table(row({ each: "items", when: "item.name" }, "{{ item.name }}"))],
    ],
    ["unsafe_attribute", "a repeated paragraph", [paragraph("x", { each: "items" })]],
    ["unsafe_attribute", "a list with a dot", [section({ each: "a.b" })]],
    ["unsafe_attribute", "a list named item", [section({ each: "item" })]],
    ["list_nested", "a list in a list", [section({ each: "items" }, table(row({ each: "parts" }, "x")))]],
    ["list_token_misplaced", "an item outside of a list", [paragraph('{{ item.name|default:"x" }}')]],
    ["list_token_misplaced", "a condition on an item outside of a list", [paragraph("x", { when: "item.name" })]],
    [
      "list_token_misplaced",
      "a link to an item after the list",
      [section({ each: "items" }), paragraph("x", {}, [{ type: "link", attrs: { href: "{{ item.url }}" } }])],
    ],
    ["ok", "199 repeated nodes", [section({ each: "items" }, ...Array.from({ length: 99 }, () => paragraph("x")))]],
    [
      "too_large",
      "more than 200 repeated nodes",
      [section({ each: "items" }, ...Array.from({ length: 100 }, () => paragraph("x")))],
    ],
  ])("answer %s for %s", (code, _description, nodes) => expect(check(nodes)).toBe(code));

  it("reject tokens of items in subject and preheader", () => {
    expect(check([], { subject: "{{ item.name }}" })).toBe("list_token_misplaced");
    expect(check([], { preheader: "{{ item.name }}" })).toBe("list_token_misplaced");
  });
});

const text = (token: string): CatalogVariable => ({ token, type: "string", required: false, example: token });
const event = {
  event_type: "hosting.app.created",
  suggested: { en: { subject: "S", preheader: "" } },
  lane_class: "transactional",
  variables: [text("name"), { ...text("items"), value_type: "list", fields: [text("name"), text("price")] }],
} as unknown as CatalogEvent;

it("lists the fields of lists among the tokens of a draft, and warns of unknown lists and fields", () => {
  const document = documentOf(
    table(row({ each: "items", when: "item.stock" }, "{{ item.name }} {{ name }}")),
    section({ each: "others" }, paragraph("{{ item.name }}")),
  );
  const draft = { subject: "", preheader: "", document };
  expect(tokenUsesOf(draft).tokens).toEqual(["items", "items.name", "items.stock", "name", "others", "others.name"]);
  expect(warningsOf(event, draft, { html: "" }, [])).toEqual([
    { code: "list_unknown", detail: "others" },
    { code: "unknown_token", detail: "items.stock" },
    { code: "unknown_token", detail: "others.name" },
  ]);
  expect(JSON.stringify(adaptDesign(document, event, "en", []))).not.toContain("others");
});

describe("the adaptation of a design to an event with a list", () => {
  const labelled = (token: string, en: string, value_type: ValueType): CatalogVariable => ({
    ...text(token),
    type: value_type === "url" ? "url" : "string",
    value_type,
    labels: { en, fr: `${en} (fr)` },
  });
  const order = {
    ...event,
    // An event whose texts have no button.
    event_type: "identity.user.deleted",
    link_token: "",
    suggested: { ...event.suggested, fr: { subject: "S", preheader: "" } },
    variables: [
      {
        ...labelled("items", "Items", "list"),
        fields: [
          labelled("name", "Item", "text"),
          labelled("note", "Note", "text"),
          labelled("quantity", "Quantity", "number"),
          labelled("price", "Price", "money"),
          labelled("url", "Link", "url"),
        ],
      },
      labelled("shipping", "Shipping", "money"),
      labelled("total", "Total", "money"),
    ],
  } as unknown as CatalogEvent;
  const values = {
    items: [
      { name: "Pen", quantity: "2", price: "€4.00", url: "https://shop.test/pen" },
      { name: "Ink", note: "blue", quantity: "1", price: "€5.00" },
    ],
    total: "€9.00",
  };
  const lines =
    "Pen: https://shop.test/pen\nQuantity: 2\nPrice: €4.00\n\nInk\nNote: blue\nQuantity: 1\nPrice: €5.00\n\nTotal: €9.00\n";

  it.each(["studio.order-confirmation", "barebone.text-only"])("shows its items and totals in %s", (key) => {
    const design = LIBRARY_DESIGNS.find((candidate) => candidate.key === key);
    const adapted = adaptDesign(documentOf(...(design?.document.content ?? [])), order, "en", []);
    expect(validateDocument(adapted, { debug: false, maxBytes: 524_288 })).toEqual({ ok: true });
    expect(mailOf([...adapted.content], values).text).toContain(lines);
    expect(mailOf([...adapted.content], {}).text).not.toMatch(/Item|Total|Linen/);
  });
});
