import { base64ToBytes, bytesToHex, hexToBytes } from "../crypto/encoding";
import { invalid } from "../problem";

/** The checksums that an upload declares, as lower-case hex; null when not declared. */
export type Checksums = { md5: string | null; sha256: string | null };

/**
 * Reads `Content-MD5` (base64, RFC 1864) and `x-checksum-sha256` (hex or base64). Throws a 400 that names the invalid
 * header.
 */
export function readChecksums(headers: Headers): Checksums {
  return { md5: readDigest(headers, "content-md5", 16), sha256: readDigest(headers, "x-checksum-sha256", 32) };
}

function readDigest(headers: Headers, header: string, bytes: number): string | null {
  const text = headers.get(header)?.trim() ?? null;
  if (text === null) return null;
  try {
    const digest = text.length === 2 * bytes ? hexToBytes(text) : base64ToBytes(text);
    if (digest.length === bytes) return bytesToHex(digest);
  } catch {
    // The text is neither hex nor base64. It is rejected below, like a digest of the wrong length.
  }
  throw invalid({ [header]: ["invalid"] });
}

// workerd provides this class; the types of other runtimes lack it.
const { DigestStream } = crypto as unknown as {
  DigestStream: new (algorithm: string) => WritableStream<Uint8Array> & { readonly digest: Promise<ArrayBuffer> };
};

/** Creates a digest of bytes that are added in chunks. */
export function openDigest(algorithm: "MD5" | "SHA-1" | "SHA-256") {
  const stream = new DigestStream(algorithm);
  const writer = stream.getWriter();
  return {
    add: (bytes: Uint8Array): Promise<void> => writer.write(bytes),
    /** returns the digest of all added bytes in lower-case hex */
    async end(): Promise<string> {
      await writer.close();
      return bytesToHex(new Uint8Array(await stream.digest));
    },
  };
}

/** Creates the digests that an upload declares, of bytes that are added in chunks. */
export function createDigests({ md5, sha256 }: Checksums) {
  const digests = [
    ...(md5 === null ? [] : [{ expected: md5, digest: openDigest("MD5") }]),
    ...(sha256 === null ? [] : [{ expected: sha256, digest: openDigest("SHA-256") }]),
  ];
  return {
    async add(bytes: Uint8Array): Promise<void> {
      for (const { digest } of digests) await digest.add(bytes);
    },
    /** Ends the digests and returns whether all of them match. */
    async isMatching(): Promise<boolean> {
      let isMatch = true;
      for (const { digest, expected } of digests) if ((await digest.end()) !== expected) isMatch = false;
      return isMatch;
    },
  };
}
