import type { BrandingRow } from "../../../../db/email/rows";
import { type Page, pageResponse } from "../../../kit/pages/page";
import { brandColours } from "../../content/branding/colours";
import { logoUrl } from "../../content/logos/logo-file";

/** The company of a page. Name and branding are null when they are unknown. */
export type CompanyLook = { companyName: string | null; branding: BrandingRow | null };

const LOGO_STYLE = `.logo{display:block;max-width:min(100%,200px);max-height:32px;width:auto;height:auto}
@media(prefers-color-scheme:dark){.logo{box-sizing:content-box;padding:6px 8px;border-radius:var(--radius);background:#fff}}`;

/** Returns the CSS with the colours of a company. Their contrast is sufficient on light and dark pages. */
function coloursOf(primary: string): string {
  if (!/^#[0-9a-f]{6}$/.test(primary)) return "";
  const { color, text, ink, colorDark, textDark, inkDark } = brandColours(primary);
  const rule = (accent: string, on: string, focus: string) =>
    `:root{--primary:${accent};--primary-foreground:${on};--ring:${focus}}`;
  return `${rule(color, text, ink)}
@media(prefers-color-scheme:dark){${rule(colorDark, textDark, inkDark)}}`;
}

/**
 * Returns a page in the colours of a company, with its logo or name at the top. A logo on another host is not shown,
 * because that host would see who opens the page. `style` is CSS that only this page needs.
 */
export function companyPage(
  page: Omit<Page, "brand" | "logo">,
  { companyName, branding }: CompanyLook,
  settings: { emailPublicUrl: string },
): Promise<Response> {
  const logo = branding?.logo_url ?? "";
  const isOwn = logo.startsWith(logoUrl(settings, ""));
  const style = [isOwn ? LOGO_STYLE : "", coloursOf(branding?.primary_color ?? ""), page.style ?? ""];
  const css = style.filter((part) => part !== "").join("\n");
  return pageResponse({
    ...page,
    brand: companyName ?? "",
    ...(isOwn ? { logo } : {}),
    ...(css === "" ? {} : { style: css }),
  });
}
