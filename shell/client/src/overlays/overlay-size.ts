import type { Overlay, OverlaySize } from "./overlays.ts";

/** Maximum share of the window, in percent, for an overlay whose size is a CSS length or a request of its page. */
const SHARE = 80;
/** Minimum width of a drawer, px. */
const NARROWEST = 280;

const widths = { sm: "420px", md: "640px", lg: "960px" } as const;
const heights = { sm: "280px", md: "420px", lg: "600px" } as const;
const isNamedSize = (size: OverlaySize): size is keyof typeof widths => Object.hasOwn(widths, size);

/** Returns the CSS length of a size. A length with a unit is limited to 80 % of the window. */
function lengthOf(size: OverlaySize, along: "width" | "height"): string {
  const unit = along === "width" ? "vw" : "vh";
  if (size === "full") return `100${unit}`;
  if (isNamedSize(size)) return widths[size];
  return `min(${size.endsWith("%") ? size.replace("%", unit) : size}, ${SHARE}${unit})`;
}

type Styles = { [property: string]: string };

/**
 * Returns the styles of an overlay's window and of its content. The page inside can request (`wished`) the height and width of
 * a modal, the height of a drawer at the top or bottom, and the width of a drawer at the side. Requests are limited to 80 % of
 * the window, or to the initial width of a drawer that opened wider.
 */
export function stylesOf({ kind, position, size, wished }: Overlay): { window: Styles; content: Styles } {
  if (kind === "modal") {
    const width = wished?.width ? `min(${wished.width}px, ${SHARE}vw)` : lengthOf(size, "width");
    const tall = size === "full" ? "100dvh" : isNamedSize(size) ? heights[size] : heights.md;
    const height = wished ? `min(${wished.height}px, ${SHARE}vh)` : tall;
    return { window: { "--dialog-width": width }, content: { height } };
  }
  if (position === "top" || position === "bottom")
    return wished
      ? { window: { height: "fit-content", "max-height": `${SHARE}vh` }, content: { height: `${wished.height}px` } }
      : { window: { height: lengthOf(size, "height") }, content: {} };
  const opened = lengthOf(size, "width");
  const most = `max(${SHARE}vw, min(${opened}, 100vw))`;
  const width = wished?.width ? `clamp(${NARROWEST}px, ${wished.width}px, ${most})` : opened;
  return { window: { "--sheet-size": width }, content: {} };
}
