import { escapeHtml } from "../../../kit/pages/html";
import { type DesignSet, findSet } from "../design-sets/sets";
import type { EmailDocument } from "../format/document";
import { escapeTokens, withDefaultColours } from "../tokens/brand";
import { isTooLarge, MAX_MAIL_BYTES, MailTooLargeError } from "../tokens/size";
import { type HtmlContext, ONE_COLUMN, writeBlocks } from "./html";
import { colonOf, writeTextBlocks } from "./text";

/** The renderer version that is stored with composed mails. Increment it when a change alters the mail of a document. */
export const RENDERER_VERSION = 1;

export interface ComposeOptions {
  /** Key of the design set, or "" for the plain set. */
  set: string;
  language: string;
  dir?: "ltr" | "rtl";
  subject: string;
  preheader: string;
  /** Title of the HTML document. The default is the subject. */
  title?: string;
  /** False: the mail uses the default colours of the design set. This is for previews without a company. */
  isBranded?: boolean;
}

const HIDDEN =
  "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px;color:transparent";
// Invisible characters follow the preheader. Without them, inboxes fill the preview with the first lines of the mail.
const PREVIEW_FILL = "&#847;&zwnj;&nbsp;".repeat(40);

const OUTLOOK_HEAD =
  "<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>" +
  "<style>table,td,h1,h2,h3,p,a,li{font-family:Arial,sans-serif!important}</style><![endif]-->";

const withoutBranding = (set: DesignSet): DesignSet => ({
  ...set,
  css: withDefaultColours(set.css),
  styles: Object.fromEntries(Object.entries(set.styles).map(([name, style]) => [name, withDefaultColours(style)])),
});

const writeTitle = (title: string): string => `<title>${escapeHtml(title)}</title>`;

const writePreheader = (preheader: string): string =>
  preheader === "" ? "" : `<div style="${HIDDEN}">${escapeHtml(preheader)}${PREVIEW_FILL}</div>\n`;

function writeHead(css: string, title: string): string {
  return [
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    '<meta name="x-apple-disable-message-reformatting">',
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">',
    writeTitle(title),
    OUTLOOK_HEAD,
    `<style>\n${escapeTokens(css)}\n</style>`,
    "</head>",
  ].join("\n");
}

/**
 * Composes a valid editor document into the HTML and the plain text of a mail. Both are templates that contain tokens and marks
 * (see `marker.ts`). `substitute` replaces the tokens and marks. It also wraps the text, because line lengths are known only
 * after the replacement. Throws MailTooLargeError.
 */
export function composeDocument(document: EmailDocument, options: ComposeOptions): { html: string; text: string } {
  const { isBranded = true } = options;
  const designSet = findSet(options.set);
  const set = isBranded ? designSet : withoutBranding(designSet);
  const dir = options.dir ?? "ltr";
  const context: HtmlContext = { set, isBranded, side: dir === "rtl" ? "right" : "left" };
  const locale = `lang="${escapeHtml(options.language)}" dir="${dir}"`;
  const page = escapeHtml(set.styles.page ?? "");
  const html =
    `<!doctype html>\n<html ${locale} xmlns:o="urn:schemas-microsoft-com:office:office">\n` +
    `${writeHead(set.css, options.title ?? options.subject)}\n` +
    `<body class="page" style="${page}">\n${writePreheader(options.preheader)}` +
    `<table role="presentation" border="0" cellpadding="0" cellspacing="0" width="100%" class="page" style="${page};${ONE_COLUMN}">` +
    `<tr><td align="center" ${locale}>\n${writeBlocks(document, context)}\n</td></tr></table>\n</body>\n</html>\n`;
  const budget = { left: MAX_MAIL_BYTES };
  const text = writeTextBlocks(document, { colon: colonOf(options.language), prefix: "", budget });
  if (budget.left < 0 || isTooLarge({ html, text })) throw new MailTooLargeError();
  return { html, text };
}

/** Replaces the title and the preheader of a composed mail. */
export function replaceHeadTexts(
  html: string,
  before: { subject: string; preheader: string },
  after: { subject: string; preheader: string },
): string {
  const isSame = before.subject === after.subject && before.preheader === after.preheader;
  if (isSame) return html;
  // `replace` changes only the first match. Title and preheader precede the content, which may contain the same text.
  return html
    .replace(writeTitle(before.subject), () => writeTitle(after.subject))
    .replace(writePreheader(before.preheader), () => writePreheader(after.preheader));
}
