import { createHash } from "node:crypto";
import { extname } from "node:path";
import { drawPng } from "./png.ts";

export const iconSizes = [
  { size: 192, isMaskable: false },
  { size: 512, isMaskable: false },
  { size: 512, isMaskable: true },
] as const;

export type IconFile = { path: string; size: number; isMaskable: boolean; bytes: Uint8Array };

const mediaTypes: Record<string, string> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
};

/** Returns whether icons can be made from an image file. */
export function isIconSource(path: string): boolean {
  return extname(path).toLowerCase() in mediaTypes;
}

/**
 * Draws the icons of an installed shell from one image; file names contain a content hash. A maskable icon has a margin
 * filled with `background`.
 */
export async function drawIcons(picture: Uint8Array, name: string, background: string): Promise<IconFile[]> {
  const type = mediaTypes[extname(name).toLowerCase()] ?? "image/png";
  const href = `data:${type};base64,${Buffer.from(picture).toString("base64")}`;
  const icons = iconSizes.map(async ({ size, isMaskable }) => {
    const inner = isMaskable ? Math.round(size * 0.72) : size;
    const start = (size - inner) / 2;
    const backgroundRect = isMaskable ? `<rect width="${size}" height="${size}" fill="${background}"/>` : "";
    const image = `<image href="${href}" x="${start}" y="${start}" width="${inner}" height="${inner}"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${backgroundRect}${image}</svg>`;
    const bytes = await drawPng(svg);
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
    const path = `assets/icon-${size}${isMaskable ? "-maskable" : ""}-${hash}.png`;
    return { path, size, isMaskable, bytes };
  });
  return Promise.all(icons);
}
