import { hasToken, isListName, isTokenName } from "../tokens/token";
import { type Attributes, type AttributeValue, PLAIN_MARKS } from "./document";

type Check = (value: AttributeValue) => boolean;

const isText: Check = (value) => typeof value === "string";
const isPlainText: Check = (value) => typeof value === "string" && !value.includes("{{");
const oneOf =
  (...allowed: string[]): Check =>
  (value) =>
    typeof value === "string" && allowed.includes(value);
const integer =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;

/** Checks a length from 0 to 10000. Editors also write it as text with `px` or `%`. */
const isSize: Check = (value) =>
  typeof value === "number"
    ? value >= 0 && value <= 10_000
    : typeof value === "string" && /^(?:auto|(?:10000|\d{1,4}(?:\.\d{1,3})?)(?:px|%)?)?$/.test(value);

const isColumnWidths: Check = (value) =>
  Array.isArray(value)
    ? value.length <= 20 && value.every((width) => width === null || (typeof width === "number" && isSize(width)))
    : isSize(value);

const MAX_DATA_BYTES = 8192;
const isData: Check = (value) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  new TextEncoder().encode(JSON.stringify(value)).length <= MAX_DATA_BYTES;

// Inline styles must not contain `url(`, `@import`, escapes, comments or tags.
const UNSAFE_STYLE = /url\(|[@\\<>]|\/\*|\*\//i;
const MAX_STYLE_CHARS = 4096;
const isStyle: Check = (value) =>
  typeof value === "string" && value.length <= MAX_STYLE_CHARS && !UNSAFE_STYLE.test(value);

const isAlignment = oneOf("left", "center", "right", "justify");
const isVerticalAlignment = oneOf("top", "middle", "bottom", "baseline");

const COMMON: Readonly<Record<string, Check>> = {
  style: isStyle,
  class: isPlainText,
  id: isText,
  "data-id": isText,
  align: isAlignment,
  alignment: isAlignment,
  textAlign: isAlignment,
  lang: (value) => typeof value === "string" && /^[A-Za-z0-9-]{0,35}$/.test(value),
  dir: oneOf("ltr", "rtl", "auto"),
  textId: (value) => typeof value === "string" && value.length <= 64,
  when: (value) => typeof value === "string" && isTokenName(value),
  // `@react-email/editor` writes these attributes on any node. Mails only use the titles of links and images.
  target: isText,
  rel: isText,
  theme: isText,
  title: isText,
  bgcolor: isText,
  scope: isText,
  "ses:no-track": (value) => ["string", "boolean", "number"].includes(typeof value),
};

const WIDTH = { width: isSize };
/** The list variable that a node repeats over. */
const EACH: Readonly<Record<string, Check>> = { each: (value) => typeof value === "string" && isListName(value) };
const CELL = {
  colspan: integer(1, 20),
  rowspan: integer(1, 20),
  colwidth: isColumnWidths,
  width: isSize,
  height: isSize,
  valign: isVerticalAlignment,
};

/** The attributes of each node type, in addition to the common ones. */
const BY_TYPE: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map<string, Readonly<Record<string, Check>>>([
  ...["doc", "body", "container", "div", "blockquote", "listItem", "columnsColumn"].map(
    (type) => [type, WIDTH] as const,
  ),
  ["section", { ...WIDTH, ...EACH }],
  ...["twoColumns", "threeColumns", "fourColumns"].map((type) => [type, WIDTH] as const),
  ["heading", { level: integer(1, 6) }],
  ["orderedList", { start: integer(-1_000_000, 1_000_000), type: oneOf("1", "a", "A", "i", "I") }],
  ["codeBlock", { language: isText }],
  [
    "table",
    { width: isSize, height: isSize, border: isSize, cellpadding: isSize, cellspacing: isSize, role: isPlainText },
  ],
  ["tableRow", { valign: isVerticalAlignment, ...EACH }],
  ["tableCell", CELL],
  ["tableHeader", CELL],
  ["button", { href: isText }],
  ["image", { src: isText, alt: isText, width: isSize, height: isSize, href: isText }],
  ["globalContent", { data: isData }],
]);

const LINK = { href: isText };

const ENTITY = /&(?:#x([0-9a-f]+)|#(\d+)|([a-z][a-z0-9]*));?/gi;
const NAMED_ENTITIES: Record<string, string> = { colon: ":", lpar: "(", sol: "/", tab: "", newline: "" };
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const UNSAFE_TEXT = /javascript:|vbscript:|data:text\/html|expression\(/i;

/** Returns whether a string could run as a script in a mail client that decodes or removes entities. */
function isUnsafeText(text: string): boolean {
  const withoutEntities = text.replace(ENTITY, "").replace(INVISIBLE, "");
  const decoded = text
    .replace(ENTITY, (_entity, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? "";
      const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "";
    })
    .replace(INVISIBLE, "");
  return (
    UNSAFE_TEXT.test(text.replace(INVISIBLE, "")) || UNSAFE_TEXT.test(withoutEntities) || UNSAFE_TEXT.test(decoded)
  );
}

/** Returns every string in an attribute value, without object keys. Validation of the document limits the nesting. */
function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listStrings);
}

function areAttributesSafe(attrs: Attributes, rules: readonly Readonly<Record<string, Check>>[]): boolean {
  return Object.entries(attrs).every(([name, value]) => {
    if (value === null) return true;
    const check = rules.find((rule) => Object.hasOwn(rule, name))?.[name];
    return check?.(value) === true && !listStrings(value).some(isUnsafeText);
  });
}

/** Returns whether all attributes of a node are known and have valid values. */
export function areNodeAttributesSafe(type: string, attrs: Attributes): boolean {
  return areAttributesSafe(attrs, [BY_TYPE.get(type) ?? {}, COMMON]);
}

/** Returns whether all attributes of a mark are known and have valid values. */
export function areMarkAttributesSafe(type: string, attrs: Attributes): boolean {
  if (PLAIN_MARKS.includes(type)) return areAttributesSafe(attrs, []);
  return areAttributesSafe(attrs, type === "link" ? [LINK, COMMON] : [{ style: isStyle }]);
}

/** Returns whether a style value is safe to write: it contains no token and passes the checks for style attributes. */
export function isSafeStyleValue(value: string): boolean {
  return isStyle(value) && !hasToken(value) && !isUnsafeText(value);
}
