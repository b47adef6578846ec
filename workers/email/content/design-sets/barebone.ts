import { BRAND } from "../tokens/brand";
import { defineSet } from "./look";

/** A plain design: white background, dark text, no boxes. The brand colour is the only colour. */
export const BAREBONE = defineSet({
  key: "barebone",
  name: "Barebone",
  font: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  light: {
    page: "#ffffff",
    panel: "#ffffff",
    text: "#1c1c1f",
    soft: "#65656d",
    line: "#e4e4e8",
    tint: "#f5f5f7",
    link: "#1f5bd8",
  },
  dark: {
    page: "#131316",
    panel: "#131316",
    text: "#ededf0",
    soft: "#a2a2ab",
    line: "#2e2e34",
    tint: "#202025",
    link: "#8db4ff",
  },
  styles: {
    heading: "letter-spacing:-0.3px",
    footer: "border-top:1px solid #e4e4e8;padding:24px 0 0",
    panel: "padding:0 0 24px",
    monogram: `background-color:${BRAND.color("#1c1c1f")};color:${BRAND.text("#ffffff")}`,
    button: `border-radius:7px;background-color:${BRAND.color("#1c1c1f")}`,
    "bar-done": `background-color:${BRAND.color("#1c1c1f")}`,
    "tag-first": `background-color:${BRAND.color("#1c1c1f")};color:${BRAND.text("#ffffff")}`,
    "card-current": `border:2px solid ${BRAND.color("#1c1c1f")}`,
    "button-label": `color:${BRAND.text("#ffffff")}`,
  },
  darkRules: {
    monogram: `background-color:${BRAND.colorDark("#ededf0")};color:${BRAND.textDark("#131316")}`,
    button: `background-color:${BRAND.colorDark("#ededf0")}`,
    "bar-done": `background-color:${BRAND.colorDark("#ededf0")}`,
    "tag-first": `background-color:${BRAND.colorDark("#ededf0")};color:${BRAND.textDark("#131316")}`,
    "card-current": `border-color:${BRAND.colorDark("#ededf0")}`,
    "button-label": `color:${BRAND.textDark("#131316")}`,
  },
  phoneRules: {},
});
