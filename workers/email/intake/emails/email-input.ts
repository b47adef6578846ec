import { MAX_DIRECT_RECIPIENTS } from "../../../../db/email/conditions/direct";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { FieldErrors } from "../../../../schemas/errors";
import { canonicalAddress } from "../../../../schemas/text/address";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import { readInstant } from "../../../kit/http/request/instant";
import { tryParse } from "../../../kit/http/request/parsed";
import { isAbsent, isObject, type JsonObject } from "../../../kit/json";
import { DAY_MS } from "../../../kit/time";
import {
  type AttachmentLimits,
  type NewAttachment,
  readAttachments,
} from "../../delivery/attachments/attachment-input";
import type { Mailbox, Tag } from "../../delivery/messages/direct-content";
import { Problem } from "../../problem";
import { readTimeZone } from "../submission/fields";
import { readHeaders } from "./email-headers";
import { textOfHtml } from "./html-text";
import { readMailbox } from "./mailbox";

/** An email of a request. It has either content (`mail`) or a template. */
export type EmailInput = {
  from: Mailbox;
  to: Mailbox[];
  mail: { subject: string; html: string; text: string } | null;
  /** `language` null: the default language. Times in the mail are in the IANA time zone. */
  template: { key: string; variables: unknown; language: EmailLanguage | null; timeZone: string } | null;
  replyTo: string | null;
  headers: Record<string, string>;
  tags: Tag[];
  attachments: NewAttachment[];
  /** unix ms; null: at once */
  scheduledAt: number | null;
};

/** Maximum size of HTML and text together, in bytes. */
export const MAX_CONTENT_BYTES = 262_144;
const MAX_SCHEDULE_MS = 30 * DAY_MS;
const MAX_SUBJECT_LENGTH = 998;
const MAX_TAGS = 10;
/** Maximum size of the tags as JSON, in bytes. The trace of each message contains them. */
const MAX_TAGS_BYTES = 1024;
const TAG_PART = /^[A-Za-z0-9_-]{1,256}$/;
const CONTENT_FIELDS = ["subject", "html", "text"] as const;

/** Reasons for rejecting a field of Resend's wire that this service does not support, by field. */
const UNSUPPORTED = {
  cc: "`cc` is not supported: each address in `to` gets a message of its own. Add the address to `to`.",
  bcc: "`bcc` is not supported: recipients in `to` do not see each other. Add the address to `to`.",
} as const;
const NO_ATTACHMENTS = "A batch cannot have `attachments`. Send the email with `POST /api/v1/emails`.";
const NO_URLS =
  "`path` of an attachment is not supported: no URL is fetched. Send the bytes in `content`, or name an object in `storage`.";

/** The limits of attachments, or null when the request may not have any. */
export type EmailLimits = { now: number; attachments: AttachmentLimits | null };

/**
 * Reads an email in Resend's wire format. `now` is in unix ms. Throws 400 `validation_failed` with the codes of all invalid
 * fields.
 */
export function readEmail(body: JsonObject, { now, attachments: limits }: EmailLimits): EmailInput {
  rejectFields(body, UNSUPPORTED);
  if (limits === null) rejectFields(body, { attachments: NO_ATTACHMENTS });
  const errors: FieldErrors = {};
  const from = readFrom(body.from, errors);
  const to = readTo(body.to, errors);
  const template = readTemplate(body, errors);
  const mail = template === null ? readContent(body, errors) : null;
  const replyTo = readReplyTo(body.reply_to, errors);
  const headers = isAbsent(body.headers) ? {} : readHeaders(body.headers);
  if (typeof headers === "string") errors.headers = [headers];
  const tags = readTags(body.tags, errors);
  const scheduledAt = readSchedule(body.scheduled_at, now, errors);
  const attachments = limits === null ? [] : readFiles(body.attachments, limits, errors);
  const isInvalid = Object.keys(errors).length > 0 || from === null || typeof headers === "string";
  if (isInvalid) throw invalidEmail(errors);
  return { from, to, mail, template, replyTo, headers, tags, attachments, scheduledAt };
}

/** Returns 400 `validation_failed`. Its message explains the fields when all of them are URLs of attachments. */
function invalidEmail(errors: FieldErrors): Problem {
  const isUrlOnly = Object.keys(errors).every((field) => /^attachments\.\d+\.path$/.test(field));
  return new Problem("validation_failed", { ...(isUrlOnly ? { message: NO_URLS } : {}), field_errors: errors });
}

function rejectFields(body: JsonObject, messages: Readonly<Record<string, string>>): void {
  for (const [field, message] of Object.entries(messages)) {
    const value = body[field];
    const isEmpty = isAbsent(value) || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) throw new Problem("validation_failed", { message, field_errors: { [field]: ["not_allowed"] } });
  }
}

function readFrom(value: unknown, errors: FieldErrors): Mailbox | null {
  const mailbox = typeof value === "string" ? readMailbox(value) : null;
  if (mailbox === null) errors.from = [isAbsent(value) || value === "" ? "required" : "invalid_format"];
  return mailbox;
}

function readTo(value: unknown, errors: FieldErrors): Mailbox[] {
  const list = Array.isArray(value) ? value : isAbsent(value) ? [] : [value];
  if (list.length === 0) errors.to = ["required"];
  if (list.length > MAX_DIRECT_RECIPIENTS) errors.to = ["too_many"];
  if (errors.to !== undefined) return [];
  const mailboxes = new Map<string, Mailbox>();
  for (const [index, entry] of list.entries()) {
    const mailbox = typeof entry === "string" ? readMailbox(entry) : null;
    if (mailbox === null) errors[`to.${index}`] = ["invalid_format"];
    else if (!mailboxes.has(canonicalAddress(mailbox.address))) {
      mailboxes.set(canonicalAddress(mailbox.address), mailbox);
    }
  }
  return [...mailboxes.values()];
}

/** Reads `template_key` and `variables`, or Resend's `template` with `id` and `variables`. */
function readTemplate(body: JsonObject, errors: FieldErrors): EmailInput["template"] {
  const { template, template_key, variables, language } = body;
  const isKnown = EMAIL_LANGUAGES.some((known) => known === language);
  if (!isKnown && !isAbsent(language) && language !== "") errors.language = ["invalid"];
  const timeZone = readTimeZone(body.time_zone);
  if (timeZone === null) errors.time_zone = ["invalid"];
  if (isAbsent(template) && isAbsent(template_key)) {
    if (!isAbsent(variables)) errors.variables = ["not_allowed"];
    return null;
  }
  const chosen = isAbsent(template) ? { id: template_key, variables } : template;
  const field = isAbsent(template) ? "template_key" : "template";
  if (!isObject(chosen) || typeof chosen.id !== "string" || chosen.id === "") {
    errors[field] = ["invalid"];
    return null;
  }
  // Resend's clients send a subject next to a template; here the template contains it.
  for (const name of CONTENT_FIELDS) if (!isAbsent(body[name]) && body[name] !== "") errors[name] = ["not_allowed"];
  return {
    key: chosen.id,
    variables: chosen.variables,
    language: isKnown ? (language as EmailLanguage) : null,
    timeZone: timeZone ?? "UTC",
  };
}

function readContent(body: JsonObject, errors: FieldErrors): NonNullable<EmailInput["mail"]> {
  const [subject, html, text] = CONTENT_FIELDS.map((name) => {
    const value = isAbsent(body[name]) ? "" : body[name];
    if (typeof value === "string") return value;
    errors[name] = ["invalid"];
    return "";
  }) as [string, string, string];
  if (subject.trim() === "") errors.subject ??= ["required"];
  else if (subject.length > MAX_SUBJECT_LENGTH) errors.subject = ["too_long"];
  else if (/[\p{Cc}\u2028\u2029]/u.test(subject)) errors.subject = ["invalid"];
  if (html.trim() === "" && text.trim() === "") errors.html ??= ["required"];
  if (html.length + text.length > MAX_CONTENT_BYTES || utf8ToBytes(html + text).length > MAX_CONTENT_BYTES) {
    errors.html ??= ["too_large"];
    return { subject, html: "", text: "" };
  }
  return { subject, html, text: text.trim() === "" ? textOfHtml(html) : text };
}

function readReplyTo(value: unknown, errors: FieldErrors): string | null {
  const list = Array.isArray(value) ? value : isAbsent(value) || value === "" ? [] : [value];
  const [first] = list;
  if (list.length > 1) errors.reply_to = ["too_many"];
  if (first === undefined) return null;
  const mailbox = typeof first === "string" ? readMailbox(first) : null;
  if (mailbox === null) errors.reply_to = ["invalid_format"];
  return mailbox?.address ?? null;
}

function readFiles(value: unknown, limits: AttachmentLimits, errors: FieldErrors): NewAttachment[] {
  const attachments = tryParse(() => readAttachments(value, limits));
  if (attachments.ok) return attachments.value;
  Object.assign(errors, attachments.problem.options.field_errors);
  return [];
}

function readTags(value: unknown, errors: FieldErrors): Tag[] {
  if (isAbsent(value)) return [];
  const isPart = (part: unknown) => typeof part === "string" && TAG_PART.test(part);
  const tags = (Array.isArray(value) ? value : [null]).map((tag): Tag | null => {
    if (!isObject(tag) || !isPart(tag.name) || !(isAbsent(tag.value) || isPart(tag.value))) return null;
    return { name: String(tag.name), value: isAbsent(tag.value) ? "" : String(tag.value) };
  });
  const valid = tags.flatMap((tag) => tag ?? []);
  if (valid.length < tags.length) errors.tags = ["invalid"];
  else if (valid.length > MAX_TAGS) errors.tags = ["too_many"];
  else if (JSON.stringify(valid).length > MAX_TAGS_BYTES) errors.tags = ["too_long"];
  return valid;
}

/** Reads an ISO 8601 time with offset, at most 30 days ahead. Returns null without a time, and for a time in the past. */
export function readSchedule(value: unknown, now: number, errors: FieldErrors): number | null {
  if (isAbsent(value)) return null;
  const at = typeof value === "string" && value.includes("T") ? readInstant(value, 0) : Number.NaN;
  if (Number.isNaN(at)) errors.scheduled_at = ["invalid"];
  else if (at > now + MAX_SCHEDULE_MS) errors.scheduled_at = ["out_of_range"];
  return at > now ? at : null;
}
