import { ArchiveError } from "./archive-error";
import { BLOCK_BYTES, parseHeader, parseRecords, parseText, type TarHeader } from "./tar-header";

/** Maximum size of an extended header or long name; a path has at most 1,024 bytes. */
const MAX_METADATA_BYTES = 64 * 1024;

/** An entry of a tar archive. `body` yields the bytes of a file; what is not read is skipped. */
export type TarEntry = {
  path: string;
  kind: "file" | "directory" | "other";
  size: number;
  body: AsyncIterable<Uint8Array>;
};

/** What the headers before an entry say about it; null for what they do not mention. */
type Overrides = { path: string | null; size: number | null };

/**
 * Yields the entries of a tar archive (ustar, POSIX pax or GNU) as its bytes arrive. Reads to the end of `chunks`. Throws an
 * ArchiveError for anything else, and for sparse files.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = openInput(chunks);
  let overrides: Overrides = { path: null, size: null };
  try {
    for (;;) {
      const header = parseHeader(await input.read(BLOCK_BYTES));
      if (header === null) break;
      if (header.size > MAX_METADATA_BYTES && "xgLK".includes(header.typeflag)) {
        throw new ArchiveError("An extended header is too large.");
      }
      if (header.typeflag === "x") overrides = { ...overrides, ...readExtended(await readPadded(input, header.size)) };
      else if (header.typeflag === "g") readGlobal(await readPadded(input, header.size));
      else if (header.typeflag === "L") overrides.path = parseText(await readPadded(input, header.size));
      else if (header.typeflag === "K") await readPadded(input, header.size);
      else {
        const path = overrides.path ?? header.name;
        const kind = kindOf(header, path);
        const size = overrides.size ?? header.size;
        overrides = { path: null, size: null };
        if (kind !== "file" && size > 0) throw new ArchiveError("The entry has bytes, but is not a file.", path);
        const body = input.stream(size);
        yield { path, kind, size, body };
        for await (const _skipped of body);
        await input.read(paddingOf(size));
      }
    }
    await input.end();
  } finally {
    await input.close();
  }
}

const paddingOf = (size: number) => -size & (BLOCK_BYTES - 1);

async function readPadded(input: Input, size: number): Promise<Uint8Array> {
  return (await input.read(size + paddingOf(size))).subarray(0, size);
}

function kindOf({ typeflag }: TarHeader, path: string): TarEntry["kind"] {
  if (typeflag === "5") return "directory";
  // Before ustar, a directory was a file whose name ends with a slash.
  if ("0\0".includes(typeflag)) return path.endsWith("/") ? "directory" : "file";
  return typeflag === "7" ? "file" : "other";
}

function readExtended(bytes: Uint8Array): Partial<Overrides> {
  const records = parseRecords(bytes);
  const path = records.get("path");
  const size = records.get("size");
  if ([...records.keys()].some((keyword) => keyword.startsWith("GNU.sparse."))) {
    throw new ArchiveError("Sparse files are not supported.", path);
  }
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw new ArchiveError("An extended header is not valid.", path);
  return { ...(path === undefined ? {} : { path }), ...(size === undefined ? {} : { size: Number(size) }) };
}

/** Checks the extended header of all following entries. Its comments, such as the commit of `git archive`, are ignored. */
function readGlobal(bytes: Uint8Array): void {
  const records = parseRecords(bytes);
  if (records.has("path") || records.has("size")) throw new ArchiveError("A global header is not supported.");
}

type Input = ReturnType<typeof openInput>;

/** Opens bytes that arrive in chunks for reads of given lengths. */
function openInput(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest = new Uint8Array() as Uint8Array;
  /** Returns the next bytes, at most `limit` of them. Throws at the end. */
  const next = async (limit: number): Promise<Uint8Array> => {
    while (rest.length === 0) {
      const { done, value } = await iterator.next();
      if (done) throw new ArchiveError("The archive ends early.");
      rest = value;
    }
    const bytes = rest.subarray(0, limit);
    rest = rest.subarray(bytes.length);
    return bytes;
  };
  return {
    /** Returns a copy of the next `length` bytes. */
    async read(length: number): Promise<Uint8Array> {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) {
        const part = await next(length - at);
        bytes.set(part, at);
        at += part.length;
      }
      return bytes;
    },
    /** Yields the next `length` bytes. A second iteration continues after the first. */
    stream(length: number): AsyncIterable<Uint8Array> {
      let left = length;
      return {
        async *[Symbol.asyncIterator]() {
          while (left > 0) {
            const part = await next(left);
            left -= part.length;
            yield part;
          }
        },
      };
    },
    /** Reads what follows the end of the archive, so that the compressed stream is checked to its end. */
    async end(): Promise<void> {
      while (!(await iterator.next()).done);
    },
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}
