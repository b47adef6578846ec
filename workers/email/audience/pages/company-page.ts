import type { BrandingRow } from "../../../../db/email/rows";
import { pageLook } from "../../../kit/pages/company-look";
import { type Page, pageResponse } from "../../../kit/pages/page";
import { storedLogoOf } from "../../content/logos/logo-file";

/** The company of a page. Name and branding are null when they are unknown. */
export type CompanyLook = { companyName: string | null; branding: BrandingRow | null };

/** Returns a page in the colours of a company, with its stored logo or its name at the top. `style` is CSS that only this page needs. */
export function companyPage(
  page: Omit<Page, "brand" | "logo">,
  { companyName, branding }: CompanyLook,
  settings: { emailPublicUrl: string },
): Promise<Response> {
  const { primary_color: primaryColor = "", logo_url = "", logo_dark_url = "" } = branding ?? {};
  const logos = { logoUrl: storedLogoOf(settings, logo_url), darkLogoUrl: storedLogoOf(settings, logo_dark_url) };
  const look = pageLook({ primaryColor, ...logos }, page.style);
  return pageResponse({ ...page, ...look, brand: companyName ?? "" });
}
