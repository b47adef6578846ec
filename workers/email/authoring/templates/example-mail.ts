import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { exampleVariables, longestLists } from "../../content/catalog/examples";
import { systemTokens } from "../../content/catalog/system-tokens";
import { type MailContent, type SubstitutionOptions, substitute } from "../../content/tokens/substitution";
import type { EmailSettings } from "../../settings";
import { tooLarge } from "./version";

/**
 * Returns the mail with example values, without branding. Throws 400 `document: [render_failed]` when it exceeds the maximum
 * size, or would exceed it with lists of the maximum length.
 */
export function fillExampleMail(
  event: CatalogEvent,
  language: EmailLanguage,
  content: MailContent,
  settings: Pick<EmailSettings, "authLinkHosts" | "debug" | "emailPublicUrl">,
): MailContent {
  const variables = exampleVariables(event, language, settings.authLinkHosts);
  const systemValues = {
    messageId: "msg_test",
    language,
    variables,
    branding: null,
    replyTo: null,
    unsubscribeUrl: null,
  };
  const options: SubstitutionOptions = {
    authLane: event.lane_class === "auth",
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: [],
    system: systemTokens(systemValues, settings),
  };
  const hasLists = event.variables.some(({ value_type }) => value_type === "list");
  if (hasLists && "error" in substitute(content, longestLists(variables), options)) throw tooLarge();
  const filled = substitute(content, variables, options);
  if ("error" in filled) throw tooLarge();
  return filled;
}
