import { mergeStyles } from "../format/style";
import { BRAND, withDefaultColours } from "../tokens/brand";

/** A design set: CSS for the head, and inline styles by element kind and class. */
export interface DesignSet {
  key: string;
  name: string;
  /** CSS for phones and dark mode with the default colours. It never contains values of a company. */
  head: string;
  /** The same CSS with tokens for the brand colours (tokens/brand.ts). */
  css: string;
  styles: Readonly<Record<string, string>>;
}

/** Colours by purpose, as `#rrggbb`. `text` and `soft` are text colours on the backgrounds `page`, `panel` and `tint`. */
export interface Palette {
  page: string;
  panel: string;
  text: string;
  soft: string;
  line: string;
  tint: string;
  link: string;
}

/** The text and background colours of the outcomes that a mail can report. */
type States = Readonly<Record<"success" | "warning" | "failure", readonly [string, string]>>;

const LIGHT_STATES: States = {
  success: ["#136239", "#e2f4e8"],
  warning: ["#7a4a00", "#fdf0d3"],
  failure: ["#a1201a", "#fde7e5"],
};

const DARK_STATES: States = {
  success: ["#8adba9", "#143022"],
  warning: ["#f2c46d", "#3a2b0c"],
  failure: ["#ffaba3", "#451a18"],
};

export const MONOSPACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace";

/** The definition of a design set. `styles`, `darkRules` and `phoneRules` override the shared styles by class name. */
export interface Look {
  key: string;
  name: string;
  font: string;
  light: Palette;
  /** Equals `light` in a design set that is always dark. */
  dark: Palette;
  isDark?: boolean;
  styles: Readonly<Record<string, string>>;
  darkRules: Readonly<Record<string, string>>;
  phoneRules: Readonly<Record<string, string>>;
}

function sharedStyles({ page, text, soft, line, tint }: Palette, font: string, link: string): Record<string, string> {
  return {
    page: `margin:0;padding:0;background-color:${page};color:${text};font-family:${font}`,
    container: "padding:40px 24px 48px",
    header: "padding:0 0 32px",
    footer: "padding:24px 0 0",
    brand: `margin:0;font-size:16px;line-height:24px;font-weight:600;color:${text}`,
    monogram:
      "display:inline-block;width:28px;margin:0 10px 0 0;border-radius:7px;font-size:15px;line-height:28px;font-weight:600;font-style:normal;letter-spacing:0;text-align:center;vertical-align:middle",
    heading: `margin:0 0 20px;font-size:26px;line-height:34px;font-weight:600;color:${text};word-break:break-word;overflow-wrap:break-word`,
    subheading: `margin:0 0 4px;font-size:17px;line-height:26px;font-weight:600;color:${text}`,
    text: `margin:0 0 18px;font-size:16px;line-height:26px;color:${text};word-break:break-word;overflow-wrap:break-word`,
    soft: `color:${soft}`,
    line: "margin:0 0 4px",
    muted: `margin:0 0 12px;font-size:14px;line-height:22px;color:${soft}`,
    small: `margin:0 0 8px;font-size:13px;line-height:20px;color:${soft}`,
    address: `margin:0 0 16px;font-size:13px;line-height:20px;color:${soft};word-break:break-all`,
    eyebrow: `margin:0 0 12px;font-size:13px;line-height:20px;font-weight:600;color:${soft}`,
    status:
      "display:inline-block;margin:0 0 16px;padding:4px 12px;border-radius:999px;font-size:13px;line-height:20px;font-weight:600",
    details: `width:100%;margin:4px 0 18px;table-layout:fixed`,
    "key-cell": `padding:10px 12px 10px 0;border-top:1px solid ${line};vertical-align:top`,
    "value-cell": `padding:10px 0;border-top:1px solid ${line};vertical-align:top`,
    key: `margin:0;font-size:14px;line-height:22px;color:${soft}`,
    value: `margin:0;font-size:14px;line-height:22px;color:${text}`,
    machine: `font-family:${MONOSPACE};font-size:13px;word-break:break-all`,
    end: "text-align:right",
    total: "font-size:16px;font-weight:600",
    code: `margin:0 0 20px;padding:16px;border-radius:8px;background-color:${tint};color:${text};font-family:${MONOSPACE};font-size:28px;line-height:36px;font-weight:600;letter-spacing:3px;text-align:center;white-space:nowrap`,
    "boxed-code": "margin:0 0 16px;padding:0",
    box: `padding:24px 24px 8px;background-color:${tint};border-radius:8px`,
    gap: "margin:0;font-size:8px;line-height:24px",
    link: `color:${link};text-decoration:underline`,
    "button-label": "font-size:16px;line-height:24px;font-weight:600;text-decoration:none",
    step: "margin:0 0 4px",
    story: "margin:0 0 4px",
    "story-text": "margin:0 0 16px",
    vignette: "margin:0 0 12px",
    view: "margin:0 0 12px;text-align:right",
    product: "font-weight:600",
    "soft-value": `color:${soft}`,
    "sum-cell": "padding:0 0 10px;border-top:0",
    "item-picture": "padding:2px 12px 0 0",
    "item-texts": "padding:0",
    "half-left": "padding:0 12px 16px 0",
    "half-right": "padding:0 0 16px 12px",
    "picture-left": "padding:0 20px 24px 0",
    "picture-right": "padding:0 0 20px",
    "below-picture": "margin:12px 0 2px",
    tag: `display:inline-block;margin:8px 0 8px;padding:2px 10px;border-radius:999px;background-color:${tint};color:${soft};font-size:12px;line-height:20px;font-weight:600`,
    card: `padding:16px 18px 4px;border:1px solid ${line};border-radius:8px`,
    "card-label": "margin:0 0 4px;font-size:12px;line-height:18px;text-align:inherit",
    progress: "width:100%;margin:0 0 24px;table-layout:fixed",
    "step-cell": "padding:0 6px 0 0",
    bar: `margin:0 0 8px;border-radius:2px;font-size:0;line-height:4px;background-color:${line}`,
    "step-label": `margin:0;font-size:12px;line-height:18px;color:${soft}`,
    "step-current": `color:${text};font-weight:600`,
    social: "margin:8px 0 12px",
    signature: "padding:8px 0 8px",
    rule: `margin:28px 0;border:0;border-top:1px solid ${line}`,
    preformatted: `margin:0 0 18px;padding:12px 16px;background-color:${tint};color:${text};font-family:${MONOSPACE};font-size:14px;line-height:22px;white-space:pre-wrap;word-break:break-word;overflow-wrap:break-word`,
    "inline-code": `font-family:${MONOSPACE};font-size:90%`,
    quote: `margin:0 0 18px;padding:0 0 0 16px;border-left:3px solid ${line}`,
    list: "margin:0 0 18px;padding:0 0 0 22px",
    item: `margin:0 0 6px;font-size:16px;line-height:26px;color:${text}`,
  };
}

const stateStyles = (states: States): Record<string, string> =>
  Object.fromEntries(
    Object.entries(states).map(([name, [color, background]]) => [
      name,
      `color:${color};background-color:${background}`,
    ]),
  );

/** Rules by comma-separated classes. The order matters: later rules override earlier ones. */
const sharedDarkRules = ({ page, panel, text, soft, line, tint, link }: Palette): Record<string, string> => ({
  page: `background-color:${page};color:${text}`,
  panel: `background-color:${panel};border-color:${line}`,
  "text,heading,subheading,brand,item,value": `color:${text}`,
  link: `color:${BRAND.inkDark(link)}`,
  "soft,muted,small,address,key,eyebrow,soft-value,step-label": `color:${soft}`,
  "step-current": `color:${text}`,
  "details,key-cell,value-cell,rule,quote,footer,card": `border-color:${line}`,
  bar: `background-color:${line}`,
  tag: `background-color:${tint};color:${soft}`,
  "code,preformatted": `background-color:${tint};color:${text}`,
  box: `background-color:${tint}`,
  ...stateStyles(DARK_STATES),
  // Most logos are made for a white background.
  logo: "background-color:#ffffff;padding:6px 8px;border-radius:6px",
  "logo-light": "display:none",
  "logo-dark": "display:inline-block",
});

const SHARED_PHONE_RULES: Readonly<Record<string, string>> = {
  container: "padding:24px 16px 32px",
  heading: "font-size:23px;line-height:30px",
  code: "font-size:24px;letter-spacing:2px",
  "button-table": "width:100%",
  "button-label": "display:block;text-align:center;padding-left:12px;padding-right:12px",
  column: "display:block;width:100%;padding:0 0 12px;box-sizing:border-box",
  // The picture of a product stays beside its name.
  "item-picture": "display:table-cell;width:60px;padding:2px 12px 0 0",
  "item-texts": "display:table-cell;width:auto;padding:0",
};

const important = (css: string): string => css.replaceAll(";", "!important;").concat("!important");

function writeRules(rules: Readonly<Record<string, string>>, scope = ""): string {
  return Object.entries(rules)
    .map(([names, css]) => {
      const selectors = names.split(",").map((name) => `${scope}.${name}`);
      return `${selectors.join(",")}{${important(css)}}`;
    })
    .join("");
}

function memoize<T extends object | string>(compute: () => T): () => T {
  let memoized: T | null = null;
  return () => {
    memoized ??= compute();
    return memoized;
  };
}

function writeStyles({ font, light, isDark = false, styles }: Look): Readonly<Record<string, string>> {
  const shared = {
    ...sharedStyles(light, font, isDark ? BRAND.inkDark(light.link) : BRAND.ink(light.link)),
    ...stateStyles(isDark ? DARK_STATES : LIGHT_STATES),
  };
  const names = new Set([...Object.keys(shared), ...Object.keys(styles)]);
  return Object.fromEntries([...names].map((kind) => [kind, mergeStyles(shared[kind] ?? "", styles[kind] ?? "")]));
}

function writeCss({ dark, darkRules, phoneRules }: Look): string {
  const rules = { ...sharedDarkRules(dark), ...darkRules };
  return [
    ":root{color-scheme:light dark;supported-color-schemes:light dark}",
    "body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}",
    "a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}",
    `@media (max-width:480px){${writeRules({ ...SHARED_PHONE_RULES, ...phoneRules })}}`,
    `@media (prefers-color-scheme:dark){${writeRules(rules)}}`,
    // The dark mode of Outlook on the web ignores the media query. It rewrites colours itself and sets this attribute.
    writeRules(rules, "[data-ogsc] "),
  ].join("\n");
}

/** Creates a design set from its definition and the shared styles. Styles are computed on first use. */
export function defineSet(look: Look): DesignSet {
  const { key, name } = look;
  const css = memoize(() => writeCss(look));
  const head = memoize(() => withDefaultColours(css()));
  const styles = memoize(() => writeStyles(look));
  return {
    key,
    name,
    get css() {
      return css();
    },
    get head() {
      return head();
    },
    get styles() {
      return styles();
    },
  };
}
