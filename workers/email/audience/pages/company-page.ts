import type { BrandingRow } from "../../../../db/email/rows";
import { type Page, pageResponse } from "../../../kit/pages/page";
import { brandColours } from "../../content/branding/colours";
import { logoUrl } from "../../content/logos/logo-file";

/** The company of a page. Name and branding are null when they are unknown. */
export type CompanyLook = { companyName: string | null; branding: BrandingRow | null };

const LOGO_STYLE = `.logo{display:block;max-width:100%;max-height:48px;width:auto;height:auto}
@media(prefers-color-scheme:dark){.logo{box-sizing:content-box;padding:8px;border-radius:6px;background:#fff}}`;

/** Returns the CSS with the colours of a company. Their contrast is sufficient on light and dark pages. */
function coloursOf(primary: string): string {
  if (!/^#[0-9a-f]{6}$/.test(primary)) return "";
  const { color, text, ink, colorDark, textDark, inkDark } = brandColours(primary);
  const rules = (accent: string, on: string, focus: string) =>
    `:root{--accent:${accent};--pressed:color-mix(in oklab,${accent} 88%,${on === "#ffffff" ? "#000" : "#fff"});--focus:${focus}}
button:not(.quiet),a.button:not(.quiet){color:${on}}`;
  return `${rules(color, text, ink)}
@media(prefers-color-scheme:dark){${rules(colorDark, textDark, inkDark)}}`;
}

/**
 * Returns a page in the colours of a company, with its logo or name above the heading. A logo on another host is not shown,
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
