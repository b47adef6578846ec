import { contrast } from "../branding/colours";
import { filterStyle } from "../format/style";

/** Words that are smaller than this are no words to most people. */
const MIN_TEXT_PX = 8;
const MIN_TEXT_SHARE = 0.5;
/** Words nearer to the colour behind them than this cannot be told from it. */
const MIN_CONTRAST = 1.5;
const PX: Readonly<Record<string, number>> = { "": 1, px: 1, pt: 4 / 3, rem: 16 };

/** A length in px, or as a share of the size around it; null for what is none. */
type Length = { px: number } | { share: number };

function readLength(value: string): Length | null {
  const [, number = "", unit = ""] = /^(-?(?:\d+\.?\d*|\.\d+))(px|pt|rem|em|%)?$/i.exec(value) ?? [];
  if (number === "") return null;
  const amount = Number(number);
  const px = PX[unit.toLowerCase()];
  if (px !== undefined) return { px: amount * px };
  return { share: unit === "%" ? amount / 100 : amount };
}

/** `#rrggbb` of a colour; `clear` for one that is not there, null for one that is not known. */
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

const tooSmall = (length: Length): boolean =>
  "px" in length ? length.px < MIN_TEXT_PX : length.share < MIN_TEXT_SHARE;

/** The size that a `font` names in front of its family. */
const sizeOfFont = (value: string): string =>
  value.split(/\s+/).flatMap((part) => (/^[\d.]/.test(part) ? (part.split("/")[0] ?? "") : []))[0] ?? "";

/** What styles say of how the words inside them look. */
export type TextLook = {
  size: Length | null;
  /** of the words, as readColour has it */
  colour: string | null;
  /** behind them */
  behind: string | null;
  isAway: boolean;
  isPushed: boolean;
};

/** The look of words that no style holds for. */
export const UNSTYLED: TextLook = { size: null, colour: null, behind: null, isAway: false, isPushed: false };

/** The look of words around which one more style holds. */
export function withStyle(around: TextLook, style: string): TextLook {
  if (style === "") return around;
  const look = { ...around };
  for (const declaration of filterStyle(style).split(";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, colon);
    const value = declaration.slice(colon + 1).replace(/\s*!important$/i, "");
    if (property === "font-size") look.size = readLength(value);
    else if (property === "font") look.size = readLength(sizeOfFont(value));
    else if (property === "color") look.colour = readColour(value);
    else if (property === "background-color") look.behind = readColour(value) ?? look.behind;
    else if (property === "text-indent") look.isAway = isFar(readLength(value));
    else if (property === "letter-spacing") look.isPushed = isNegative(readLength(value));
  }
  return look;
}

/**
 * Whether words of this look are unseen: too small, moved away, pushed together, or in the colour behind them. What a set
 * draws is not known here, so a colour counts where its background is one of the document's styles, too.
 */
export function hidesText({ size, colour, behind, isAway, isPushed }: TextLook): boolean {
  const isLost = colour === "clear" || (isHex(colour) && isHex(behind) && contrast(colour, behind) < MIN_CONTRAST);
  return (size !== null && tooSmall(size)) || isAway || isPushed || isLost;
}

const isHex = (colour: string | null): colour is string => colour?.startsWith("#") === true;

/** An indent that moves the first words out of a narrow screen. */
const isFar = (length: Length | null): boolean =>
  length !== null && ("px" in length ? Math.abs(length.px) > 200 : Math.abs(length.share) > 0.5);

/** Letters upon each other. */
const isNegative = (length: Length | null): boolean =>
  length !== null && ("px" in length ? length.px < -4 : length.share < -0.25);
