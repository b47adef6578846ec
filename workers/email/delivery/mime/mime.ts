import { MIMEMessage } from "mimetext/browser";
import { textToBase64 } from "../../../kit/crypto/encoding";
import type { OutgoingAttachment, OutgoingMail } from "../providers/types";
import { encodeFilename, encodeHeaderText, encodeMailbox, encodeName } from "./header-text";
import { checkHeaderText, domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "./mail-address";
import { encodeText } from "./transfer-encoding";

const MESSAGE_ID_PATTERN = /^msg_([0-9a-f]{32})$/;
const HEADER_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const MEDIA_TYPE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$/;
const CONTENT_ID_PATTERN = /^[!#$%&'*+./0-9=?@A-Z^_`a-z{|}~-]+$/;
/** Headers that this module sets itself. */
const RESERVED_HEADER_PATTERN =
  /^(?:from|sender|reply-to|to|cc|bcc|date|message-id|subject|mime-version|return-path|received|content-.*)$/i;
/** RFC 5322 allows 998 characters per line. This lower limit leaves room for the name of the header. */
const MAX_HEADER_VALUE = 900;

/**
 * A mail in the order in which it is sent: text with CRLF line ends, and attachments whose bytes follow in base64. A mail
 * without attachments is one text.
 */
export type MimeContent = readonly (string | OutgoingAttachment)[];

/** How mimetext writes a message. The base64 functions encode only headers that this module replaces. */
const context = {
  eol: "\r\n",
  toBase64: textToBase64,
  toBase64WebSafe: textToBase64,
  validateContentType: (type: string) => type,
};

/**
 * Returns the mail as RFC 5322 content. The text part precedes the HTML part; both are UTF-8. The texts are ASCII, except for
 * the local part of an address. The same input always gives the same content. `vendorHeaders` are read and removed by the
 * relay. Throws `UnsendableMailError`.
 */
export function buildMime(
  mail: OutgoingMail,
  date: Date,
  vendorHeaders: Readonly<Record<string, string>> = {},
): MimeContent {
  const id = MESSAGE_ID_PATTERN.exec(mail.messageId)?.[1];
  if (id === undefined) throw new UnsendableMailError("messageId", "must be msg_ and 32 hex characters");
  const { attachments = [] } = mail;
  const message = new MIMEMessage(context);
  message.boundaries = { mixed: `mixed-${id}`, alt: `alt-${id}`, related: `related-${id}` };
  message.headers.fields = headersOf(mail, id, date, vendorHeaders).map(([name, value]) => ({
    name,
    value,
    dump: () => value,
  }));
  // mimetext joins complete contents. It gets a slot for each part instead, so that attachments can be streamed.
  const contents: (string | OutgoingAttachment)[] = [];
  const slotOf = (content: string | OutgoingAttachment) => `slot-${contents.push(content) - 1}-${id}`;
  for (const [contentType, text] of [
    ["text/plain", mail.text],
    ["text/html", mail.html],
  ] as const) {
    const { encoding, body } = encodeText(text, attachments.length === 0 ? message.boundaries.alt : id);
    message.addMessage({ contentType, encoding, data: slotOf(`${body}\r\n`) });
  }
  for (const attachment of attachments) addAttachment(message, attachment, slotOf(attachment));
  return fillSlots(`${message.asRaw()}\r\n`, id, contents);
}

function headersOf(
  mail: OutgoingMail,
  id: string,
  date: Date,
  vendorHeaders: Readonly<Record<string, string>>,
): (readonly [string, string])[] {
  checkHeaderText("subject", mail.subject);
  checkHeaderText("from.name", mail.from.name);
  checkHeaderText("toName", mail.toName ?? "");
  const from = normalizeAddress("from.address", mail.from.address);
  const to = normalizeAddress("to", mail.to);
  return [
    ["Date", date.toUTCString().replace("GMT", "+0000")],
    ["From", encodeMailbox("From", mail.from.name, from)],
    ...(mail.replyTo ? [["Reply-To", `<${normalizeAddress("replyTo", mail.replyTo)}>`] as const] : []),
    ["To", encodeMailbox("To", mail.toName ?? "", to)],
    ["Message-ID", `<${id}@${domainOf(from)}>`],
    ...Object.entries(vendorHeaders),
    ["Subject", encodeHeaderText("Subject", mail.subject)],
    ["MIME-Version", "1.0"],
    ...Object.entries(mail.headers ?? {}).map(([name, value]) => [name, checkExtraHeader(name, value)] as const),
  ];
}

function checkExtraHeader(name: string, value: string): string {
  if (!HEADER_NAME_PATTERN.test(name) || RESERVED_HEADER_PATTERN.test(name)) {
    throw new UnsendableMailError("headers", "the header name is reserved or malformed");
  }
  checkHeaderText(name, value);
  if (value.length > MAX_HEADER_VALUE || hasNonAscii(value)) {
    throw new UnsendableMailError(name, "must be at most 900 ASCII characters");
  }
  return value;
}

/** Adds an attachment. With a `contentId`, the HTML shows it as `cid:<contentId>`. */
function addAttachment(message: MIMEMessage, attachment: OutgoingAttachment, slot: string): void {
  const { filename, contentType, contentId } = attachment;
  checkHeaderText("attachments.filename", filename);
  if (!MEDIA_TYPE_PATTERN.test(contentType))
    throw new UnsendableMailError("attachments.contentType", "not a media type");
  if (contentId !== null && !CONTENT_ID_PATTERN.test(contentId)) {
    throw new UnsendableMailError("attachments.contentId", "not a content id");
  }
  const part = message.addAttachment({
    filename: "",
    contentType,
    inline: contentId !== null,
    data: slot,
    headers: contentId === null ? {} : { "Content-ID": `<${contentId}>` },
  });
  // mimetext decides from the stored disposition whether a part is inline, and would find the word in a file name. It also
  // writes file names without quoting. Only the written headers therefore contain the name.
  for (const field of part.headers.fields as typeof message.headers.fields) {
    if (field.name === "Content-Type") field.dump = () => contentType + encodeName(filename);
    if (field.name === "Content-Disposition") {
      field.dump = () => (contentId === null ? "attachment" : "inline") + encodeFilename(filename);
    }
  }
}

/**
 * Replaces the slots with their contents. mimetext adds an empty line after most parts, which would belong to the content and
 * is removed.
 */
function fillSlots(structure: string, id: string, contents: readonly (string | OutgoingAttachment)[]): MimeContent {
  // mimetext omits the required parameter `type` (RFC 2387, 3.1).
  const related = `multipart/related; boundary=related-${id}`;
  const typed = structure.replace(related, `multipart/related; type="multipart/alternative"; boundary=related-${id}`);
  const pieces = typed.split(new RegExp(`slot-(\\d+)-${id}\r\n(?:\r\n)?`)).map((piece, index) =>
    // A slot number follows each text.
    index % 2 === 0 ? piece : (contents[Number(piece)] ?? ""),
  );
  const joined: (string | OutgoingAttachment)[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === "string" && typeof last === "string") joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
}
