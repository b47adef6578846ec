import type { BroadcastRow } from "../../../../db/email/rows";
import type { BroadcastCheck } from "../../../../schemas/email/audience/broadcast-sending";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { hasUnsubscribeLink } from "../../content/documents/broadcast-design";
import { isVisible, linksOf, textOf, withPlaceholders } from "../../content/documents/document-text";
import { type DocumentNode, type EmailDocument, stringAttribute, walkNodes } from "../../content/format/document";
import { TEXT_SLOTS } from "../../content/library/designs/pieces";
import type { BulkSender } from "../broadcasts/broadcast-sender";

/** Gmail truncates mails above this size and hides the unsubscribe link. */
const MAX_HTML_BYTES = 102_400;
const PLACEHOLDER = /lorem ipsum|\bTODO\b|\bTBD\b|\bXXX\b|\[(?:insert|your)\b[^\]]*\]/i;
const SAMPLE_SLOTS: readonly string[] = [TEXT_SLOTS.lead, TEXT_SLOTS.sample, TEXT_SLOTS.items];

type Content = { subject: string; preheader: string; document: string; html: string };

/** What the checks of a broadcast read. `design` is the document of its library design, or null when that was deleted. */
export type CheckedBroadcast = {
  content: Content;
  bulk: BulkSender;
  design: string | null;
  /** the number of recipients, or the code of the reason why it is not known */
  audience: number | string;
  limit: number;
} & Pick<BroadcastRow, "language">;

/** Returns the checks of a broadcast before it is sent. Errors prevent sending, warnings do not. */
export function checksOf({ content, bulk, design, audience, limit }: CheckedBroadcast): BroadcastCheck[] {
  const document = JSON.parse(content.document) as EmailDocument;
  const bytes = utf8ToBytes(content.html).length;
  const check = (code: BroadcastCheck["code"], problem: string, level: "error" | "warning"): BroadcastCheck =>
    problem === "" ? { code, level: "ok", detail: "" } : { code, level, detail: problem };
  return [
    check("sender", bulk.ok ? "" : bulk.code, "error"),
    check("lane", bulk.pause === null ? "" : "lane_paused", "error"),
    check("unsubscribe_link", hasUnsubscribeLink(document) ? "" : "unsubscribe_link_missing", "error"),
    check("subject", content.subject === "" ? "required" : "", "error"),
    check("preheader", content.preheader === "" ? "missing" : "", "warning"),
    check("size", bytes > MAX_HTML_BYTES ? `${bytes} bytes` : "", "warning"),
    check("insecure_links", insecureLinks(document).join(", "), "warning"),
    check("alt_text", imagesWithoutText(document), "warning"),
    check("placeholder_text", placeholdersOf(content, document, design).join("; "), "warning"),
    check("audience", audienceProblem(audience, limit), "error"),
  ];
}

function audienceProblem(audience: number | string, limit: number): string {
  if (typeof audience === "string") return audience;
  if (audience === 0) return "audience_empty";
  return audience > limit ? "audience_too_large" : "";
}

/** Returns the targets of visible links that are not encrypted. */
function insecureLinks(document: EmailDocument): string[] {
  const targets = linksOf(document).flatMap((link) => (isVisible(link) ? [link.href.trim()] : []));
  return [...new Set(targets.filter((href) => /^http:/i.test(withPlaceholders(href))))].slice(0, 5);
}

function imagesWithoutText(document: EmailDocument): string {
  const images = [...walkNodes(document)].filter(({ node }) => node.type === "image");
  const missing = images.filter(({ node }) => stringAttribute(node.attrs, "alt").trim() === "").length;
  return missing === 0 ? "" : `${missing} of ${images.length} images`;
}

/** Returns texts that an author forgot to replace: common placeholders, and paragraphs of the design that were not edited. */
function placeholdersOf({ subject, preheader }: Content, document: EmailDocument, design: string | null): string[] {
  const texts = [subject, preheader, textOf(document)];
  const found = texts.flatMap((text) => PLACEHOLDER.exec(text)?.[0] ?? []);
  const samples = new Set(design === null ? [] : sampleTexts(JSON.parse(design) as EmailDocument));
  const unedited = sampleTexts(document).filter((text) => samples.has(text));
  const shortened = unedited.map((text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text));
  return [...new Set([...found, ...shortened])].slice(0, 5);
}

/** Returns the texts of the slots that an author is expected to edit. */
function sampleTexts(document: EmailDocument): string[] {
  return [...walkNodes(document)].flatMap(({ node }) => {
    if (!SAMPLE_SLOTS.includes(stringAttribute(node.attrs, "textId"))) return [];
    const text = paragraphsOf(node).join(" / ").trim();
    return text === "" ? [] : [text];
  });
}

/** Returns the texts of the paragraphs, headings and pictures in a node, in their order. */
function paragraphsOf(node: DocumentNode): string[] {
  if (node.type === "image") return [stringAttribute(node.attrs, "alt")];
  const content = node.content ?? [];
  return content.some(({ type }) => type === "text") ? [textOf(node).trim()] : content.flatMap(paragraphsOf);
}
