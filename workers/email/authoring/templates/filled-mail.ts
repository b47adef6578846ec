import type { TemplateRow } from "../../../../db/email/rows";
import { mayBeLeft } from "../../../../schemas/email/content/catalog";
import { unsubscribeUrl } from "../../audience/unsubscribes/unsubscribe";
import { readBranding } from "../../content/branding/branding";
import { systemTokens } from "../../content/catalog/system-tokens";
import type { Variables } from "../../content/catalog/variables";
import { fillLine, type MailContent, type SubstitutionOptions, substitute } from "../../content/tokens/substitution";
import { Problem } from "../../problem";
import { hashAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { tooLarge } from "./version";
import { eventOf } from "./version-input";

/** Who would read a mail: the address, and where a reply of theirs arrives (null: nowhere). */
export type Reader = { to: string; replyTo: string | null };

/**
 * A mail of a copy as one reader would get it, in the company's branding, with a link to leave that is theirs where the mail
 * can be left. 400 `variable_url_not_allowed` for the value of a URL variable that no mail may have, `document:
 * [render_failed]` for a mail that is larger than one may be.
 */
export async function fillMail(
  services: EmailServices,
  { company_id: companyId, language, ...template }: TemplateRow,
  content: MailContent & { preheader: string },
  variables: Variables,
  { to, replyTo }: Reader,
): Promise<MailContent & { preheader: string }> {
  const { settings } = services;
  const event = eventOf(template);
  const lane = event.lane_class;
  const hash = await hashAddress(settings.rawKeys.pepper, to);
  const isLeavable = lane !== "auth" && mayBeLeft(event);
  const leaveUrl = isLeavable ? await unsubscribeUrl(settings, companyId, lane, hash) : null;
  const branding = await readBranding(services, companyId);
  const options: SubstitutionOptions = {
    authLane: lane === "auth",
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: event.variables.filter(({ type }) => type === "url").map(({ token }) => token),
    system: systemTokens({ messageId: "msg_test", language, variables, branding, replyTo, leaveUrl }, settings),
  };
  const filled = substitute(content, variables, options);
  if ("error" in filled) {
    if (filled.error === "too_large") throw tooLarge();
    throw new Problem(filled.error, { field_errors: { [`variables.${filled.token}`]: ["invalid"] } });
  }
  return { ...filled, preheader: fillLine(content.preheader, variables, options) };
}
