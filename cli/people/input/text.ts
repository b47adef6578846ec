import { createReadStream, statSync } from "node:fs";
import { createGunzip } from "node:zlib";

/** Thrown for a file or an argument that cannot be used. The message is one sentence for the terminal. */
export class InputError extends Error {
  override readonly name = "InputError";
}

const NEWLINE = 0x0a;

/**
 * Yields the text of a file, without a byte order mark. Decompresses gzip, which it detects by its first bytes. Throws an
 * InputError for a missing or empty file and for text that is not UTF-8.
 */
export async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let isFirst = true;
  for await (const chunk of readBytes(path)) {
    if (isFirst) refuseUtf16(path, chunk);
    isFirst = false;
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw notUtf8(path, line + lineInChunk(chunk));
    }
    line += countLines(text);
    if (text !== "") yield text;
  }
  if (isFirst) throw new InputError(`${path} is empty.`);
  try {
    decoder.decode();
  } catch {
    throw notUtf8(path, line);
  }
}

async function* readBytes(path: string): AsyncGenerator<Buffer> {
  try {
    if (!statSync(path).isFile()) throw new InputError(`${path} is not a file.`);
    const file = createReadStream(path);
    const isGzip = path.endsWith(".gz");
    const bytes = isGzip ? file.pipe(createGunzip()) : file;
    // `pipe` does not pass on errors of the file.
    if (isGzip) file.once("error", (error) => bytes.destroy(error));
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function refuseUtf16(path: string, chunk: Buffer): void {
  const mark = chunk.subarray(0, 2).toString("hex");
  if (mark === "fffe" || mark === "feff")
    throw new InputError(`${path} is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 "${path}" > converted.csv`);
  if (mark === "1f8b") throw new InputError(`${path} is compressed. Give it a name that ends in .gz.`);
}

const notUtf8 = (path: string, line: number) =>
  new InputError(
    `${path}, line ${line}: the text is not UTF-8. Convert it: iconv -f WINDOWS-1252 -t UTF-8 "${path}" > converted.csv`,
  );

/** Returns the number of complete lines before the first line of the chunk that is not UTF-8. */
function lineInChunk(chunk: Buffer): number {
  let line = 0;
  for (let start = 0; start < chunk.length; line += 1) {
    const newline = chunk.indexOf(NEWLINE, start);
    const end = newline < 0 ? chunk.length : newline + 1;
    // The chunk may begin in the middle of a character.
    const isValid = new TextDecoder("utf-8", { fatal: true });
    try {
      isValid.decode(chunk.subarray(start, end), { stream: true });
    } catch {
      if (start > 0 || line === 0) return line;
    }
    start = end;
  }
  return line;
}

const countLines = (text: string) => text.split("\n").length - 1;
