import type { TemplateRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import { CONFIRM_URL } from "../../../../schemas/email/content/internal-events";
import type { FieldErrors } from "../../../../schemas/errors";
import { tokensOf } from "../tokens/token";
import { missingLinks } from "./auth-checks";
import { linksOf, type MailDraft } from "./document-text";

/** Returns why a confirmation mail must not be published, or null. Its readers must be able to open the confirmation link. */
export function findConfirmProblem(
  kind: TemplateRow["kind"],
  event: CatalogEvent,
  { document }: Pick<MailDraft, "document">,
): { code: "confirm_link_missing"; field_errors: FieldErrors } | null {
  if (kind !== "newsletter_confirmation") return null;
  const isLinked = linksOf(document).some(({ href }) => tokensOf(href).has(CONFIRM_URL));
  if (isLinked && missingLinks(event, { document }).length === 0) return null;
  return { code: "confirm_link_missing", field_errors: { [CONFIRM_URL]: ["required"] } };
}
