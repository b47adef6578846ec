import { expect, it } from "vitest";
import { findEvent } from "../../../schemas/email/content/catalog";
import { findAuthProblem } from "../../../workers/email/content/documents/auth-checks";
import type { DocumentNode, EmailDocument } from "../../../workers/email/content/format/document";
import { cpuMsOf } from "../../support/wall-clock";

const LINK = findEvent("identity.auth.magic_link.requested");
const MS_PER_100_KB = 50;

const paragraph = (text: string): DocumentNode => ({ type: "paragraph", content: [{ type: "text", text }] });
const button: DocumentNode = {
  type: "button",
  attrs: { href: "{{ magic_link_url }}" },
  content: [{ type: "text", text: "Sign in" }],
};
const styledDiv = (style: string, content: DocumentNode[]): DocumentNode => ({
  type: "div",
  attrs: { style },
  content,
});

function checkAuth(...content: DocumentNode[]) {
  const document: EmailDocument = { type: "doc", content };
  if (LINK === undefined) throw new Error("no event");
  const event = LINK;
  const check = () => findAuthProblem(event, { subject: "Sign in", preheader: "", document }, ["auth.example.com"]);
  const kilobytes = JSON.stringify(document).length / 1000;
  const isFast = () => cpuMsOf(check) <= Math.max(1, kilobytes / 100) * MS_PER_100_KB;
  return { code: check()?.code ?? null, isFast: isFast() || [1, 2, 3, 4].some(isFast) };
}

it("checks many paragraphs inside long styles as fast as other mails", () => {
  const style = "color:#111111;".repeat(290);
  const paragraphs = Array.from({ length: 1000 }, () => paragraph("Hello"));
  const nested = Array.from({ length: 12 }).reduce<DocumentNode[]>(
    (content) => [styledDiv(style, content)],
    [...paragraphs, button],
  );
  expect(checkAuth(...nested)).toEqual({ code: null, isFast: true });
  expect(checkAuth(styledDiv("color:#ffffff;background-color:#ffffff", nested))).toMatchObject({ code: null });
  expect(checkAuth(styledDiv("letter-spacing:-1em", nested))).toMatchObject({ code: "auth_link_missing" });
});

it("applies the style of a node only to the content of that node", () => {
  expect(checkAuth(styledDiv("font-size:0", [paragraph("Hello")]), button).code).toBe(null);
  expect(checkAuth(styledDiv("font-size:0", [styledDiv("font-size:14px", [button])])).code).toBe(null);
  expect(checkAuth(styledDiv("font-size:14px", [styledDiv("font-size:0", [button])])).code).toBe("auth_link_missing");
  expect(checkAuth(styledDiv("background-color:#ffffff", [styledDiv("color:#fff", [button])])).code).toBe(
    "auth_link_missing",
  );
});
