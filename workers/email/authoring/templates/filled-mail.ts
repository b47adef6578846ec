import type { TemplateRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { createUnsubscribeUrl } from "../../audience/unsubscribes/unsubscribe";
import { createWebLink } from "../../audience/web-links/web-link";
import { readBranding } from "../../content/branding/branding";
import { systemTokens } from "../../content/catalog/system-tokens";
import { urlTokensOf } from "../../content/catalog/variables";
import { fillLine, type MailContent, type SubstitutionOptions, substitute } from "../../content/tokens/substitution";
import type { Variables } from "../../content/tokens/values";
import { Problem } from "../../problem";
import { hashAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { tooLarge } from "./version";

/** The recipient of a sample mail. `replyTo` is null when replies are not read. */
export type Reader = { to: string; replyTo: string | null };

/**
 * Returns the mail of a custom template as the recipient would receive it. The mail has the branding of the company, and an
 * unsubscribe link if recipients can unsubscribe. A broadcast with the id of its version links to its web version. Throws 400 `variable_url_not_allowed` for a URL that mails must not contain,
 * and 400 `document: [render_failed]` for a mail that is too large.
 */
export async function fillMail(
  services: EmailServices,
  { company_id: companyId, language, kind }: Pick<TemplateRow, "company_id" | "language" | "kind">,
  event: CatalogEvent,
  content: MailContent & { preheader: string; id?: number },
  variables: Variables,
  { to, replyTo }: Reader,
): Promise<MailContent & { preheader: string }> {
  const { settings } = services;
  const lane = event.lane_class;
  const hash = await hashAddress(settings.rawKeys.pepper, to);
  const category = event.is_necessary === true ? "auth" : kind === "broadcast" ? "bulk" : lane;
  const unsubscribeUrl = category !== "auth" ? await createUnsubscribeUrl(settings, companyId, category, hash) : null;
  const viewUrl =
    kind === "broadcast" && content.id !== undefined
      ? await createWebLink(settings, { companyId, versionId: content.id })
      : null;
  const branding = await readBranding(services, companyId);
  const options: SubstitutionOptions = {
    authLane: lane === "auth",
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: urlTokensOf(event),
    system: systemTokens(
      { messageId: "msg_test", language, variables, branding, replyTo, unsubscribeUrl, viewUrl },
      settings,
    ),
  };
  const filled = substitute(content, variables, options);
  if ("error" in filled) {
    if (filled.error === "too_large") throw tooLarge();
    throw new Problem(filled.error, { field_errors: { [`variables.${filled.token}`]: ["invalid"] } });
  }
  return { ...filled, preheader: fillLine(content.preheader, variables, options) };
}
