import type * as z from "zod";
import type { BrandingRow } from "../../../../db/email/rows";
import type { brandingSchema } from "../../../../schemas/email/content/branding";
import { iso } from "../../../kit/time";

/** Returns the API representation of a branding. Without a row, all texts are empty. */
export function presentBranding(
  companyId: number,
  row: BrandingRow | null,
): z.output<ReturnType<typeof brandingSchema.unwrap>> {
  return {
    company_id: companyId,
    primary_color: row?.primary_color ?? "",
    logo_url: row?.logo_url ?? "",
    logo_dark_url: row?.logo_dark_url ?? "",
    postal_address: row?.postal_address ?? "",
    footer_text: row?.footer_text ?? "",
    footer_texts: { en: row?.footer_texts.en ?? "", fr: row?.footer_texts.fr ?? "" },
    social_links: row?.social_links ?? {},
    updated_at: iso(row?.updated_at ?? null),
  };
}
