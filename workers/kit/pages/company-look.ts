import { brandColours } from "./brand-colours";
import type { Page } from "./page";

/** The colour (`#rrggbb`) and the logos of a company; "" when it has none. */
export type CompanyLook = { primaryColor: string; logoUrl: string; darkLogoUrl: string };

/** The parts of a page that depend on the look of a company. */
export type PageLook = Pick<Page, "logo" | "style">;

const LOGO_STYLE = `.logo{display:block;max-width:min(100%,200px);max-height:28px;width:auto;height:auto}
@media(prefers-color-scheme:dark){.logo.plate{box-sizing:content-box;padding:2px 8px;border-radius:var(--radius);background:#fff}}`;

/** Returns the CSS with the colours of a company. Texts keep a contrast of 4.5:1 on its buttons, also on hover. */
function coloursOf(primary: string): string {
  if (!/^#[0-9a-f]{6}$/.test(primary)) return "";
  const { color, text, ink, colorDark, textDark, inkDark } = brandColours(primary);
  const rule = (accent: string, on: string, focus: string) =>
    `:root{--primary:${accent};--primary-foreground:${on};--ring:${focus}}
button:not(.quiet,.way):hover,a.button:not(.quiet):hover{background:color-mix(in oklch,${accent} 90%,${on === "#ffffff" ? "#000" : "#fff"})}`;
  return `${rule(color, text, ink)}
@media(prefers-color-scheme:dark){${rule(colorDark, textDark, inkDark)}}`;
}

/**
 * Returns the logo and the CSS of a page with the look of a company. `style` is CSS that only this page needs. The logo must be on a
 * host of the platform: any other host would see who opens the page.
 */
export function pageLook({ primaryColor, logoUrl, darkLogoUrl }: CompanyLook, style = ""): PageLook {
  const parts = [logoUrl === "" ? "" : LOGO_STYLE, coloursOf(primaryColor), style].filter((part) => part !== "");
  return {
    ...(logoUrl === "" ? {} : { logo: { light: logoUrl, dark: darkLogoUrl } }),
    ...(parts.length === 0 ? {} : { style: parts.join("\n") }),
  };
}
