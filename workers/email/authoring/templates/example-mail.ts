import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { exampleValue } from "../../content/catalog/catalog";
import { systemTokens } from "../../content/catalog/system-tokens";
import type { Variables } from "../../content/catalog/variables";
import { type MailContent, substitute } from "../../content/tokens/substitution";
import type { EmailSettings } from "../../settings";
import { tooLarge } from "./version";

/** Returns the example values of the variables of an event. */
export function exampleVariables(event: CatalogEvent, authLinkHosts: readonly string[]): Variables {
  return Object.fromEntries(event.variables.map((variable) => [variable.token, exampleValue(variable, authLinkHosts)]));
}

/**
 * Returns the mail with example values, without branding. Throws 400 `document: [render_failed]` when it exceeds the maximum
 * size.
 */
export function fillExampleMail(
  event: CatalogEvent,
  language: EmailLanguage,
  content: MailContent,
  settings: Pick<EmailSettings, "authLinkHosts" | "debug" | "emailPublicUrl">,
): MailContent {
  const variables = exampleVariables(event, settings.authLinkHosts);
  const systemValues = {
    messageId: "msg_test",
    language,
    variables,
    branding: null,
    replyTo: null,
    unsubscribeUrl: null,
  };
  const filled = substitute(content, variables, {
    authLane: event.lane_class === "auth",
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: [],
    system: systemTokens(systemValues, settings),
  });
  if ("error" in filled) throw tooLarge();
  return filled;
}
