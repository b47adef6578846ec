import type { DirectContentRow, MessageRow } from "../../../../db/email/rows";
import { escapeHtml } from "../../../kit/pages/html";
import { createUnsubscribeUrl } from "../../audience/unsubscribes/unsubscribe";
import { cleanHeaderText } from "../../content/tokens/substitution";
import type { EmailKeys } from "../../keys";
import { AUTOMATIC_HEADERS, type OutgoingMail } from "../providers/types";
import { canSendFrom, type Sender } from "../sender/sender";
import { type DirectContent, openContent } from "./direct-content";
import {
  type ComposedMail,
  type ComposeInput,
  composeMail,
  type MailSettings,
  nameOfRecipient,
  openMessage,
} from "./mail";

/** The stored parts of a direct mail. Those of ComposeInput are used when the request chose a template. */
type DirectParts = ComposeInput & { direct: DirectContentRow | null };

/**
 * Composes a direct mail: the content of the request, or a template with the From address, Reply-To and headers of the request.
 * Returns an error code when the content is gone or the sender may not use the From address any more.
 */
export async function composeDirectMail(
  message: MessageRow,
  { direct, ...template }: DirectParts,
  sender: Sender,
  settings: MailSettings,
  keys: Pick<EmailKeys, "variables">,
): Promise<ComposedMail> {
  if (direct === null) return { ok: false, code: "template_missing" };
  const chosen = await openContent(direct, keys);
  if (chosen === null) return { ok: false, code: "variables_unreadable" };
  if (!canSendFrom(sender, chosen.from.address)) return { ok: false, code: "from_not_allowed" };
  const composed =
    chosen.mail === null
      ? await composeMail(message, template, sender, settings, keys)
      : await composeContent(message, chosen.mail, sender, settings, keys);
  if (!composed.ok) return composed;
  const { mail } = composed;
  const name = cleanHeaderText(chosen.from.name);
  return {
    ok: true,
    mail: {
      ...mail,
      from: { name: name === "" ? mail.from.name : name, address: chosen.from.address },
      ...(chosen.replyTo === null ? {} : { replyTo: chosen.replyTo }),
      headers: { ...mail.headers, ...chosen.headers },
      acceptedAt: Math.max(mail.acceptedAt, direct.scheduled_at ?? 0),
    },
  };
}

async function composeContent(
  message: MessageRow,
  parts: NonNullable<DirectContent["mail"]>,
  sender: Sender,
  settings: MailSettings,
  keys: Pick<EmailKeys, "variables">,
): Promise<ComposedMail> {
  const opened = await openMessage(message, keys);
  if (opened === null) return { ok: false, code: "variables_unreadable" };
  const { lane, company_id: companyId, email_hmac } = message;
  const unsubscribeUrl = await createUnsubscribeUrl(
    settings,
    companyId,
    lane === "bulk" ? lane : "transactional",
    email_hmac,
  );
  const mail: OutgoingMail = {
    messageId: `msg_${message.id}`,
    from: sender.from,
    to: opened.to,
    ...nameOfRecipient(opened.to, opened.variables),
    ...(sender.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
    ...fillContent(parts, unsubscribeUrl),
    headers: AUTOMATIC_HEADERS,
    acceptedAt: message.accepted_at,
    lane,
    companyId,
    requestId: message.request_id,
  };
  return { ok: true, mail };
}

const UNSUBSCRIBE_TOKEN = /\{\{\s*system\.(?:unsubscribe_url|preferences_url)\s*\}\}/g;

/** Returns whether a text contains the token that becomes the unsubscribe link of the recipient. */
export const hasUnsubscribeToken = (text: string): boolean => text.search(UNSUBSCRIBE_TOKEN) >= 0;

/**
 * Returns subject and texts with the unsubscribe link of the recipient. Other tokens stay as they are, because the content may
 * contain braces of its own. A mail without HTML shows its text.
 */
function fillContent(
  { subject, html, text }: NonNullable<DirectContent["mail"]>,
  unsubscribeUrl: string,
): Pick<OutgoingMail, "subject" | "html" | "text"> {
  const filledText = text.replace(UNSUBSCRIBE_TOKEN, () => unsubscribeUrl);
  return {
    subject: cleanHeaderText(subject),
    html: html === "" ? htmlOfText(filledText) : html.replace(UNSUBSCRIBE_TOKEN, () => escapeHtml(unsubscribeUrl)),
    text: filledText,
  };
}

const htmlOfText = (text: string): string =>
  `<!doctype html><html><body><div style="white-space:pre-wrap">${escapeHtml(text)}</div></body></html>`;
