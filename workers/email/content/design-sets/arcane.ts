import { BRAND } from "../tokens/brand";
import { defineSet } from "./look";

const SERIF = "Georgia,'Times New Roman',Times,serif";

const NIGHT = {
  page: "#120d1f",
  panel: "#1b1430",
  text: "#f1ecff",
  soft: "#b6abd2",
  line: "#3b3060",
  tint: "#251b42",
  link: "#c3adff",
};

/** A violet design with centred serif headings. It is dark in light mode too. */
export const ARCANE = defineSet({
  key: "arcane",
  name: "Arcane",
  font: "'Segoe UI',-apple-system,BlinkMacSystemFont,Roboto,Helvetica,Arial,sans-serif",
  light: NIGHT,
  dark: NIGHT,
  isDark: true,
  styles: {
    header: "padding:8px 0 28px;text-align:center",
    brand: `font-family:${SERIF};font-size:20px;line-height:28px;font-weight:400;font-style:italic`,
    "brand-bar":
      "width:56px;margin:0 auto 18px;font-size:0;line-height:3px;background-color:{{ system.brand_color_dark }}",
    panel:
      "padding:52px 48px 32px;border:1px solid #3b3060;border-radius:6px;background-color:#1b1430;text-align:center",
    footer: "padding:28px 24px 0;text-align:center",
    ornament: `margin:0 0 18px;font-size:18px;line-height:24px;color:${BRAND.inkDark("#c3adff")}`,
    eyebrow: `font-weight:400;letter-spacing:1.6px;text-transform:uppercase;font-size:12px;color:${BRAND.inkDark("#c3adff")};text-align:center`,
    heading: `font-family:${SERIF};font-size:33px;line-height:42px;font-weight:400;text-align:center`,
    subheading: `font-family:${SERIF};font-size:20px;line-height:28px;font-weight:400`,
    gap: "line-height:16px",
    list: "display:inline-block;text-align:left",
    key: `font-family:${SERIF};font-style:italic;font-size:15px`,
    button: `border-radius:4px;background-color:${BRAND.colorDark("#b79cff")}`,
    "button-table": "margin:8px auto 28px",
    "button-label": `color:${BRAND.textDark("#190f33")};letter-spacing:0.3px`,
    box: "padding:28px 24px 12px;border-radius:6px;border:1px solid #3b3060;text-align:center",
    said: `font-family:${SERIF};font-size:21px;line-height:31px;font-style:italic;margin:0 0 8px`,
    quote: "border-left:0;padding:8px 0 4px;text-align:center",
    offer: `margin:0 0 8px;font-family:${SERIF};font-size:52px;line-height:60px;color:#f1ecff;text-align:center`,
    status: "border-radius:4px",
    code: "border-radius:6px",
  },
  // The colours are repeated here because mail clients that invert colours do not invert those set by a dark-mode rule.
  darkRules: {
    "eyebrow,ornament": `color:${BRAND.inkDark("#c3adff")}`,
    offer: "color:#f1ecff",
    "brand-bar": `background-color:${BRAND.colorDark("#b79cff")}`,
    button: `background-color:${BRAND.colorDark("#b79cff")}`,
    "button-label": `color:${BRAND.textDark("#190f33")}`,
  },
  phoneRules: {
    container: "padding:20px 12px 32px",
    panel: "padding:36px 22px 16px",
    heading: "font-size:27px;line-height:35px",
    offer: "font-size:44px;line-height:52px",
  },
});
