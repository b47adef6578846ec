import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, open, readFile, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import type { BackupDescription, StoredFile } from "../../schemas/backup.ts";

/** A line of a backup. Rows are JSON arrays in texts, so that no number changes. */
export type BackupLine =
  | {
      type: "backup";
      version: 1;
      id: string;
      created_at: string;
      /** null for a backup of all companies */
      company_id: number | null;
      services: Record<string, BackupDescription>;
    }
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
 * Writes lines to a file: JSON lines, compressed by gzip and encrypted by age (age-encryption.org/v1), or without a lock as they are.
 * Only its owner can read the file, and it gets its name when it is complete. Throws a BackupError when the name is taken.
 */
export async function writeArchive(path: string, lock: Lock | null, lines: AsyncIterable<BackupLine>): Promise<void> {
  await requireFree(path);
  const encrypter = lock === null ? null : encrypterOf(lock);
  // Opened exclusively under a name that nobody can foresee: an existing file keeps its mode, and a link leads elsewhere.
  const partPath = `${path}.${randomBytes(6).toString("hex")}.part`;
  const file = await open(partPath, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(`backup-not-writable: ${path} cannot be created (${error.code ?? error.message}).`);
  });
  try {
    const texts = Readable.from(toTexts(lines));
    const content =
      encrypter === null
        ? texts
        : await encrypter.encrypt(Readable.toWeb(texts.compose(createGzip())) as ReadableStream<Uint8Array>);
    await pipeline(content, file.createWriteStream());
    await requireFree(path);
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

async function requireFree(path: string): Promise<void> {
  const isTaken = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new BackupError(`file-exists: ${path} exists. Remove it, or choose another name.`);
}

/** Returns what encrypts for a lock. Throws a BackupError for a recipient that is not one. */
function encrypterOf(lock: Lock): Encrypter {
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
  return encrypter;
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

/** Returns whether a file is encrypted. Throws a BackupError when it cannot be read. */
export async function isEncrypted(path: string): Promise<boolean> {
  try {
    const file = await open(path);
    const { buffer } = await file
      .read(Buffer.alloc(AGE_HEADER.length), 0, AGE_HEADER.length, 0)
      .finally(() => file.close());
    return buffer.toString("latin1") === AGE_HEADER;
  } catch (error) {
    throw new BackupError(`backup-not-readable: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const AGE_HEADER = "age-encryption.org/v1";

/** Reads the lines of a backup. Throws a BackupError for another file, a wrong key, or an incomplete backup. */
export async function* readArchive(path: string, key: Key | null): AsyncGenerator<BackupLine> {
  const file = createReadStream(path);
  const fail = (error: unknown): never => {
    file.destroy();
    if (error instanceof BackupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason.startsWith("no identity matched")) {
      throw new BackupError(`key-wrong: The passphrase or the age key does not open ${path}.`);
    }
    throw new BackupError(`backup-not-readable: ${path} is damaged, incomplete or no backup (${reason}).`);
  };
  const content = key === null ? file : (await decrypt(file, key).catch(fail)).compose(createGunzip());
  let count = 0;
  let hasEnded = false;
  try {
    for await (const text of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (hasEnded) throw new BackupError(`backup-damaged: ${path} has lines after its end.`);
      const line = readLine(text);
      if (count === 0 && (line?.type !== "backup" || line.version !== 1))
        throw new BackupError(`backup-unknown: ${path} is not a backup that this release reads.`);
      if (line === null || (count > 0 && line.type === "backup"))
        throw new BackupError(`backup-damaged: Line ${count + 1} of ${path} is not one of a backup.`);
      if (line.type === "end") hasEnded = line.lines === count;
      count += 1;
      yield line;
    }
  } catch (error) {
    fail(error);
  } finally {
    file.destroy();
  }
  if (!hasEnded) throw new BackupError(`backup-incomplete: ${path} ends too early.`);
}

const isText = (value: unknown) => typeof value === "string";
const isObject = (value: unknown) => typeof value === "object" && value !== null;

/** By type of line: whether it has its fields. */
const hasFields: Record<BackupLine["type"], (line: Record<string, unknown>) => boolean> = {
  backup: (line) => isText(line.id) && isText(line.created_at) && isObject(line.services),
  secrets: (line) => isText(line.name) && isText(line.text),
  rows: (line) => isText(line.service) && isText(line.table) && Array.isArray(line.rows) && line.rows.every(isText),
  table: (line) => isText(line.service) && isText(line.table) && isText(line.sha256),
  files: (line) =>
    isText(line.service) && isText(line.bucket) && Array.isArray(line.files) && line.files.every(Array.isArray),
  end: (line) => typeof line.lines === "number",
};

/** Parses a line. Returns null when it is not a line of a backup. */
function readLine(text: string): BackupLine | null {
  try {
    const line = Object(JSON.parse(text)) as BackupLine;
    return Object.hasOwn(hasFields, line.type) && hasFields[line.type](line) ? line : null;
  } catch {
    return null;
  }
}

async function decrypt(file: Readable, key: Key): Promise<Readable> {
  const decrypter = new Decrypter();
  if ("passphrase" in key) decrypter.addPassphrase(key.passphrase);
  else decrypter.addIdentity(key.identity);
  const decrypted = await decrypter.decrypt(Readable.toWeb(file) as ReadableStream<Uint8Array>);
  return Readable.fromWeb(decrypted as never);
}
