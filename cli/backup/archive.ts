import { createReadStream, createWriteStream } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import type { BackupDescription, StoredFile } from "../../schemas/backup.ts";

/** A line of a backup. Rows are JSON arrays in texts, so that no number changes. */
export type BackupLine =
  | { type: "backup"; version: 1; id: string; created_at: string; services: Record<string, BackupDescription> }
  | { type: "secrets"; name: string; text: string }
  | { type: "rows"; service: string; table: string; rows: string[] }
  /** the number of rows of a table, and the SHA-256 of its rows in the order of their keys, each with a line break */
  | { type: "table"; service: string; table: string; rows: number; sha256: string }
  | { type: "files"; service: string; bucket: string; files: StoredFile[] }
  | { type: "end"; lines: number };

/** Thrown when a backup cannot be written or read. The message begins with a code. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** How a backup is encrypted: for the owners of age keys, or with a passphrase. */
export type Lock = { recipients: readonly string[] } | { passphrase: string };

/**
 * Writes lines to a file: JSON lines, compressed by gzip, encrypted by age (age-encryption.org/v1). Only its owner can read the file,
 * and it gets its name when it is complete.
 */
export async function writeArchive(path: string, lock: Lock, lines: AsyncIterable<BackupLine>): Promise<void> {
  const encrypter = new Encrypter();
  if ("passphrase" in lock) encrypter.setPassphrase(lock.passphrase);
  else {
    for (const recipient of lock.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch {
        throw new BackupError(`recipient-invalid: ${recipient} is not an age recipient (age1…).`);
      }
    }
  }
  const partPath = `${path}.part`;
  const zipped = Readable.from(toTexts(lines)).compose(createGzip());
  try {
    const encrypted = await encrypter.encrypt(Readable.toWeb(zipped) as ReadableStream<Uint8Array>);
    await pipeline(encrypted, createWriteStream(partPath, { mode: 0o600 }));
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

async function* toTexts(lines: AsyncIterable<BackupLine>): AsyncGenerator<string> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    yield `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ type: "end", lines: count } satisfies BackupLine)}\n`;
}

/** What opens a backup: an age identity, or a passphrase. */
export type Key = { identity: string } | { passphrase: string };

/** Reads the identity of a file as `age-keygen` writes it, whose other lines are comments. */
export async function readIdentity(path: string): Promise<Key> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new BackupError(`identity-not-readable: ${error.message}`);
  });
  const identity = text.split(/\r?\n/).find((line) => line.startsWith("AGE-SECRET-KEY-"));
  if (identity === undefined) throw new BackupError(`identity-invalid: ${path} has no line AGE-SECRET-KEY-….`);
  return { identity };
}

/** Reads the lines of a backup. Throws a BackupError for another file, a wrong key, or an incomplete backup. */
export async function* readArchive(path: string, key: Key): AsyncGenerator<BackupLine> {
  const decrypter = new Decrypter();
  if ("passphrase" in key) decrypter.addPassphrase(key.passphrase);
  else decrypter.addIdentity(key.identity);
  const file = createReadStream(path);
  const fail = (error: unknown): never => {
    file.destroy();
    if (error instanceof BackupError) throw error;
    throw new BackupError(`backup-not-readable: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const decrypted = await decrypter.decrypt(Readable.toWeb(file) as ReadableStream<Uint8Array>).catch(fail);
  const unzipped = Readable.fromWeb(decrypted as never).compose(createGunzip());
  let count = 0;
  let hasEnded = false;
  try {
    for await (const text of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = JSON.parse(text) as BackupLine;
      if (count === 0 && (line.type !== "backup" || line.version !== 1))
        throw new BackupError(`backup-unknown: ${path} is not a backup that this release reads.`);
      if (line.type === "end") hasEnded = line.lines === count;
      count += 1;
      yield line;
    }
  } catch (error) {
    fail(error);
  }
  if (!hasEnded) throw new BackupError(`backup-incomplete: ${path} ends too early.`);
}
