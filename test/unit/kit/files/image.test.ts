import { describe, expect, it } from "vitest";
import { readImage } from "../../../../workers/kit/files/image";
import { imagesOfTests, uniquePng } from "../../../support/email/images";

const { png, jpeg, webp } = imagesOfTests;
const size = { width: 3, height: 2 };

const text = (value: string) => Uint8Array.from(value, (char) => char.charCodeAt(0));
const joined = (...parts: ArrayLike<number>[]) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));
const le32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];

/** Returns the bytes with other values from an offset on. */
function changed(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const changed = bytes.slice();
  changed.set(values, at);
  return changed;
}

/** Returns a WebP file with one chunk. */
function riff(type: string, data: ArrayLike<number>): Uint8Array {
  const padding = data.length % 2 === 0 ? [] : [0];
  return joined(
    text("RIFF"),
    le32(12 + data.length + padding.length),
    text("WEBP"),
    text(type),
    le32(data.length),
    data,
    padding,
  );
}

const lossy = riff("VP8 ", [0x10, 0, 0, 0x9d, 0x01, 0x2a, 3, 0, 2, 0]);
const lossless = riff("VP8L", [0x2f, 2, 0x40, 0, 0]);
/** The offset of the first frame of the JPEG. */
const frameAt = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);

describe("readImage", () => {
  it.each([
    ["PNG", png, "image/png"],
    ["PNG with a comment", uniquePng("x"), "image/png"],
    ["JPEG", jpeg, "image/jpeg"],
    ["progressive JPEG", changed(jpeg, frameAt + 1, 0xc2), "image/jpeg"],
    ["JPEG with camera data after its end", joined(jpeg, [1, 2, 3]), "image/jpeg"],
    ["WebP in the extended format", webp, "image/webp"],
    ["lossy WebP", lossy, "image/webp"],
    ["lossless WebP", lossless, "image/webp"],
    ["PNG in the middle of a buffer", joined([1, 2, 3], png).subarray(3), "image/png"],
  ])("recognizes an image by its structure: %s", (_name, bytes, type) => {
    expect(readImage(bytes)).toEqual({ type, ...size });
  });

  it.each([
    ["PNG", png],
    ["JPEG", jpeg],
    ["WebP", webp],
  ])("rejects an image that is truncated at any position: %s", (_name, bytes) => {
    for (let end = 0; end < bytes.length; end += 1)
      expect([end, readImage(bytes.subarray(0, end))]).toEqual([end, null]);
  });

  it("returns the size in the header", () => {
    expect(readImage(changed(png, 16, 0, 1, 0, 0))).toMatchObject({ width: 65_536, height: 2 });
    expect(readImage(changed(jpeg, frameAt + 5, 0, 0))).toMatchObject({ width: 3, height: 0 });
    expect(readImage(changed(webp, 24, 0xff, 0xff, 0xff, 1, 0, 1))).toMatchObject({
      width: 16_777_216,
      height: 65_538,
    });
  });

  it.each([
    ["nothing", new Uint8Array()],
    ["an SVG", text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["a GIF", text("GIF89a\x01\0\x01\0\0\0\0;")],
    ["a signature alone", text("\x89PNG\r\n\x1a\n")],
    ["a PNG that does not begin with its header", changed(png, 12, ...text("tEXt"))],
    ["a PNG with a bit depth that its color type does not allow", changed(png, 24, 4)],
    ["a PNG with an unknown compression", changed(png, 26, 1)],
    ["a PNG with data after its end", joined(png, text("<script>"))],
    ["a PNG whose chunk is longer than the file", changed(png, 33, 0xff, 0xff, 0xff, 0xff)],
    ["a PNG without pixels", joined(png.subarray(0, 33), png.subarray(-12))],
    ["a JPEG with arithmetic coding", changed(jpeg, frameAt + 1, 0xc9)],
    ["a JPEG of 12 bits", changed(jpeg, frameAt + 4, 12)],
    ["a JPEG without a frame", changed(jpeg, frameAt + 1, 0xe1)],
    ["a JPEG whose segment has no length", changed(jpeg, 4, 0, 0)],
    ["a WebP with data after its end", joined(webp, [1, 2])],
    ["a WebP whose first frame needs another one", changed(lossy, 20, 0x11)],
    ["a WebP of a later version", changed(lossless, 24, 0xe0)],
    ["a WebP with a canvas and no picture", riff("VP8X", new Uint8Array(10))],
    ["an audio file in the same container", changed(webp, 8, ...text("WAVE"))],
  ])("finds no image in %s", (_name, bytes) => {
    expect(readImage(bytes)).toBeNull();
  });
});
