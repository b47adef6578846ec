import { BRAND } from "../tokens/brand";
import { defineSet } from "./look";

const SERIF = "Georgia,'Times New Roman',Times,serif";

/** A violet design with centred serif headings: ink on pale paper by day, silver on midnight in dark mode. */
export const ARCANE = defineSet({
  key: "arcane",
  name: "Arcane",
  font: "'Segoe UI',-apple-system,BlinkMacSystemFont,Roboto,Helvetica,Arial,sans-serif",
  light: {
    page: "#f1edf9",
    panel: "#fdfcff",
    text: "#221a36",
    soft: "#655b7d",
    line: "#ddd5ec",
    tint: "#f5f1fc",
    link: "#5a35b0",
  },
  dark: {
    page: "#120d1f",
    panel: "#1b1430",
    text: "#f1ecff",
    soft: "#b6abd2",
    line: "#3b3060",
    tint: "#251b42",
    link: "#c3adff",
  },
  styles: {
    header: "padding:8px 0 28px;text-align:center",
    view: "margin:0 0 20px;text-align:center",
    brand: `font-family:${SERIF};font-size:20px;line-height:28px;font-weight:400;font-style:italic`,
    "half-left": "padding:0 12px 16px 0;text-align:center",
    "half-right": "padding:0 0 16px 12px;text-align:center",
    monogram: `border-radius:4px;background-color:${BRAND.color("#5a35b0")};color:${BRAND.text("#ffffff")}`,
    panel:
      "padding:48px 48px 32px;border:1px solid #ddd5ec;border-radius:6px;background-color:#fdfcff;text-align:center",
    footer: "padding:28px 24px 0;text-align:center",
    eyebrow: `font-weight:400;letter-spacing:1.6px;text-transform:uppercase;font-size:12px;color:${BRAND.ink("#5a35b0")};text-align:center`,
    heading: `font-family:${SERIF};font-size:33px;line-height:42px;font-weight:400;text-align:center`,
    "plain-heading": "font-size:28px;line-height:36px",
    subheading: `font-family:${SERIF};font-size:20px;line-height:28px;font-weight:400`,
    gap: "line-height:16px",
    list: "display:inline-block;text-align:left",
    key: `font-family:${SERIF};font-style:italic;font-size:15px`,
    button: `border-radius:4px;background-color:${BRAND.color("#5a35b0")}`,
    "button-table": "margin:8px auto 28px",
    "button-label": `color:${BRAND.text("#ffffff")};letter-spacing:0.3px`,
    box: "padding:28px 24px 12px;border-radius:6px;border:1px solid #ddd5ec;text-align:center",
    said: `font-family:${SERIF};font-size:21px;line-height:31px;font-style:italic;margin:0 0 8px`,
    quote: "border-left:0;padding:8px 0 4px;text-align:center",
    offer: `margin:0 0 8px;font-family:${SERIF};font-size:52px;line-height:60px;text-align:center`,
    status: "border-radius:4px",
    code: "border-radius:6px",
    "bar-done": `background-color:${BRAND.color("#5a35b0")}`,
  },
  darkRules: {
    eyebrow: `color:${BRAND.inkDark("#c3adff")}`,
    monogram: `background-color:${BRAND.colorDark("#b79cff")};color:${BRAND.textDark("#190f33")}`,
    button: `background-color:${BRAND.colorDark("#b79cff")}`,
    "button-label": `color:${BRAND.textDark("#190f33")}`,
    box: "background-color:#251b42;border-color:#3b3060",
    "bar-done": `background-color:${BRAND.colorDark("#b79cff")}`,
  },
  phoneRules: {
    container: "padding:20px 12px 32px",
    panel: "padding:36px 22px 16px",
    heading: "font-size:27px;line-height:35px",
    offer: "font-size:44px;line-height:52px",
  },
});
