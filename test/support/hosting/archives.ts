import { utf8ToBytes } from "../../../workers/kit/crypto/encoding";

const BLOCK = 512;

/** An entry of a test archive; `typeflag` is `0` for a file by default. `raw` replaces its header block and body. */
export type TestEntry = {
  path?: string;
  body?: string | Uint8Array;
  typeflag?: string;
  prefix?: string;
  linkname?: string;
  /** the size in the header, if it differs from that of the body */
  size?: number;
  raw?: Uint8Array;
};

const toBytes = (value: string | Uint8Array) => (typeof value === "string" ? utf8ToBytes(value) : value);

function blockOf({ path = "", typeflag = "0", prefix = "", linkname = "" }: TestEntry, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string | Uint8Array) => block.set(toBytes(text), at);
  put(0, toBytes(path).subarray(0, 100));
  put(100, "0000644\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(156, typeflag);
  put(157, linkname);
  put(257, "ustar\0");
  put(263, "00");
  put(345, prefix);
  put(148, " ".repeat(8));
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

const padded = (bytes: Uint8Array): Uint8Array => {
  const all = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  all.set(bytes);
  return all;
};

/** Returns a tar archive of entries, which ends with two blocks of zeros unless `isOpen`. */
export function tarOf(entries: readonly TestEntry[], { isOpen = false } = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const body = toBytes(entry.body ?? "");
    parts.push(entry.raw ?? blockOf(entry, entry.size ?? body.length), padded(body));
  }
  if (!isOpen) parts.push(new Uint8Array(2 * BLOCK));
  return joinParts(parts);
}

/** Returns an archive of files by path. */
export const tarOfFiles = (files: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  tarOf(Object.entries(files).map(([path, body]) => ({ path, body })));

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Returns the entry of an extended header (`x`, or `g` for all entries) with records by keyword. */
export function extended(records: Readonly<Record<string, string>>, typeflag = "x"): TestEntry {
  const text = Object.entries(records).map(([keyword, value]) => {
    const rest = toBytes(` ${keyword}=${value}\n`).length;
    let length = rest + 1;
    while (String(length).length + rest !== length) length += 1;
    return `${length} ${keyword}=${value}\n`;
  });
  return { path: "PaxHeader", typeflag, body: text.join("") };
}

/** Returns the gzip stream of bytes. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Response(bytes as BodyInit).body?.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns a gzip tar archive of files by path. */
export const archiveOf = (files: Readonly<Record<string, string | Uint8Array>>) => gzip(tarOfFiles(files));

/** Yields bytes in chunks of `size`. */
export async function* inChunks(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
