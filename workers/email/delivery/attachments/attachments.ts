import * as z from "zod";
import type { AttachmentsRow } from "../../../../db/email/rows";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { ReadObjectResult } from "../../../../schemas/rpc";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import { putBytes } from "../../../kit/files/r2-body";
import { messageId } from "../../../kit/ids";
import { errorName } from "../../../kit/log";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import type { OutgoingAttachment } from "../providers/types";
import { isRefused, mediaTypeOf, type NewAttachment, partTypeOf } from "./attachment-input";
import { type AttachmentSet, deleteSets, findDueSets, findUnused, insertSet, postponeCheck } from "./attachments.store";

/**
 * How long the sweep waits before it checks a set, and before it checks a set again that is in use. A request stores its
 * messages much sooner, so the sweep never removes the files of a request that is being accepted.
 */
const CHECK_AFTER_MS = HOUR_MS;
/** Maximum number of sets per statement of the sweep. With 10 files each, R2 removes them in one call. */
const SWEEP_SIZE = 100;

type StoredFile = { filename: string; contentType: string; contentId: string | null; size: number };

const storedFiles = lazySchema(() =>
  z.array(z.object({ filename: z.string(), contentType: z.string(), contentId: z.string().nullable(), size: z.int() })),
);

/** Returns the data that binds encrypted file names to their set. */
export const attachmentsAad = (companyId: number, id: string): string =>
  `email:message_attachments:files_enc:${companyId}:${id}`;

const keyOf = ({ company_id, id }: Pick<AttachmentSet, "company_id" | "id">, index: number): string =>
  `attachments/${company_id}/${id}/${index}`;

/** An attachment with its final type and its bytes. */
type ReadyFile = StoredFile & { bytes: Uint8Array };

/**
 * Stores the attachments of a request and returns the id of the set for `attachments_id` of its messages, or null without
 * attachments. Call it right before the messages are stored: a set without messages is removed after an hour. Throws 400
 * `validation_failed`, 502 `storage_error`, or 503 `service_unavailable` when storage does not respond.
 */
export async function storeAttachments(
  services: EmailServices,
  companyId: number,
  attachments: readonly NewAttachment[],
): Promise<string | null> {
  if (attachments.length === 0) return null;
  const id = messageId().slice("msg_".length);
  const files = await readSources(services, companyId, attachments);
  const described = files.map(({ bytes: _, ...file }): StoredFile => file);
  const keys = await services.keys();
  const filesEnc = await seal(JSON.stringify(described), keys.variables, attachmentsAad(companyId, id));
  const checkAt = services.clock.now() + CHECK_AFTER_MS;
  // The row precedes the bytes, so that the sweep finds the bytes of an interrupted request.
  await services.dbOf(companyId).run(insertSet({ id, companyId, filesEnc, fileCount: files.length, checkAt }));
  const store = { objects: services.attachments };
  const noChecksums = { md5: null, sha256: null };
  await Promise.all(
    files.map(({ bytes }, index) => putBytes(store, keyOf({ company_id: companyId, id }, index), bytes, noChecksums)),
  );
  return id;
}

/** Reads the objects in storage. Checks their types and the total size. */
async function readSources(
  services: EmailServices,
  companyId: number,
  attachments: readonly NewAttachment[],
): Promise<ReadyFile[]> {
  let left = services.settings.maxAttachmentBytes;
  for (const { source } of attachments) left -= source.kind === "bytes" ? source.bytes.length : 0;
  const files: ReadyFile[] = [];
  // One object after the other, because each one reduces the size that is left.
  for (const { filename, contentId, contentType, source, field } of attachments) {
    const { bytes, type } =
      source.kind === "bytes"
        ? { bytes: source.bytes, type: contentType ?? "" }
        : await readObject(services, { companyId, source, maxBytes: left, contentType, field });
    if (source.kind === "storage") left -= bytes.length;
    if (isRefused(filename, type)) throw invalid({ [`${field}.content_type`]: ["not_allowed"] });
    files.push({ filename, contentId, contentType: partTypeOf(type), size: bytes.length, bytes });
  }
  return files;
}

type ObjectRequest = {
  companyId: number;
  source: Extract<NewAttachment["source"], { kind: "storage" }>;
  maxBytes: number;
  contentType: string | null;
  field: string;
};

async function readObject(
  { storage }: Pick<EmailServices, "storage">,
  { companyId, source: { bucket, path }, maxBytes, contentType, field }: ObjectRequest,
): Promise<{ bytes: Uint8Array; type: string }> {
  if (storage === null) throw new Problem("service_unavailable");
  let result: ReadObjectResult;
  let bytes: Uint8Array | null = null;
  try {
    result = await storage.readObject({ company_id: companyId, bucket, path, max_bytes: maxBytes });
    if (result.ok) bytes = await readBytes(result);
  } catch (cause) {
    throw new Problem("service_unavailable", { cause });
  }
  if (!result.ok || bytes === null) throw objectProblem(field, result);
  return { bytes, type: contentType ?? mediaTypeOf(result.mime_type) };
}

async function readBytes({ body, size }: Extract<ReadObjectResult, { ok: true }>): Promise<Uint8Array> {
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  if (bytes.length !== size) throw new Error(`storage announced ${size} bytes and sent ${bytes.length}`);
  return bytes;
}

function objectProblem(field: string, result: ReadObjectResult) {
  switch (result.ok ? "object_not_found" : result.reason) {
    case "bucket_not_found":
      return invalid({ [`${field}.storage.bucket`]: ["unknown"] });
    case "object_not_found":
      return invalid({ [`${field}.storage.path`]: ["unknown"] });
    case "encoded":
      return invalid({ [`${field}.storage.path`]: ["not_allowed"] });
    case "too_large":
      return invalid({ attachments: ["too_large"] });
  }
}

/**
 * Returns the attachments of a message, whose bytes are read when a transport opens them. Returns null when the names cannot
 * be decrypted.
 */
export async function openAttachments(
  { attachments }: Pick<EmailServices, "attachments">,
  keys: Pick<EmailKeys, "variables">,
  row: AttachmentsRow,
): Promise<OutgoingAttachment[] | null> {
  let files: StoredFile[];
  try {
    const text = await open(row.files_enc, keys.variables, attachmentsAad(row.company_id, row.id));
    files = storedFiles.unwrap().parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
  return files.map((file, index) => ({
    ...file,
    open: async () => {
      const object = await attachments.get(keyOf(row, index));
      if (object === null) throw new Error("the bytes of an attachment are missing");
      return object.body;
    },
  }));
}

/**
 * Removes the bytes and rows of the listed sets that no open message uses. Logs failures and does not throw, because the sweep
 * repeats the removal.
 */
export async function removeUnusedAttachments(
  services: EmailServices,
  companyId: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  try {
    const db = services.dbOf(companyId);
    await removeSets(services, await db.all(findUnused({ companyId, ids: [...new Set(ids)] })));
  } catch (error) {
    services.log.warn("attachments not removed", { company_id: companyId, error: errorName(error) });
  }
}

/**
 * Removes the sets that no open message uses: of messages that ended without a hand-over, of erased messages, and of requests
 * that were interrupted. `stopAt` is in unix ms.
 */
export async function sweepAttachments(services: EmailServices, stopAt = Number.POSITIVE_INFINITY): Promise<void> {
  const { platformDb, clock } = services;
  for (;;) {
    const now = clock.now();
    const due = await platformDb.all(findDueSets({ now, size: SWEEP_SIZE }));
    const used = due.filter(({ isUsed }) => isUsed).map(({ id }) => id);
    if (used.length > 0) await platformDb.run(postponeCheck({ ids: used, checkAt: now + CHECK_AFTER_MS }));
    await removeSets(
      services,
      due.filter(({ isUsed }) => !isUsed),
    );
    if (due.length < SWEEP_SIZE || clock.now() >= stopAt) return;
  }
}

/** Removes the bytes, then the rows. When it is interrupted, the rows remain, and the sweep repeats the removal. */
async function removeSets(services: EmailServices, sets: readonly AttachmentSet[]): Promise<void> {
  if (sets.length === 0) return;
  const keys = sets.flatMap((set) => Array.from({ length: set.file_count }, (_, index) => keyOf(set, index)));
  await services.attachments.delete(keys);
  await services.platformDb.run(deleteSets({ ids: sets.map(({ id }) => id) }));
}
