import { expect, it } from "vitest";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeRuleFreeTemplate } from "../../support/email/custom-templates";
import editorDocument from "../../support/email/editor-document.json";
import { startEmail } from "../../support/email/email";

const email = await startEmail();
const { companyId, owner } = await startCompany(email);
const customTemplate = await storeRuleFreeTemplate(companyId, { eventType: "identity.group.created" });

const post = (path: string, json: object) => send(email, owner, { method: "POST", path, json });
const text = (value: string, ...marks: object[]) => ({ type: "text", text: value, marks });
const paragraph = (...content: object[]) => ({ type: "paragraph", content });
const link = (href: unknown) => documentOf(paragraph(text("x", { type: "link", attrs: { href } })));
const styled = (attrs: object) => documentOf({ type: "paragraph", attrs });
const image = (src: string) => documentOf({ type: "image", attrs: { src } });

function nested(levels: number): object {
  let node: object = paragraph();
  for (let level = 2; level < levels; level += 1) node = { type: "div", content: [node] };
  return documentOf(node);
}

/** Every kind of request that accepts a document, with further texts. */
const requestsWithDocument: Record<string, (document: unknown, texts?: object) => Promise<Response>> = {
  "a new version": (document, texts) =>
    post(`/api/v1/templates/${customTemplate.id}/versions`, { subject: "News", document, ...texts }),
  "a preview": (document, texts) => post(`/api/v1/templates/${customTemplate.id}/preview`, { document, ...texts }),
  "a test": (document, texts) =>
    post(`/api/v1/templates/${customTemplate.id}/send-test?at=${Math.random()}`, {
      subject: "News",
      document,
      ...texts,
    }),
  "a new template of the library": (document, texts) => post("/api/v1/library", { name: "News", document, ...texts }),
};

const rows: [code: string, name: string, document: unknown, texts?: object][] = [
  ["invalid", "another root", { type: "paragraph", content: [] }],
  ["invalid", "content that is no list", { type: "doc", content: {} }],
  ["invalid", "a text that is no text", documentOf(paragraph({ type: "text", text: 7 }))],
  ["too_large", "more than 524,288 bytes", paragraphDocument("é".repeat(262_200))],
  ["too_large", "41 levels", nested(41)],
  ["too_large", "5001 nodes", documentOf(...Array.from({ length: 5000 }, () => paragraph()))],
  ["template_tags_forbidden", "a tag of another language", paragraphDocument("{% if x %}")],
  ["template_tags_forbidden", "a comment in the subject", paragraphDocument("x"), { subject: "a {# b" }],
  ["template_tags_forbidden", "a tag's end in the preheader", paragraphDocument("x"), { preheader: "a %} b" }],
  ["node_not_allowed", "an unknown node", documentOf({ type: "script" })],
  ["node_not_allowed", "content of a leaf", documentOf({ type: "horizontalRule", content: [paragraph()] })],
  [
    "node_not_allowed",
    "two of three columns",
    documentOf({ type: "threeColumns", content: [{ type: "columnsColumn" }] }),
  ],
  ["mark_not_allowed", "an unknown mark", documentOf(paragraph(text("x", { type: "blink" })))],
  ["unsafe_attribute", "an event handler", styled({ onclick: "x" })],
  ["unsafe_attribute", "a script as a link", link("javascript:alert(1)")],
  ["unsafe_attribute", "a style that loads something", styled({ style: "background: url(https://a.example)" })],
  ["unsafe_link", "another scheme", link("ftp://a.example")],
  ["unsafe_link", "an address without https", link("http://a.example")],
  ["unsafe_image", "a picture without https", image("http://a.example/x.png")],
  ["unsafe_image", "a picture of a token", image("{{ company_name }}/x.png")],
];

it.each(rows)("rejects a document with %s: %s", async (code, _name, document, texts) => {
  for (const [request, postDocument] of Object.entries(requestsWithDocument)) {
    const response = await postDocument(document, texts);
    // Ten test sends per minute are allowed; further test sends return 429.
    if (request === "a test" && response.status === 429) continue;
    expect(await problemOf(response), request).toEqual([400, "validation_failed", { document: [code] }]);
  }
});

it("rejects a document whose rendered version is too large", async () => {
  const postVersion = requestsWithDocument["a new version"];
  const response = await postVersion?.(paragraphDocument('"'.repeat(520_000)));
  // A quotation mark takes two bytes in JSON and six in HTML.
  expect(response && (await problemOf(response))).toEqual([400, "validation_failed", { document: ["too_large"] }]);
  const inHtml = await postVersion?.(paragraphDocument("'".repeat(500_000)));
  expect(inHtml && (await problemOf(inHtml))).toEqual([400, "validation_failed", { document: ["render_failed"] }]);
});

it("accepts documents of 100 KB, 40 levels and 5000 nodes", async () => {
  for (const document of [paragraphDocument("x".repeat(100_000)), nested(40)]) {
    expect((await requestsWithDocument["a new version"]?.(document))?.status).toBe(201);
  }
  const nodes = documentOf(...Array.from({ length: 4999 }, () => ({ type: "horizontalRule" })));
  expect((await requestsWithDocument["a new version"]?.(nodes))?.status).toBe(201);
});

it("accepts and renders a document of @react-email/editor", async () => {
  const created = await requestsWithDocument["a new version"]?.(editorDocument);
  expect(created?.status, await created?.clone().text()).toBe(201);
  const preview = await requestsWithDocument["a preview"]?.(editorDocument);
  const {
    html,
    text: plain,
    warnings,
  } = (await preview?.json<{ html: string; text: string; warnings: unknown }>()) ?? {};
  expect(html).toContain('<a href="https://app.example.com/start"');
  expect(html).toContain('<td align="center"><img src="https://img.example.com/a.png"');
  expect(html).not.toMatch(/ses:no-track|bgcolor="#eee|noopener|"#"|color: red/);
  expect(plain).toContain("start here: https://app.example.com/start");
  expect(plain).toContain("3. Three");
  expect(warnings).toEqual([{ code: "unknown_token", detail: "first_name" }]);
});
