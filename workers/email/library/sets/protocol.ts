import { BRAND } from "../../render/brand";
import { defineSet, MONOSPACE } from "./look";

/** A form: hairlines, headings and names of values in monospace, blue. */
export const PROTOCOL = defineSet({
  key: "protocol",
  name: "Protocol",
  font: "'Segoe UI',-apple-system,BlinkMacSystemFont,Roboto,Helvetica,Arial,sans-serif",
  light: {
    page: "#ffffff",
    panel: "#ffffff",
    text: "#101828",
    soft: "#5a6577",
    line: "#cfd7e3",
    tint: "#f3f6fa",
    link: "#1d4ed8",
  },
  dark: {
    page: "#0b0f16",
    panel: "#0f1520",
    text: "#dce5f2",
    soft: "#93a1b6",
    line: "#2a374b",
    tint: "#162030",
    link: "#8cb4ff",
  },
  styles: {
    container: "padding:32px 16px 40px",
    header: "padding:14px 24px;border:1px solid #cfd7e3;border-bottom:0",
    panel: "padding:32px 24px 16px;border:1px solid #cfd7e3",
    footer: "padding:16px 24px 10px;border:1px solid #cfd7e3;border-top:0",
    brand: `font-family:${MONOSPACE};font-size:13px;line-height:20px;letter-spacing:0.4px`,
    "brand-bar":
      "width:100%;height:3px;margin:0 0 12px;font-size:0;line-height:3px;background-color:{{ system.brand_color }}",
    heading: `margin:0 0 18px;font-family:${MONOSPACE};font-size:21px;line-height:30px;letter-spacing:-0.4px`,
    subheading: `font-family:${MONOSPACE};font-size:14px;line-height:22px`,
    eyebrow: `font-family:${MONOSPACE};font-size:12px;line-height:18px;letter-spacing:0.6px;text-transform:uppercase;font-weight:400`,
    text: "font-size:15px;line-height:24px",
    item: "font-size:15px;line-height:24px",
    key: `font-family:${MONOSPACE};font-size:12px;line-height:20px`,
    value: `font-family:${MONOSPACE};font-size:13px;line-height:20px;overflow-wrap:break-word`,
    "key-cell": "padding:9px 12px 9px 0",
    "value-cell": "padding:9px 0",
    small: "font-size:12px;line-height:18px",
    status: `border-radius:2px;font-family:${MONOSPACE};font-size:12px`,
    code: "border-radius:0;border:1px solid #cfd7e3;background-color:#ffffff",
    box: "padding:20px 20px 2px;border-radius:0;border:1px solid #cfd7e3;background-color:#f3f6fa",
    button: `border-radius:2px;background-color:${BRAND.color("#1d4ed8")}`,
    "button-label": `color:${BRAND.text("#ffffff")};font-family:${MONOSPACE};font-size:14px`,
  },
  darkRules: {
    "header,footer": "border-color:#2a374b",
    "code,box": "background-color:#162030;border-color:#2a374b",
    "brand-bar": `background-color:${BRAND.colorDark("#8cb4ff")}`,
    button: `background-color:${BRAND.colorDark("#8cb4ff")}`,
    "button-label": `color:${BRAND.textDark("#0b0f16")}`,
  },
  phoneRules: {
    container: "padding:12px 10px 24px",
    "header,footer": "padding-left:16px;padding-right:16px",
    panel: "padding:24px 16px 8px",
    heading: "font-size:19px;line-height:27px",
  },
});
