import { contrast } from "../../../kit/pages/brand-colours";
import { filterStyle } from "../format/style";

/** Text smaller than one of these sizes counts as hidden. The share is relative to the surrounding font size. */
const MIN_TEXT_PX = 8;
const MIN_TEXT_SHARE = 0.5;
/** Text whose contrast to the background is below this value counts as hidden. */
const MIN_CONTRAST = 1.5;
const PX: Readonly<Record<string, number>> = { "": 1, px: 1, pt: 4 / 3, rem: 16 };

/** A length in px, or as a share of the surrounding font size. */
type Length = { px: number } | { share: number };

function readLength(value: string): Length | null {
  const [, number = "", unit = ""] = /^(-?(?:\d+\.?\d*|\.\d+))(px|pt|rem|em|%)?$/i.exec(value) ?? [];
  if (number === "") return null;
  const amount = Number(number);
  const px = PX[unit.toLowerCase()];
  if (px !== undefined) return { px: amount * px };
  return { share: unit === "%" ? amount / 100 : amount };
}

/** Returns a colour as `#rrggbb`, `clear` for a transparent colour, or null for an unknown value. */
function readColour(value: string): string | null {
  const text = value.toLowerCase();
  if (text === "transparent") return "clear";
  if (text === "white") return "#ffffff";
  if (text === "black") return "#000000";
  const [, short, long] = /^#(?:([\da-f]{3,4})|([\da-f]{6}(?:[\da-f]{2})?))$/.exec(text) ?? [];
  const hex = long ?? short?.replace(/./g, "$&$&");
  if (hex !== undefined) return Number.parseInt(hex.slice(6) || "ff", 16) < 26 ? "clear" : `#${hex.slice(0, 6)}`;
  const channels = /^rgba?\(([^)]*)\)$/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean);
  const [red = "", green = "", blue = "", alpha = "1"] = channels ?? [];
  if (channels === undefined || [red, green, blue].some((channel) => !/^\d{1,3}$/.test(channel))) return null;
  if (Number.parseFloat(alpha) / (alpha.endsWith("%") ? 100 : 1) < 0.1) return "clear";
  return `#${[red, green, blue].map((channel) => Math.min(255, Number(channel)).toString(16).padStart(2, "0")).join("")}`;
}

const isTooSmall = (length: Length): boolean =>
  "px" in length ? length.px < MIN_TEXT_PX : length.share < MIN_TEXT_SHARE;

/** Returns the size in a `font` shorthand, or "". */
const sizeOfFont = (value: string): string =>
  value.split(/\s+/).flatMap((part) => (/^[\d.]/.test(part) ? (part.split("/")[0] ?? "") : []))[0] ?? "";

/** The style properties that can hide text. */
export type TextLook = {
  size: Length | null;
  /** text colour in the form that readColour returns */
  colour: string | null;
  /** background colour in the form that readColour returns */
  background: string | null;
  isOffScreen: boolean;
  isCollapsed: boolean;
};

/** The style of text without any style attribute. */
export const UNSTYLED: TextLook = {
  size: null,
  colour: null,
  background: null,
  isOffScreen: false,
  isCollapsed: false,
};

/** Returns the inherited style with the changes that `style` declares. */
export function withStyle(inherited: TextLook, style: string): TextLook {
  if (style === "") return inherited;
  const look = { ...inherited };
  for (const declaration of filterStyle(style).split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, colon);
    const value = declaration.slice(colon + 1).replace(/\s*!important$/i, "");
    if (property === "font-size") look.size = readLength(value);
    else if (property === "font") look.size = readLength(sizeOfFont(value));
    else if (property === "color") look.colour = readColour(value);
    else if (property === "background-color") look.background = readColour(value) ?? look.background;
    else if (property === "text-indent") look.isOffScreen = isLargeIndent(readLength(value));
    else if (property === "letter-spacing") look.isCollapsed = isOverlapping(readLength(value));
  }
  return look;
}

/**
 * Returns whether this style hides text: the text is too small, off screen or collapsed, or has too little contrast. The
 * styles of design sets are unknown here, so contrast is only checked when the document sets both colours.
 */
export function hidesText({ size, colour, background, isOffScreen, isCollapsed }: TextLook): boolean {
  const isLost =
    colour === "clear" || (isHex(colour) && isHex(background) && contrast(colour, background) < MIN_CONTRAST);
  return (size !== null && isTooSmall(size)) || isOffScreen || isCollapsed || isLost;
}

const isHex = (colour: string | null): colour is string => colour?.startsWith("#") === true;

/** Returns whether an indent moves the start of the text out of a narrow screen. */
const isLargeIndent = (length: Length | null): boolean =>
  length !== null && ("px" in length ? Math.abs(length.px) > 200 : Math.abs(length.share) > 0.5);

/** Returns whether a letter spacing makes letters overlap. */
const isOverlapping = (length: Length | null): boolean =>
  length !== null && ("px" in length ? length.px < -4 : length.share < -0.25);
