import type { ContentRow, CustomTemplateContent, MessageRow, VersionContent } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { replaceHeadTexts } from "../render/compose";
import type { MailContent } from "../tokens/substitution";
import { areListedHosts } from "./document-text";

/** A language and its source. */
export type ChosenLanguage = { value: EmailLanguage; source: "rule" | "recipient" | "request" | "copy" | "default" };

/** The input of pinContent. */
export type PinContentInput = {
  event: CatalogEvent;
  language: ChosenLanguage;
  /** the custom template to use, or null when none exists or none may be used */
  customTemplate: CustomTemplateContent | null;
  /** why `customTemplate` is null */
  defaultReason?: "no_copy" | "platform_sender";
  /** the current default contents of the event */
  defaults: readonly Pick<ContentRow, "language" | "checksum">[];
  authLinkHosts: readonly string[];
};

/** The content columns of a message. If `version_id` and `default_checksum` are set, `default_checksum` takes precedence. */
export type PinnedContent = Pick<MessageRow, "version_id" | "template_version" | "default_checksum"> & {
  /** language of the subject */
  language: ChosenLanguage;
  /** the entry in the trace of the message */
  trace: {
    source: "copy" | "default" | "direct";
    template_id: number | null;
    version: number | null;
    design: string;
    reason: "no_copy" | "platform_sender" | "checks_failed" | "unchanged" | null;
  };
};

/**
 * Chooses the content of a message when it is accepted: the custom template of the company, or the default content. The
 * default content is used without a custom template, and when a sign-in template links to hosts that are no longer allowed. A
 * custom template that was never edited is replaced by the default content in the language of the message, and for an own event
 * type also in the language of the template. A custom subject
 * keeps the language of the template. Returns null when the default content is needed but missing.
 */
export function pinContent(input: PinContentInput): PinnedContent | null {
  const { event, language, customTemplate, defaultReason = "no_copy", defaults, authLinkHosts } = input;
  const checksumIn = (requestedLanguage: EmailLanguage) =>
    defaults.find((content) => content.language === requestedLanguage)?.checksum ?? null;
  if (customTemplate === null) return pinDefault(event, language, checksumIn(language.value), defaultReason);
  if (event.lane_class === "auth" && !areListedHosts(customTemplate.uses.hosts, authLinkHosts)) {
    return pinDefault(event, language, checksumIn(language.value), "checks_failed");
  }
  // A company changes the texts of its own event types at any time, so their unedited templates follow in every language.
  const followsDefault = event.own !== undefined || customTemplate.language !== language.value;
  const defaultChecksum = customTemplate.is_default && followsDefault ? checksumIn(language.value) : null;
  const hasCustomSubject = defaultChecksum === null && !isSuggested(event, "subject", customTemplate.subject);
  return {
    version_id: customTemplate.version_id,
    template_version: customTemplate.number,
    default_checksum: defaultChecksum,
    language: hasCustomSubject ? { value: customTemplate.language, source: "copy" } : language,
    trace: {
      source: "copy",
      template_id: customTemplate.template_id,
      version: customTemplate.number,
      design: defaultChecksum === null || event.own === undefined ? customTemplate.source_key : event.default_template,
      reason: defaultChecksum === null ? null : "unchanged",
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

/** The default contents by checksum, and the versions by id, that the claim read. */
type PinnedRows = {
  contents: ReadonlyMap<string, MailContent>;
  versions: ReadonlyMap<number, VersionContent>;
};

/**
 * Returns the content that was chosen at acceptance. Returns null when it was deleted. `event` is undefined when the event was
 * deleted.
 */
export function pinnedMail(
  message: Pick<MessageRow, "version_id" | "default_checksum" | "language">,
  event: CatalogEvent | undefined,
  { contents, versions }: PinnedRows,
): MailContent | null {
  if (message.default_checksum !== null) return contents.get(message.default_checksum) ?? null;
  const version = versions.get(message.version_id ?? 0);
  return version === undefined ? null : inLanguage(version, event, message.language);
}

/** Returns the mail of a version. A subject or preheader that equals the catalog text is translated to `language`. */
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
