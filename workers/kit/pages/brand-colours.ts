/**
 * Variants of a brand colour, as `#rrggbb`. `color` is for areas on light panels, and `text` is the colour of text on such an
 * area. `ink` is for text in the brand colour. The names with `Dark` are for dark panels.
 */
export interface BrandColours {
  color: string;
  text: string;
  colorDark: string;
  textDark: string;
  ink: string;
  inkDark: string;
}

const WHITE = "#ffffff";
const BLACK = "#000000";
/** The lightest dark panel and the darkest light panel of all designs. Brand colours must have enough contrast to them. */
const DARK_PANEL = "#26222f";
const LIGHT_PANEL = "#f3efe9";
const MIN_TEXT = 4.5;
const MIN_SHAPE = 3;
const STEPS = 20;

const channelsOf = (hex: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));

/** Returns the relative luminance of a colour, 0 to 1 (WCAG 2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2). */
export function contrast(first: string, second: string): number {
  const [lighter = 0, darker = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function mix(from: string, to: string, share: number): string {
  const target = channelsOf(to);
  const mixed = channelsOf(from).map((channel, index) => channel + ((target[index] ?? 0) - channel) * share);
  return `#${mixed.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

/** Returns the colour, mixed with `towards` (black or white) only as far as the minimum contrast to the panel requires. */
function withContrast(colour: string, panel: string, towards: string, minContrast = MIN_SHAPE): string {
  for (let step = 0; step < STEPS; step += 1) {
    const moved = mix(colour, towards, step / STEPS);
    if (contrast(moved, panel) >= minContrast) return moved;
  }
  return towards;
}

/** Returns white when it has enough contrast on the colour, otherwise black. */
const textColourOn = (colour: string): string => (contrast(colour, WHITE) >= MIN_TEXT ? WHITE : BLACK);

/** Returns the variants of a brand colour (`#rrggbb`). Their lightness is adjusted for enough contrast. */
export function brandColours(primary: string): BrandColours {
  const color = withContrast(primary, LIGHT_PANEL, BLACK);
  const colorDark = withContrast(primary, DARK_PANEL, WHITE);
  const ink = withContrast(primary, LIGHT_PANEL, BLACK, MIN_TEXT);
  const inkDark = withContrast(primary, DARK_PANEL, WHITE, MIN_TEXT);
  return { color, text: textColourOn(color), colorDark, textDark: textColourOn(colorDark), ink, inkDark };
}
