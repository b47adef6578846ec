/** The image types that `readImage` recognises: those that browsers and most mail programs display. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp"] as const;

/** Type and dimensions of an image; width and height in pixels. */
export type ImageInfo = { type: (typeof IMAGE_TYPES)[number]; width: number; height: number };

type Size = Pick<ImageInfo, "width" | "height">;

const PNG_SIGNATURE = "\x89PNG\r\n\x1a\n";

/** Allowed bit depths of a PNG by colour type (PNG 3rd edition, 11.2.1). */
const PNG_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

const PNG_CHUNK_FRAME = 12;
const RIFF_HEADER = 12;
const RIFF_CHUNK_HEADER = 8;

/** JPEG markers (ITU T.81, B.1). */
const JPEG = { start: 0xd8, end: 0xd9, scan: 0xda, firstFrame: 0xc0, lastFrame: 0xcf } as const;
/** The JPEG frames that browsers decode: baseline, extended and progressive Huffman. */
const JPEG_SHOWN_FRAMES = [0xc0, 0xc1, 0xc2];
/** Markers within the range of frame markers that do not start a frame: DHT, JPG, DAC. */
const JPEG_NO_FRAMES = [0xc4, 0xc8, 0xcc];

/**
 * Returns type and size of a PNG, JPEG or WebP image from its structure: signature, header and chunks up to its end.
 * Returns null for other bytes and for a truncated image. Pixels are not decoded.
 */
export function readImage(bytes: Uint8Array): ImageInfo | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const png = readPng(view);
  if (png !== null) return { type: "image/png", ...png };
  const jpeg = readJpeg(view);
  if (jpeg !== null) return { type: "image/jpeg", ...jpeg };
  const webp = readWebp(view);
  return webp === null ? null : { type: "image/webp", ...webp };
}

const hasBytes = (view: DataView, from: number, count: number): boolean => from + count <= view.byteLength;

const textAt = (view: DataView, from: number, length: number): string =>
  hasBytes(view, from, length)
    ? String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + from, length))
    : "";

function readPng(view: DataView): Size | null {
  if (textAt(view, 0, PNG_SIGNATURE.length) !== PNG_SIGNATURE) return null;
  let size: Size | null = null;
  let hasData = false;
  for (let at = PNG_SIGNATURE.length; hasBytes(view, at, PNG_CHUNK_FRAME); ) {
    const length = view.getUint32(at);
    const type = textAt(view, at + 4, 4);
    const end = at + PNG_CHUNK_FRAME + length;
    if (end > view.byteLength) return null;
    if (size === null) {
      if (type !== "IHDR" || length !== 13 || !isPngHeader(view, at + 8)) return null;
      size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    }
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData && end === view.byteLength ? size : null;
    at = end;
  }
  return null;
}

function isPngHeader(view: DataView, at: number): boolean {
  const [depth, colour, compression, filter, interlace] = [8, 9, 10, 11, 12].map((offset) =>
    view.getUint8(at + offset),
  );
  const isAllowedDepth = PNG_DEPTHS[colour ?? -1]?.includes(depth ?? 0) ?? false;
  return isAllowedDepth && compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
}

function readJpeg(view: DataView): Size | null {
  if (!hasBytes(view, 0, 4) || view.getUint16(0) !== 0xff00 + JPEG.start) return null;
  let size: Size | null = null;
  for (let at = 2; hasBytes(view, at, 4); ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (length < 2 || !hasBytes(view, at + 2, length)) return null;
    const isFrame = marker >= JPEG.firstFrame && marker <= JPEG.lastFrame && !JPEG_NO_FRAMES.includes(marker);
    if (isFrame) {
      if (size !== null || !JPEG_SHOWN_FRAMES.includes(marker)) return null;
      size = readJpegFrame(view, at + 4, length);
      if (size === null) return null;
    }
    // Entropy-coded data cannot contain a marker, so an end marker after this point is the end of the image.
    if (marker === JPEG.scan) return size !== null && hasJpegEnd(view, at + 2 + length) ? size : null;
    at += 2 + length;
  }
  return null;
}

/** Returns the dimensions of a frame with 8 bits per sample and 1, 3 or 4 components; null for any other frame. */
function readJpegFrame(view: DataView, at: number, length: number): Size | null {
  if (length < 8) return null;
  const [depth, components] = [view.getUint8(at), view.getUint8(at + 5)];
  if (depth !== 8 || ![1, 3, 4].includes(components) || length !== 8 + 3 * components) return null;
  return { width: view.getUint16(at + 3), height: view.getUint16(at + 1) };
}

/** Returns whether an end marker follows. Cameras append data after it, so it need not be the last two bytes. */
function hasJpegEnd(view: DataView, from: number): boolean {
  for (let at = view.byteLength - 2; at >= from; at -= 1) {
    if (view.getUint16(at) === 0xff00 + JPEG.end) return true;
  }
  return false;
}

function readWebp(view: DataView): Size | null {
  if (textAt(view, 0, 4) !== "RIFF" || textAt(view, 8, 4) !== "WEBP") return null;
  if (view.getUint32(4, true) + RIFF_CHUNK_HEADER !== view.byteLength) return null;
  let size: Size | null = null;
  let hasImage = false;
  let at = RIFF_HEADER;
  while (hasBytes(view, at, RIFF_CHUNK_HEADER)) {
    const type = textAt(view, at, 4);
    const length = view.getUint32(at + 4, true);
    const data = at + RIFF_CHUNK_HEADER;
    if (!hasBytes(view, data, length)) return null;
    if (at === RIFF_HEADER) size = readWebpSize(view, type, data, length);
    hasImage ||= ["VP8 ", "VP8L", "ANMF"].includes(type);
    at = data + length + (length % 2);
  }
  return hasImage && at === view.byteLength ? size : null;
}

/**
 * Returns the dimensions in the first chunk: of a lossy (RFC 6386 9.1) or lossless bitstream, or of the canvas of the
 * extended format (RFC 9649).
 */
function readWebpSize(view: DataView, type: string, at: number, length: number): Size | null {
  if (type === "VP8 " && length >= 10) {
    const isKeyFrame = (view.getUint8(at) & 1) === 0 && textAt(view, at + 3, 3) === "\x9d\x01\x2a";
    const side = (offset: number) => view.getUint16(at + offset, true) & 0x3fff;
    return isKeyFrame ? { width: side(6), height: side(8) } : null;
  }
  if (type === "VP8L" && length >= 5) {
    const bits = view.getUint32(at + 1, true);
    if (view.getUint8(at) !== 0x2f || bits >>> 29 !== 0) return null;
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (type === "VP8X" && length === 10) {
    const side = (offset: number) => view.getUint16(at + offset, true) + (view.getUint8(at + offset + 2) << 16) + 1;
    return { width: side(4), height: side(7) };
  }
  return null;
}
