import { caniemail } from "caniemail";
import { describe, expect, it } from "vitest";
import { DESIGN_SETS } from "../../../../workers/email/content/design-sets/sets";
import {
  type DocumentNode,
  type EmailDocument,
  NODE_RULES,
  PLAIN_MARKS,
  walkNodes,
} from "../../../../workers/email/content/format/document";
import { LIBRARY_DESIGNS } from "../../../../workers/email/content/library/designs/designs";
import { defaultMails, designMail, SAMPLE_BRANDING } from "../../../../workers/email/content/library/samples";
import { composeDocument } from "../../../../workers/email/content/render/compose";

const GMAIL = ["gmail.android", "gmail.desktop-webmail", "gmail.ios", "gmail.mobile-webmail"];
const OUTLOOK = ["outlook.android", "outlook.ios", "outlook.macos", "outlook.outlook-com", "outlook.windows"];
const YAHOO = ["yahoo.android", "yahoo.desktop-webmail", "yahoo.ios"];
/** The two clients that render mails with Microsoft Word. */
const WORD = ["outlook.windows", "outlook.windows-mail"];
const STYLELESS = ["gmail.mobile-webmail"];

/** Features that mails use although these clients do not support them, with what the clients show instead. */
const EXCEPTIONS: Readonly<Record<string, { clients: readonly string[]; fallback: string }>> = {
  "<body> element": {
    clients: ["outlook.macos", "yahoo.android", "yahoo.ios"],
    fallback: "the outer table has the same colours",
  },
  "<style> element": { clients: STYLELESS, fallback: "every style that a mail needs is inline" },
  "@media": { clients: [...STYLELESS, ...WORD], fallback: "the light design for wide screens" },
  "Attribute selector": { clients: [...STYLELESS, ...WORD], fallback: "only other clients need it" },
  "Class selector": { clients: STYLELESS, fallback: "every style that a mail needs is inline" },
  "Descendant combinator": { clients: STYLELESS, fallback: "only other clients need it" },
  "Type selector": { clients: STYLELESS, fallback: "only other clients need it" },
  "border-radius": { clients: WORD, fallback: "square corners" },
  "color-scheme CSS property": { clients: [...GMAIL, ...OUTLOOK, ...YAHOO], fallback: "their own dark mode" },
  "color-scheme meta tag": {
    clients: [...GMAIL, ...OUTLOOK, ...YAHOO, "outlook.windows-mail", "apple-mail.ios"],
    fallback: "their own dark mode; Apple's reads the CSS property",
  },
  "display:none": { clients: STYLELESS, fallback: "the preheader is one pixel high" },
  "height property": { clients: YAHOO, fallback: "at least that high" },
  "max-height property": { clients: WORD, fallback: "the preheader is hidden by mso-hide" },
  "min-height property": { clients: WORD, fallback: "as high as its content; only authors write it" },
  "min-width property": { clients: WORD, fallback: "as wide as its content; only authors write it" },
  opacity: { clients: [...STYLELESS, ...WORD], fallback: "the preheader is transparent, or hidden by mso-hide" },
  overflow: { clients: WORD, fallback: "the preheader is hidden by mso-hide" },
  "overflow-wrap": {
    clients: [
      "gmail.android",
      "gmail.desktop-webmail",
      "gmail.ios",
      "outlook.android",
      "outlook.ios",
      "outlook.outlook-com",
      "outlook.windows",
      "outlook.windows-mail",
      ...YAHOO,
    ],
    fallback: "word-break has the same effect",
  },
  "role attribute": { clients: ["outlook.windows-mail"], fallback: "tables are read as tables" },
  "system-ui, ui-serif, ui-sans-serif, ui-rounded, ui-monospace": {
    clients: WORD,
    fallback: "the next font of the list",
  },
  "table-layout": { clients: WORD, fallback: "columns as wide as their content" },
  "white-space": { clients: WORD, fallback: "a code may break at its hyphen" },
  "word-break": { clients: [...YAHOO, "outlook.windows-mail"], fallback: "a long word overflows its column" },
};

/** Node types that editors use and mails never show. `body` is another name for the root. */
const INVISIBLE_NODES = ["body", "globalContent", "previewText"];
const STYLE =
  "background-color:#ffffff;border:1px solid #123456;border-radius:4px;color:#123456;direction:ltr;display:block;" +
  "font-family:Arial,sans-serif;font-size:14px;font-style:italic;font-weight:700;height:auto;letter-spacing:1px;" +
  "line-height:20px;margin:0 0 12px;max-height:900px;max-width:560px;min-height:10px;min-width:10px;overflow-wrap:break-word;padding:4px;table-layout:auto;text-align:left;" +
  "text-decoration:underline;text-transform:none;vertical-align:top;white-space:normal;width:100%;word-break:normal";

/** Returns a document with every node, mark and style property that authors can use. */
function createFullDocument(): EmailDocument {
  const text = (value: string, ...marks: object[]) => ({ type: "text", text: value, marks }) as DocumentNode;
  const node = (type: string, attrs: object, ...content: DocumentNode[]) => ({ type, attrs, content }) as DocumentNode;
  const textParagraph = (value: string) => node("paragraph", {}, text(value));
  const columns = (type: string, count: number) =>
    node(
      type,
      {},
      ...Array.from({ length: count }, (_, column) => node("columnsColumn", {}, textParagraph(`Column ${column}`))),
    );
  const cell = (type: string) =>
    node(type, { colspan: 1, rowspan: 1, valign: "top", width: 100 }, textParagraph("Cell"));
  const href = "https://app.example.com/";
  const container = node(
    "container",
    {},
    ...[1, 2, 3, 4, 5, 6].map((level) => node("heading", { level }, text("Heading"))),
    node("paragraph", { style: STYLE }, ...PLAIN_MARKS.map((type) => text(type, { type })), { type: "hardBreak" }),
    node("paragraph", { align: "center", lang: "fr", dir: "ltr" }, text("Link", { type: "link", attrs: { href } })),
    node("paragraph", {}, text("Kept", { type: "preservedStyle", attrs: { style: "color:#123456" } })),
    node("bulletList", {}, node("listItem", {}, textParagraph("One"))),
    node("orderedList", { start: 3 }, node("listItem", {}, textParagraph("Three"))),
    node("blockquote", {}, textParagraph("Said")),
    node("codeBlock", {}, text("code")),
    node("table", { width: "100%", border: 0 }, node("tableRow", {}, cell("tableHeader"), cell("tableCell"))),
    ...[columns("twoColumns", 2), columns("threeColumns", 3), columns("fourColumns", 4)],
    node("button", { href }, text("Press")),
    { type: "image", attrs: { src: "https://img.example.com/a.png", alt: "A", width: 100, height: 50, href } },
    { type: "horizontalRule" },
    node("div", {}, node("section", {}, textParagraph("Inner"))),
  );
  return { type: "doc", content: [container] };
}

/** Returns the features of a mail that a client does not support, as `feature: client`. */
function findUnsupportedFeatures(html: string): string[] {
  // Only Outlook reads conditional comments.
  const branches = html.replace(/<!--\[if mso\]>[\s\S]*?<!\[endif\]-->/g, "");
  const { issues } = caniemail({ clients: ["gmail.*", "outlook.*", "apple-mail.*", "yahoo.*"], html: branches });
  return [...issues.errors].flatMap(([client, list]) => list.map(({ title }) => `${title}: ${client}`));
}

const exceptedFeatures = new Set(
  Object.entries(EXCEPTIONS).flatMap(([feature, { clients }]) => clients.map((client) => `${feature}: ${client}`)),
);

describe("Gmail, Outlook, Apple Mail and Yahoo", () => {
  const logos = {
    logo_url: "https://cdn.aster.example/logo.png",
    logo_dark_url: "https://cdn.aster.example/dark.png",
  };
  const branding = { ...SAMPLE_BRANDING, ...logos };
  const mails = [...LIBRARY_DESIGNS.map((design) => designMail(design, { branding })), ...defaultMails({ branding })];
  const authored = ["", ...DESIGN_SETS.map(({ key }) => key)].map((set) =>
    composeDocument(createFullDocument(), { set, language: "en", subject: "News", preheader: "What we made" }),
  );
  const unsupported = new Set([...mails, ...authored].flatMap(({ html }) => findUnsupportedFeatures(html)));

  it("support the features of all designs, default mails and authored documents, except those in EXCEPTIONS", () => {
    expect([...unsupported].filter((feature) => !exceptedFeatures.has(feature)).sort()).toEqual([]);
  });

  it("are checked with every node type that mails can contain", () => {
    const shownTypes = new Set([...walkNodes(createFullDocument())].map(({ node }) => node.type));
    expect([...NODE_RULES.keys()].filter((type) => !shownTypes.has(type)).sort()).toEqual(INVISIBLE_NODES);
  });

  it("have no exceptions for features that no mail uses", () => {
    expect([...exceptedFeatures].filter((feature) => !unsupported.has(feature)).sort()).toEqual([]);
  });
});
