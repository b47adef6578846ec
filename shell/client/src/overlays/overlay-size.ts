import type { Overlay, OverlaySize } from "./overlays.ts";

/** Part of the window that an overlay of a free size takes at most. */
const SHARE = 80;
/** px; narrower a drawer shows nothing of use */
const NARROWEST = 280;

const widths = { sm: "420px", md: "640px", lg: "960px" } as const;
const heights = { sm: "280px", md: "420px", lg: "600px" } as const;
const isNamedSize = (size: OverlaySize): size is keyof typeof widths => Object.hasOwn(widths, size);

/** A CSS length for a size in words or in units; those in units stay under 80 % of the window. */
function lengthOf(size: OverlaySize, along: "width" | "height"): string {
  const unit = along === "width" ? "vw" : "vh";
  if (size === "full") return `100${unit}`;
  if (isNamedSize(size)) return widths[size];
  return `min(${size.endsWith("%") ? size.replace("%", unit) : size}, ${SHARE}${unit})`;
}

type Styles = { [property: string]: string };

/**
 * Styles of the window of an overlay and of the room inside it. The page inside chooses the height of a modal, the width of a drawer
 * at a side, the height of one above or below; 80 % of the window is the most, and a wish never narrows what was opened wider.
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
