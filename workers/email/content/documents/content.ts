import type { ContentRow, CustomTemplateContent, MessageRow, VersionContent } from "../../../../db/email/rows";
import { type CatalogEvent, findEvent } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { replaceHeadTexts } from "../render/compose";
import type { MailContent } from "../tokens/substitution";
import { areListed } from "./document-text";

/** A language, and what decided on it. */
export type ChosenLanguage = { value: EmailLanguage; source: "rule" | "recipient" | "request" | "copy" | "default" };

/** What decides about the content of a message that is being accepted. */
export type ContentQuestion = {
  event: CatalogEvent;
  language: ChosenLanguage;
  /** the copy that it would be sent by; null: there is none, or none is wanted */
  customTemplate: CustomTemplateContent | null;
  /** why there is no copy */
  defaultReason?: "no_copy" | "platform_sender";
  /** the default contents in force of this event */
  defaults: readonly Pick<ContentRow, "language" | "checksum">[];
  authLinkHosts: readonly string[];
};

/** What a message says, as it is stored with it; `default_checksum` goes before `version_id` where both are set. */
export type PinnedContent = Pick<MessageRow, "version_id" | "template_version" | "default_checksum"> & {
  /** that of the subject */
  language: ChosenLanguage;
  /** of the trace of the message */
  trace: {
    source: "copy" | "default";
    template_id: number | null;
    version: number | null;
    design: string;
    reason: "no_copy" | "platform_sender" | "checks_failed" | "unchanged" | null;
  };
};

/**
 * The content of a message: its copy, unless that is no sign-in mail by the hosts of now; else the default content. A copy
 * that nobody has changed is the default content word for word and is sent as that in the language of the message; a subject
 * of its own has the language of the copy. Null when the default content is needed and missing.
 */
export function pinContent(question: ContentQuestion): PinnedContent | null {
  const { event, language, customTemplate, defaultReason = "no_copy", defaults, authLinkHosts } = question;
  const checksumIn = (requestedLanguage: EmailLanguage) =>
    defaults.find((one) => one.language === requestedLanguage)?.checksum ?? null;
  if (customTemplate === null) return pinDefault(event, language, checksumIn(language.value), defaultReason);
  if (event.lane_class === "auth" && !areListed(customTemplate.uses.hosts, authLinkHosts)) {
    return pinDefault(event, language, checksumIn(language.value), "checks_failed");
  }
  const hasCustomSubject = !isSuggested(event, "subject", customTemplate.subject);
  const other =
    customTemplate.is_default && customTemplate.language !== language.value ? checksumIn(language.value) : null;
  return {
    version_id: customTemplate.version_id,
    template_version: customTemplate.number,
    default_checksum: other,
    language: hasCustomSubject ? { value: customTemplate.language, source: "copy" } : language,
    trace: {
      source: "copy",
      template_id: customTemplate.template_id,
      version: customTemplate.number,
      design: customTemplate.source_key,
      reason: other === null ? null : "unchanged",
    },
  };
}

function pinDefault(
  event: CatalogEvent,
  language: ChosenLanguage,
  checksum: string | null,
  reason: "no_copy" | "platform_sender" | "checks_failed",
): PinnedContent | null {
  if (checksum === null) return null;
  return {
    version_id: null,
    template_version: null,
    default_checksum: checksum,
    language,
    trace: { source: "default", template_id: null, version: null, design: event.default_template, reason },
  };
}

/** The mail that a message is pinned to: what the claim has read of it. Null when it is gone. */
export function pinnedMail(
  message: Pick<MessageRow, "version_id" | "default_checksum" | "event_type" | "language">,
  contents: ReadonlyMap<string, MailContent>,
  versions: ReadonlyMap<number, VersionContent>,
): MailContent | null {
  if (message.default_checksum !== null) return contents.get(message.default_checksum) ?? null;
  const version = versions.get(message.version_id ?? 0);
  return version === undefined ? null : inLanguage(version, findEvent(message.event_type), message.language);
}

/** A version with those of subject and preheader that are the catalog's in the language of the mail. */
export function inLanguage(
  version: Pick<VersionContent, "subject" | "preheader" | "html" | "text">,
  event: CatalogEvent | undefined,
  language: EmailLanguage,
): MailContent {
  const { html, text } = version;
  const textPart = (part: "subject" | "preheader") =>
    event !== undefined && isSuggested(event, part, version[part]) ? event.suggested[language][part] : version[part];
  const texts = { subject: textPart("subject"), preheader: textPart("preheader") };
  return { subject: texts.subject, html: replaceHeadTexts(html, version, texts), text };
}

function isSuggested({ suggested }: CatalogEvent, part: "subject" | "preheader", text: string): boolean {
  return EMAIL_LANGUAGES.some((language) => suggested[language][part] === text);
}
