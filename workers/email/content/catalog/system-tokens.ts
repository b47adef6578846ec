import type { BrandingRow } from "../../../../db/email/rows";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { EmailSettings } from "../../settings";
import { brandTokens } from "../branding/brand-tokens";
import type { SystemTokens } from "../tokens/substitution";
import { valueTexts } from "./value-texts";

/** What the tokens `system.*` of one mail are made of. */
export type MailFacts = {
  /** `msg_…` */
  messageId: string;
  language: EmailLanguage;
  variables: Readonly<Record<string, string>>;
  branding: BrandingRow | null;
  /** where a reply arrives, null where nobody reads it */
  replyTo: string | null;
  /** the link to leave, null in mail that nobody can leave */
  leaveUrl: string | null;
};

/** The tokens `system.*` of a mail; docs/specification/email-content.md#system-tokens. */
export function systemTokens(facts: MailFacts, settings: Pick<EmailSettings, "emailPublicUrl">): SystemTokens {
  const { messageId, language, variables, branding, replyTo, leaveUrl } = facts;
  // A company that says in its footer how to reach it needs no words of ours.
  const hasCompanyContact = (branding?.footer_text ?? "") !== "";
  const contact = replyTo === null ? { no_reply: "1" } : { reply_to: replyTo };
  return {
    ...valueTexts(variables, language),
    ...brandTokens(branding),
    ...(hasCompanyContact ? {} : contact),
    ...(leaveUrl === null ? {} : { unsubscribe_url: leaveUrl, preferences_url: leaveUrl }),
    message_id: messageId,
    // New documents may not use it in images; stored copies that do are sent as before.
    assets_url: `${settings.emailPublicUrl}/static/library`,
  };
}
