type Rgb = readonly [red: number, green: number, blue: number];

/** Returns the WCAG contrast of two CSS colours, 1 to 21; undefined if one is transparent or cannot be parsed. */
export function contrastOf(first: string, second: string): number | undefined {
  const [a, b] = [luminanceOf(first), luminanceOf(second)];
  if (a === undefined || b === undefined) return undefined;
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminanceOf(color: string): number | undefined {
  const linear = linearOf(color.trim().toLowerCase());
  if (linear === undefined) return undefined;
  const [red, green, blue] = linear.map((part) => Math.min(1, Math.max(0, part)));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** Returns linear sRGB. Parts are 0 to 1, or outside that range for an oklch colour that sRGB cannot represent. */
function linearOf(color: string): Rgb | undefined {
  if (color.startsWith("#")) return linearOfHex(color.slice(1));
  const [, name, inner] = /^(rgba?|hsla?|oklch)\(([^)]*)\)$/.exec(color) ?? [];
  if (name === undefined || inner === undefined) return undefined;
  const parts = inner.split(/[\s,/]+/).filter((part) => part !== "");
  const [first, second, third, alpha] = parts;
  if (first === undefined || second === undefined || third === undefined || !isOpaque(alpha)) return undefined;
  if (name === "oklch") return fromOklch(numberOf(first, 1), numberOf(second, 0.4), angleOf(third));
  if (name.startsWith("hsl"))
    return fromHsl(angleOf(first), numberOf(second, 1), numberOf(third, 1)).map(toLinear) as unknown as Rgb;
  return [first, second, third].map((part) =>
    toLinear(part.endsWith("%") ? numberOf(part, 1) : Number(part) / 255),
  ) as unknown as Rgb;
}

function linearOfHex(hex: string): Rgb | undefined {
  const full = hex.length < 6 ? [...hex].map((digit) => digit + digit).join("") : hex;
  if (full.length === 8 && !full.endsWith("ff")) return undefined;
  const part = (start: number) => toLinear(Number.parseInt(full.slice(start, start + 2), 16) / 255);
  return [part(0), part(2), part(4)];
}

function isOpaque(alpha: string | undefined): boolean {
  return alpha === undefined || numberOf(alpha, 1) === 1;
}

/** Parses a number, or a percentage of `full`. */
function numberOf(text: string, full: number): number {
  return text.endsWith("%") ? (Number.parseFloat(text) / 100) * full : Number.parseFloat(text) || 0;
}

function angleOf(text: string): number {
  const factor = text.endsWith("turn") ? 360 : text.endsWith("rad") ? 180 / Math.PI : 1;
  return (Number.parseFloat(text) || 0) * factor;
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  // CSS also allows saturation and lightness as numbers up to 100.
  const [s, l] = [saturation, lightness].map((part) => (part > 1 ? part / 100 : part));
  const part = (shift: number) => {
    const k = (shift + hue / 30) % 12;
    return (l ?? 0) - (s ?? 0) * Math.min(l ?? 0, 1 - (l ?? 0)) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [part(0), part(8), part(4)];
}

function fromOklch(lightness: number, chroma: number, hue: number): Rgb {
  const radians = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(radians), chroma * Math.sin(radians)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/**
 * Returns a colour as `#rrggbb` for formats that support no other notation. A colour that cannot be parsed is returned
 * unchanged.
 */
export function toHex(color: string): string {
  const linear = linearOf(color.trim().toLowerCase());
  if (linear === undefined) return color;
  const parts = linear.map((part) => {
    const bounded = Math.min(1, Math.max(0, part));
    const value = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
