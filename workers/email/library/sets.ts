/** The look of one set: CSS for the head, and inline styles by kind of element and by class. */
export interface DesignSet {
  key: string;
  name: string;
  /** Goes into the mail's `head`, so it is always our own text, never a company's. */
  head: string;
  styles: Readonly<Record<string, string>>;
}

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONOSPACE = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace";

const BAREBONE_STYLES = {
  page: `margin:0;padding:0;background-color:#ffffff;color:#1c1c1e;font-family:${FONT}`,
  container: "padding:32px 16px",
  header: "padding:0 4px 16px",
  panel: "padding:32px 32px 14px;border:1px solid #dddde1;border-radius:10px;background-color:#ffffff",
  footer: "padding:20px 4px 0",
  brand: "margin:0;font-size:16px;line-height:24px;font-weight:600;color:#1c1c1e",
  heading: "margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:#1c1c1e;overflow-wrap:break-word",
  text: "margin:0 0 16px;font-size:16px;line-height:24px;color:#1c1c1e;overflow-wrap:break-word",
  line: "margin:0 0 4px;font-size:15px;line-height:22px;color:#4b4b52",
  muted: "margin:0 0 8px;font-size:14px;line-height:20px;color:#5c5c64",
  address: "margin:0 0 20px;font-size:14px;line-height:20px;word-break:break-all",
  details: "margin:0 0 20px",
  code: `margin:0 0 20px;padding:14px 16px;border-radius:8px;background-color:#f1f1f4;color:#1c1c1e;font-family:${MONOSPACE};font-size:28px;line-height:36px;font-weight:700;letter-spacing:3px;text-align:center;white-space:nowrap`,
  link: "color:#0b57d0;text-decoration:underline",
  button: "border-radius:8px;background-color:#1c1c1e",
  buttonLabel: "color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none",
  rule: "margin:24px 0;border:0;border-top:1px solid #dddde1",
  preformatted: `margin:0 0 16px;padding:12px 16px;background-color:#f1f1f4;color:#1c1c1e;font-family:${MONOSPACE};font-size:14px;line-height:20px;white-space:pre-wrap;overflow-wrap:break-word`,
  inlineCode: `font-family:${MONOSPACE};font-size:90%`,
  quote: "margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #dddde1",
  list: "margin:0 0 16px;padding:0 0 0 24px",
  item: "margin:0 0 4px;font-size:16px;line-height:24px;color:#1c1c1e",
} as const;

// Outlook on the web rewrites colours itself and marks its dark mode with an attribute instead of the media query.
const DARK_RULES: readonly (readonly [string, string])[] = [
  [".page", "background-color:#121214!important;color:#f2f2f4!important"],
  [".panel", "background-color:#1c1c1f!important;border-color:#3a3a40!important"],
  [".text,.heading,.brand,.item", "color:#f2f2f4!important"],
  [".line,.muted", "color:#b9b9c0!important"],
  [".link", "color:#8ab4f8!important"],
  [".code,.preformatted", "background-color:#2b2b30!important;color:#f2f2f4!important"],
  [".button", "background-color:#f2f2f4!important"],
  [".button-label", "color:#121214!important"],
  [".rule,.quote", "border-color:#3a3a40!important"],
];

const prefixed = (selectors: string): string =>
  selectors
    .split(",")
    .map((selector) => `[data-ogsc] ${selector}`)
    .join(",");

const BAREBONE_HEAD = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  "body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}",
  "a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}",
  "@media (max-width:480px){.panel{padding:24px 20px 6px!important}.container{padding:20px 12px!important}" +
    ".heading{font-size:22px!important;line-height:30px!important}.button-table{width:100%!important}" +
    ".button-label{display:block!important;text-align:center!important}.code{font-size:24px!important;letter-spacing:2px!important}" +
    ".column{display:block!important;width:100%!important}}",
  `@media (prefers-color-scheme:dark){${DARK_RULES.map(([selectors, css]) => `${selectors}{${css}}`).join("")}}`,
  DARK_RULES.map(([selectors, css]) => `${prefixed(selectors)}{${css}}`).join(""),
].join("\n");

const BAREBONE: DesignSet = { key: "barebone", name: "Barebone", head: BAREBONE_HEAD, styles: BAREBONE_STYLES };

/** The sets of the library, in the order in which they are shown. */
export const DESIGN_SETS: readonly DesignSet[] = [BAREBONE];

/** The set of a key; a document of no known set, such as a company's own, looks plain. */
export function findSet(key: string): DesignSet {
  return DESIGN_SETS.find((set) => set.key === key) ?? BAREBONE;
}
