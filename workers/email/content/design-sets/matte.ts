import { BRAND } from "../tokens/brand";
import { defineSet } from "./look";

/** A green design: a white card with round corners on a warm background. */
export const MATTE = defineSet({
  key: "matte",
  name: "Matte",
  font: "'Avenir Next',Avenir,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  light: {
    page: "#ece8e0",
    panel: "#ffffff",
    text: "#24251f",
    soft: "#626057",
    line: "#e2ddd3",
    tint: "#f5f2ec",
    link: "#1b5e44",
  },
  dark: {
    page: "#171613",
    panel: "#22211d",
    text: "#f1ede4",
    soft: "#b5afa2",
    line: "#3a3832",
    tint: "#2c2a25",
    link: "#8fd3b2",
  },
  styles: {
    container: "padding:40px 20px 48px",
    header: "padding:0 44px 20px",
    panel: "padding:44px 44px 28px;border-radius:20px;background-color:#ffffff",
    footer: "padding:24px 44px 0",
    heading: "font-size:28px;line-height:36px;letter-spacing:-0.4px",
    "brand-bar":
      "width:40px;margin:0 0 14px;border-radius:3px;font-size:0;line-height:6px;background-color:{{ system.brand_color }}",
    box: "padding:24px 24px 8px;border-radius:14px",
    code: "border-radius:14px",
    button: `border-radius:999px;background-color:${BRAND.color("#1b5e44")}`,
    card: "padding:16px 18px 4px;border:1px solid #e2ddd3;border-radius:14px",
    "bar-done": `background-color:${BRAND.color("#1b5e44")}`,
    "tag-first": `background-color:${BRAND.color("#1b5e44")};color:${BRAND.text("#ffffff")}`,
    "card-current": `border:2px solid ${BRAND.color("#1b5e44")}`,
    "button-label": `color:${BRAND.text("#ffffff")}`,
    eyebrow: `color:${BRAND.ink("#1b5e44")}`,
    quote: `border-left:3px solid ${BRAND.ink("#1b5e44")}`,
  },
  darkRules: {
    "brand-bar": `background-color:${BRAND.colorDark("#8fd3b2")}`,
    button: `background-color:${BRAND.colorDark("#8fd3b2")}`,
    "bar-done": `background-color:${BRAND.colorDark("#8fd3b2")}`,
    "tag-first": `background-color:${BRAND.colorDark("#8fd3b2")};color:${BRAND.textDark("#131316")}`,
    "card-current": `border-color:${BRAND.colorDark("#8fd3b2")}`,
    "button-label": `color:${BRAND.textDark("#10241b")}`,
    eyebrow: `color:${BRAND.inkDark("#8fd3b2")}`,
  },
  phoneRules: {
    panel: "padding:28px 22px 14px;border-radius:16px",
    "header,footer": "padding-left:22px;padding-right:22px",
    container: "padding:20px 12px 32px",
    heading: "font-size:24px;line-height:31px",
  },
});
