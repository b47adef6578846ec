import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EmailDocument } from "../../../../workers/email/content/format/document";
import { composeDocument } from "../../../../workers/email/content/render/compose";
import { type DocumentProblem, validateDocument } from "../../../../workers/email/content/render/validation";
import { type MailContent, substitute } from "../../../../workers/email/content/tokens/substitution";
import { ESCAPED_TOKEN_SOURCE, RAW_TOKEN_SOURCE } from "../../../../workers/email/content/tokens/token";
import { generatedDocuments } from "../../../support/email/generated-documents";
import { declarationsOf, elementsOf, type MailElement, readMail } from "../../../support/email/mail-html";
import { cpuMsOf } from "../../../support/wall-clock";

const DOCUMENTS = 2000;
const SEED = 20_261_122;
const MAX_BYTES = 524_288;
const MS_PER_100_KB = 50;

const CODES: readonly DocumentProblem[] = [
  ...(["invalid", "too_large", "template_tags_forbidden", "node_not_allowed", "mark_not_allowed"] as const),
  ...(["unsafe_attribute", "unsafe_link", "unsafe_image"] as const),
];

const TAGS = new Set(
  (
    "html head body title meta table tr td th div p h1 h2 h3 h4 h5 h6 a img br hr ul ol li blockquote pre span strong em u s " +
    "code sup"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "lang dir xmlns:o charset name content class style role border cellpadding cellspacing width height align valign bgcolor " +
    "colspan rowspan start type href src alt title"
  ).split(" "),
);
/** The parents that each of these elements may have. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  tr: ["table"],
  td: ["tr"],
  th: ["tr"],
  li: ["ul", "ol"],
  a: ["td", "p", "h1", "h2", "h3", "h4", "h5", "h6", "div", "li", "th", "blockquote", "span"],
};
const STYLE_ESCAPE = /url\(|expression|javascript|vbscript|[\\<>@]|\/\*/i;
const HIDING = ["position", "opacity", "z-index", "top", "left", "background", "behavior", "content"];

const VARIABLES = {
  company_name: `Ast"er' & <b>Labs</b> </style><script>`,
  action_url: "https://app.example.com/start?a=1&b=%22",
  items: [{ name: `<i>"It'em"</i>-->` }, {}, { name: "\u0003" }],
};

function fillTokens(content: MailContent): MailContent {
  const filled = substitute(content, VARIABLES, {
    authLane: false,
    authLinkHosts: [],
    debug: false,
    urlTokens: ["action_url"],
    system: {
      message_id: "msg_1",
      unsubscribe_url: "https://mail.example.com/u/1",
      brand_color: "#7a1fa2",
      logo_url: 'https://cdn.example.com/"logo.png',
    },
  });
  if ("error" in filled) throw new Error(filled.error);
  return filled;
}

/** Returns the parts of a mail that could run code, load resources or hide content. */
function unsafeParts(html: string): string[] {
  const body = html.slice(html.indexOf("<body"));
  const parts: string[] = [];
  const visit = (element: MailElement, parent: string): void => {
    const { tag, attributes } = element;
    if (tag !== "" && !TAGS.has(tag)) parts.push(`<${tag}>`);
    if (PARENTS[tag]?.includes(parent) === false) parts.push(`<${tag}> in <${parent}>`);
    for (const [name, written] of Object.entries(attributes)) {
      if (!ATTRIBUTES.has(name)) parts.push(`${name}=${written}`);
      if (name === "href" && !/^(?:https:\/\/|mailto:|tel:)/i.test(written)) parts.push(`href=${written}`);
      if (name === "src" && !/^https:\/\//i.test(written)) parts.push(`src=${written}`);
      if (name === "style" && STYLE_ESCAPE.test(written)) parts.push(`style=${written}`);
      if (name === "style" && parent !== "body") {
        for (const [property, value] of declarationsOf(written)) {
          if (HIDING.includes(property) || (property === "display" && value.includes("none"))) parts.push(written);
        }
      }
    }
    for (const child of element.children) if (typeof child !== "string") visit(child, tag);
  };
  visit(readMail(html), "");
  if (/<!--(?!\[if mso\]|\[endif\]|<!\[endif\])/.test(body.replace(/<!--\[if mso\]>|<!\[endif\]-->/g, "")))
    parts.push("comment");
  return parts;
}

const anyToken = new RegExp(`${RAW_TOKEN_SOURCE}|${ESCAPED_TOKEN_SOURCE}`);
const SETS = ["", "barebone", "matte", "protocol", "arcane", "studio"];

function byteLength(document: unknown): number {
  return new TextEncoder().encode(JSON.stringify(document)).length;
}

/**
 * Returns the result of `work`, which must use at most `ms` of CPU time. Makes up to five attempts, because the CPU time of one run varies.
 */
function runWithin<T>(ms: number, work: () => T): T {
  let result: T | undefined;
  const attempt = (): boolean =>
    cpuMsOf(() => {
      result = work();
    }) <= ms;
  expect(attempt() || [1, 2, 3, 4].some(attempt)).toBe(true);
  return result as T;
}

describe("2,000 generated documents", () => {
  const counts = { composed: 0, rejected: new Map<string, number>() };

  it("become complete and safe mails or are rejected with a code, within the time limit", () => {
    fc.assert(
      fc.property(generatedDocuments, fc.constantFrom(...SETS), (document, set) => {
        const allowedMs = MS_PER_100_KB * Math.max(1, byteLength(document) / 100_000);
        const verdict = runWithin(allowedMs, () => validateDocument(document, { debug: false, maxBytes: MAX_BYTES }));
        if (!verdict.ok) {
          expect(CODES).toContain(verdict.code);
          counts.rejected.set(verdict.code, (counts.rejected.get(verdict.code) ?? 0) + 1);
          return;
        }
        counts.composed += 1;
        const options = { set, language: "fr", subject: '<b>"S"</b>', preheader: "<i>'P'</i>" };
        const composed = runWithin(allowedMs, () => composeDocument(document as EmailDocument, options));
        const mail = fillTokens({ subject: options.subject, ...composed });
        expect(unsafeParts(mail.html)).toEqual([]);
        expect(mail.html.slice(mail.html.indexOf("<body"))).not.toMatch(/<script|<form|<iframe|<style|<link/i);
        expect(anyToken.test(mail.html)).toBe(false);
        expect(anyToken.test(mail.text)).toBe(false);
        expect(mail.text).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
      { numRuns: DOCUMENTS, seed: SEED },
    );
  }, 60_000);

  it("include valid documents and every error code that the generator can cause", () => {
    expect(counts.composed).toBeGreaterThan(DOCUMENTS / 3);
    expect([...counts.rejected.keys()]).toEqual(
      expect.arrayContaining(["invalid", "template_tags_forbidden", "node_not_allowed", "mark_not_allowed"]),
    );
    expect([...counts.rejected.keys()]).toEqual(
      expect.arrayContaining(["unsafe_attribute", "unsafe_link", "unsafe_image"]),
    );
  });
});

it("composes a mail of 100 KB within 50 ms", () => {
  const row = (index: number) => ({
    type: "tableRow",
    content: ["{{ company_name }}", `cell ${index}`].map((text) => ({
      type: "tableCell",
      content: [{ type: "paragraph", attrs: { style: "color:#123456" }, content: [{ type: "text", text }] }],
    })),
  });
  const document: EmailDocument = {
    type: "doc",
    content: [
      { type: "container", content: [{ type: "table", content: Array.from({ length: 330 }, (_row, i) => row(i)) }] },
    ],
  };
  expect(byteLength(document)).toBeGreaterThan(100_000);
  const options = { set: "studio", language: "en", subject: "S", preheader: "P" };
  const composed = runWithin(MS_PER_100_KB, () => composeDocument(document, options));
  expect([...elementsOf(readMail(fillTokens({ subject: "S", ...composed }).html))].length).toBeGreaterThan(1000);
});
