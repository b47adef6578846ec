import type { CatalogEvent } from "../../../schemas/email/catalog";
import { exampleValue } from "../content/catalog";
import type { Variables } from "../content/variables";
import { Problem } from "../problem";
import { hashAddress } from "../recipients/address";
import { fillLine, type MailContent, type SubstitutionOptions, substitute } from "../render/substitution";
import type { EmailServices } from "../services";
import { unsubscribeUrl } from "../unsubscribes/unsubscribe";

/** The catalog's example of each variable of an event. */
export function exampleVariables(event: CatalogEvent, authLinkHosts: readonly string[]): Variables {
  return Object.fromEntries(event.variables.map((variable) => [variable.token, exampleValue(variable, authLinkHosts)]));
}

/**
 * A mail as one recipient would read it, with a link to unsubscribe that is theirs off the auth lane. 400
 * `variable_url_not_allowed` for the value of a URL variable that no mail may have.
 */
export async function fillMail(
  { settings }: EmailServices,
  content: MailContent & { preheader: string },
  { event, variables, companyId, to }: { event: CatalogEvent; variables: Variables; companyId: number; to: string },
): Promise<MailContent & { preheader: string }> {
  const lane = event.lane_class;
  const hash = await hashAddress(settings.rawKeys.pepper, to);
  const leaveUrl = lane === "auth" ? null : await unsubscribeUrl(settings, companyId, lane, hash);
  const options: SubstitutionOptions = {
    ...{ authLane: lane === "auth", authLinkHosts: settings.authLinkHosts, debug: settings.debug },
    urlTokens: event.variables.filter(({ type }) => type === "url").map(({ token }) => token),
    system: {
      message_id: "msg_test",
      assets_url: `${settings.emailPublicUrl}/static/library`,
      ...(leaveUrl === null ? {} : { unsubscribe_url: leaveUrl, preferences_url: leaveUrl }),
    },
  };
  const filled = substitute(content, variables, options);
  if ("error" in filled) {
    throw new Problem(filled.error, { field_errors: { [`variables.${filled.token}`]: ["invalid"] } });
  }
  return { ...filled, preheader: fillLine(content.preheader, variables, options) };
}
