import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawPng } from "../../../cli/page/png.ts";
import { loadModule } from "../load.ts";
import { PALETTES, SCENES } from "./illustrations.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The folder from which the email Worker serves the sample pictures of the mail designs. */
export const PICTURE_FOLDER = pathOf("../../../.generated/docs/static/library/pictures/");

type Pictures = typeof import("../../../workers/email/content/format/pictures");

/** The hash of the drawn pictures. It is written last, so an interrupted run draws them again. */
const hashFile = join(PICTURE_FOLDER, "drawn.sha256");

/** Draws the sample pictures of all design sets as PNG files at twice their size, unless they are drawn and unchanged. */
export async function drawLibraryPictures(): Promise<void> {
  const { PICTURE_SIZES } = await loadModule<Pictures>(pathOf("../../../workers/email/content/format/pictures.ts"));
  const pictures = Object.entries(PALETTES).flatMap(([set, palette]) =>
    Object.entries(PICTURE_SIZES).map(([name, [width, height]]) => {
      const scene = SCENES[name];
      if (scene === undefined) throw new Error(`${name}: no scene in illustrations.ts`);
      const size = `width="${2 * width}" height="${2 * height}" viewBox="0 0 ${width} ${height}"`;
      return {
        file: `${set}-${name}.png`,
        svg: `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${scene(palette)}</svg>`,
      };
    }),
  );
  const hash = createHash("sha256").update(JSON.stringify(pictures)).digest("hex");
  if (existsSync(hashFile) && readFileSync(hashFile, "utf8") === hash) return;
  mkdirSync(PICTURE_FOLDER, { recursive: true });
  for (const { file, svg } of pictures) replaceFile(file, await drawPng(svg));
  replaceFile("drawn.sha256", hash);
}

/** Replaces a file atomically, so that a running Worker serves either the old or the new one. */
function replaceFile(name: string, content: Uint8Array | string): void {
  const draft = join(PICTURE_FOLDER, `.${name}.${process.pid}`);
  writeFileSync(draft, content);
  renameSync(draft, join(PICTURE_FOLDER, name));
}
