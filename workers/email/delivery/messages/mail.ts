import type { BrandingRow, MessageRow } from "../../../../db/email/rows";
import { type CatalogEvent, THREAD_ID } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { canonicalAddress } from "../../../../schemas/text/address";
import { sha256Hex } from "../../../kit/crypto/hash";
import { open, SealError } from "../../../kit/crypto/seal";
import { isObject } from "../../../kit/json";
import { createUnsubscribeUrl, readCategory, type UnsubscribeCategory } from "../../audience/unsubscribes/unsubscribe";
import { createWebLink } from "../../audience/web-links/web-link";
import { systemTokens } from "../../content/catalog/system-tokens";
import { urlTokensOf } from "../../content/catalog/variables";
import { BROADCAST } from "../../content/event-types/broadcast-event";
import { cleanHeaderText, type MailContent, substitute } from "../../content/tokens/substitution";
import { textValue, type Variables } from "../../content/tokens/values";
import type { EmailKeys } from "../../keys";
import { messageAad } from "../../records/seal/seal";
import type { EmailSettings } from "../../settings";
import type { LocalCode } from "../attempts/policy";
import { AUTOMATIC_HEADERS, type OutgoingMail } from "../providers/types";
import { fromName, replyAddress, type Sender } from "../sender/sender";

export type MailSettings = Pick<
  EmailSettings,
  "debug" | "authLinkHosts" | "publicBaseUrl" | "emailPublicUrl" | "rawKeys"
>;

/** A composed mail, or the code of the reason why it cannot be composed. */
export type ComposedMail = { ok: true; mail: OutgoingMail } | { ok: false; code: LocalCode | "too_large" };
/** The content of a message, the branding of its company, and its event, which is undefined when the event was deleted. */
export type ComposeInput = {
  content: MailContent | null;
  branding: BrandingRow | null;
  event: CatalogEvent | undefined;
};

/**
 * Composes the mail of a message from its pinned content, its variables and the branding of the company. Checks URL values
 * against the current settings. Returns an error code when the mail cannot be composed.
 */
export async function composeMail(
  message: MessageRow,
  { content, branding, event }: ComposeInput,
  sender: Sender,
  settings: MailSettings,
  keys: Pick<EmailKeys, "variables">,
): Promise<ComposedMail> {
  if (content === null) return { ok: false, code: "template_missing" };
  const opened = await openMessage(message, keys);
  if (opened === null) return { ok: false, code: "variables_unreadable" };
  const { variables } = opened;
  const { lane, company_id: companyId, email_hmac } = message;
  const messageId = `msg_${message.id}`;
  const category = event?.is_necessary === true ? null : unsubscribeCategoryOf(message);
  const unsubscribeUrl = category && (await createUnsubscribeUrl(settings, companyId, category, email_hmac));
  const viewUrl = await viewUrlOf(message, settings);
  const language: EmailLanguage = message.language === "fr" ? "fr" : "en";
  const replyTo = replyAddress(sender);
  const filled = substitute(content, variables, {
    authLane: lane === "auth",
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: event === undefined ? [] : urlTokensOf(event),
    system: systemTokens({ messageId, language, variables, branding, replyTo, unsubscribeUrl, viewUrl }, settings),
  });
  if ("error" in filled) return { ok: false, code: filled.error };
  const mail: OutgoingMail = {
    messageId,
    from: { name: fromName(sender, textValue(variables, "company_name")), address: sender.from.address },
    to: opened.to,
    ...nameOfRecipient(opened.to, variables),
    ...(sender.replyTo === undefined ? {} : { replyTo: sender.replyTo }),
    ...filled,
    headers: {
      ...headersOf(lane, unsubscribeUrl),
      ...(await threadHeaders(message, variables, sender.from.address)),
    },
    acceptedAt: message.accepted_at,
    lane,
    companyId,
    requestId: message.request_id,
  };
  return { ok: true, mail };
}

/** Returns the name of the recipient, or nothing when `recipient_email` shows that `recipient_name` is another person. */
export function nameOfRecipient(to: string, variables: Variables): Pick<OutgoingMail, "toName"> {
  const name = textValue(variables, "recipient_name");
  const recipientAddress = textValue(variables, "recipient_email") || to;
  const toName = canonicalAddress(recipientAddress) === canonicalAddress(to) ? cleanHeaderText(name) : "";
  return toName === "" ? {} : { toName };
}

/**
 * Returns the category that the unsubscribe link of a message stops, or null for mail without such a link: sign-in mail, and the
 * mail that asks for the confirmation of a subscription. Other mail than bulk mail stops by its lane.
 */
function unsubscribeCategoryOf({ lane, category, event_type }: MessageRow): UnsubscribeCategory | null {
  if (lane === "auth" || event_type === "newsletter_confirmation") return null;
  return lane === "bulk" ? (readCategory(category) ?? lane) : lane;
}

/**
 * Returns the header that makes mail clients show repeated notices about one thing as one conversation, or {} when the mail does
 * not name a thing. It refers to a message that never existed, because the first notice is unknown when the next one is sent.
 */
async function threadHeaders(
  { company_id, event_type }: MessageRow,
  variables: Variables,
  from: string,
): Promise<Record<string, string>> {
  const thread = textValue(variables, THREAD_ID);
  if (thread === "") return {};
  const family = event_type.split(".").slice(0, 2).join(".");
  const id = (await sha256Hex(`${company_id}:${family}:${thread}`)).slice(0, 32);
  return { References: `<thread-${id}@${from.slice(from.lastIndexOf("@") + 1)}>` };
}

/** Returns the link to the web version of a broadcast, or null for other mail. */
const viewUrlOf = async (
  { event_type, version_id: versionId, company_id: companyId }: MessageRow,
  settings: MailSettings,
): Promise<string | null> =>
  event_type === BROADCAST && versionId !== null ? createWebLink(settings, { companyId, versionId }) : null;

/** Returns one-click unsubscribe headers (RFC 8058) for bulk mail, and headers of automatic mail for the other lanes. */
function headersOf(lane: MessageRow["lane"], unsubscribeUrl: string | null): Record<string, string> {
  if (lane !== "bulk") return AUTOMATIC_HEADERS;
  if (unsubscribeUrl === null) return {};
  return { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}

/** Returns the address of the recipient and the variables, or null when they cannot be decrypted. */
export async function openMessage(
  { id, company_id, to_enc, variables_enc }: MessageRow,
  keys: Pick<EmailKeys, "variables">,
): Promise<{ to: string; variables: Variables } | null> {
  if (variables_enc === null) return null;
  try {
    const [to, text] = await Promise.all([
      open(to_enc, keys.variables, messageAad("to_enc", company_id, id)),
      open(variables_enc, keys.variables, messageAad("variables_enc", company_id, id)),
    ]);
    const variables = parseStoredVariables(JSON.parse(text));
    return variables === null ? null : { to, variables };
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

const isTextRecord = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((entry) => typeof entry === "string");

/** Returns the variables if every value is text or a list of items with text, else null. */
function parseStoredVariables(value: unknown): Variables | null {
  if (!isObject(value)) return null;
  const isValid = Object.values(value).every(
    (entry) => typeof entry === "string" || (Array.isArray(entry) && entry.every(isTextRecord)),
  );
  return isValid ? (value as Variables) : null;
}
