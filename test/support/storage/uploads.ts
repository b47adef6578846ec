import { eq, inArray } from "drizzle-orm";
import {
  company_quotas,
  quota_reservations,
  storage_objects,
  storage_upload_parts,
  storage_uploads,
  user_quotas,
} from "../../../db/storage/schema";
import { readRows } from "../webhooks/rows";
import type { startFiles } from "./files";

export const PART = 8 * 1024 * 1024;

/** Returns pseudorandom bytes, which contain no repeating sections. Equal seeds return equal bytes. */
export function bytesOf(size: number, seed = 1): Uint8Array {
  const integers = new Uint32Array(Math.ceil(size / 4));
  let state = seed >>> 0 || 1;
  for (let at = 0; at < integers.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    integers[at] = state;
  }
  return new Uint8Array(integers.buffer, 0, size);
}

/** Returns the SHA-256 in hex. */
export async function digestOf(bytes: Uint8Array | ArrayBuffer): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Files = Awaited<ReturnType<typeof startFiles>>;
type Options = {
  bearer?: string;
  bucket?: string;
  headers?: Record<string, string>;
  bindings?: Parameters<Files["storage"]["call"]>[1] extends infer I
    ? NonNullable<I extends { bindings?: infer B } ? B : never>
    : never;
};

/** Returns helpers that send multipart uploads. */
export function multipartClient({ storage, member }: Files) {
  const base = "/storage/v1/upload";
  const init = ({ bearer = member, headers = {}, bindings }: Options) => ({
    bearer,
    headers,
    ...(bindings === undefined ? {} : { bindings }),
  });
  const open = (path: string, body: object, options: Options = {}) =>
    storage.call(`${base}/${options.bucket ?? "company"}/${path}`, { ...init(options), json: body });
  return {
    open,
    /** Opens an upload, expects success and returns its id. */
    async openUpload(path: string, body: object, options: Options = {}): Promise<string> {
      const response = await open(path, body, options);
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    },
    send: (id: string, part: number | string, bytes: Uint8Array, options: Options = {}) =>
      storage.call(`${base}/${id}/${part}`, {
        ...init(options),
        method: "PUT",
        headers: { "content-length": String(bytes.length), ...options.headers },
        body: bytes as BodyInit,
      }),
    state: (id: string, options: Options = {}) => storage.call(`${base}/${id}`, init(options)),
    complete: (id: string, options: Options = {}) =>
      storage.call(`${base}/${id}/complete`, { ...init(options), method: "POST" }),
    cancel: (id: string, options: Options = {}) =>
      storage.call(`${base}/${id}`, { ...init(options), method: "DELETE" }),
  };
}

/** Returns the counters of a company and the number of rows that its uploads have left. */
export async function readLedger(companyId: number) {
  const [quota] = await readRows(company_quotas, eq(company_quotas.company_id, companyId));
  const users = await readRows(user_quotas, eq(user_quotas.company_id, companyId));
  const objects = await readRows(storage_objects, eq(storage_objects.company_id, companyId));
  const reservations = await readRows(quota_reservations, eq(quota_reservations.company_id, companyId));
  const uploads = await readRows(storage_uploads, eq(storage_uploads.company_id, companyId));
  const ids = uploads.map(({ id }) => id);
  const parts = await readRows(storage_upload_parts, inArray(storage_upload_parts.upload_id, ids));
  return {
    used: quota?.used_bytes ?? 0,
    reserved: quota?.reserved_bytes ?? 0,
    userUsed: users.reduce((sum, { used_bytes }) => sum + used_bytes, 0),
    userReserved: users.reduce((sum, { reserved_bytes }) => sum + reserved_bytes, 0),
    stored: objects.reduce((sum, { size }) => sum + size, 0),
    objects: objects.length,
    objectCount: quota?.object_count ?? 0,
    reservations: reservations.length,
    open: uploads.filter(({ completed_at }) => completed_at === null).length,
    parts: parts.length,
  };
}

/** The expected ledger without leftovers, for a number of objects and their total bytes. */
export const settledLedger = (objects: number, bytes: number) => ({
  used: bytes,
  userUsed: bytes,
  stored: bytes,
  reserved: 0,
  userReserved: 0,
  objects,
  objectCount: objects,
  reservations: 0,
  open: 0,
  parts: 0,
});
