import type { Overlay, OverlaySize } from "./overlays.ts";

/** Maximum size of an overlay in percent of the window, if the size is a CSS length or was requested by the page inside. */
const MAX_SHARE = 80;
/** Minimum width of a drawer, px. */
const MIN_DRAWER_WIDTH = 280;

const widths = { sm: "420px", md: "640px", lg: "960px" } as const;
const heights = { sm: "280px", md: "420px", lg: "600px" } as const;
const isSizeName = (size: OverlaySize): size is keyof typeof widths => Object.hasOwn(widths, size);

/** Returns the CSS length of a size. A length with a unit is limited to 80 % of the window. */
function lengthOf(size: OverlaySize, dimension: "width" | "height"): string {
  const unit = dimension === "width" ? "vw" : "vh";
  if (size === "full") return `100${unit}`;
  if (isSizeName(size)) return widths[size];
  return `min(${size.endsWith("%") ? size.replace("%", unit) : size}, ${MAX_SHARE}${unit})`;
}

type Styles = { [property: string]: string };

/**
 * Returns the custom properties of an overlay's window and of its content. Phones ignore them (overlays.css). The page inside can request (`requestedSize`) the height and
 * width of a modal. In a drawer, it can request only the height (drawer at the top or bottom) or only the width (drawer at the
 * side). Requests are limited to 80 % of the window, or to the initial width of a drawer that opened wider.
 */
export function stylesOf({ kind, position, size, requestedSize }: Overlay): { window: Styles; content: Styles } {
  if (kind === "modal") {
    const width = requestedSize?.width ? `min(${requestedSize.width}px, ${MAX_SHARE}vw)` : lengthOf(size, "width");
    const defaultHeight = size === "full" ? "100dvh" : isSizeName(size) ? heights[size] : heights.md;
    const height = requestedSize ? `min(${requestedSize.height}px, ${MAX_SHARE}vh)` : defaultHeight;
    return { window: { "--dialog-width": width }, content: { "--room-height": height } };
  }
  if (position === "top" || position === "bottom")
    return requestedSize
      ? {
          window: { "--sheet-height": "fit-content", "--sheet-max-height": `${MAX_SHARE}vh` },
          content: { "--room-height": `${requestedSize.height}px` },
        }
      : { window: { "--sheet-height": lengthOf(size, "height") }, content: {} };
  const initialWidth = lengthOf(size, "width");
  const maxWidth = `max(${MAX_SHARE}vw, min(${initialWidth}, 100vw))`;
  const width = requestedSize?.width
    ? `clamp(${MIN_DRAWER_WIDTH}px, ${requestedSize.width}px, ${maxWidth})`
    : initialWidth;
  return { window: { "--sheet-size": width }, content: {} };
}
