import type { ReadObjectInput, ReadObjectResult } from "../../../schemas/rpc";
import { type ObjectAddress, readObject } from "../objects/object";
import { readPath } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { openBlob } from "./download";

/**
 * Returns the bytes of an object for another service, which has authorized the company. Throws 502 `storage_error` when R2
 * does not return them.
 */
export async function readObjectForService(
  services: StorageServices,
  { company_id: companyId, bucket, path, max_bytes: maxBytes }: ReadObjectInput,
): Promise<ReadObjectResult> {
  try {
    const object = await readObject(services, { companyId, bucket, path: pathOf(path) });
    const { size, mime_type, content_encoding } = object;
    if (content_encoding !== null) return { ok: false, reason: "encoded" };
    if (size > maxBytes) return { ok: false, reason: "too_large" };
    return { ok: true, size, mime_type, body: await openBlob(services, object, null) };
  } catch (error) {
    const code = error instanceof Problem ? error.code : null;
    if (code === "bucket_not_found" || code === "object_not_found") return { ok: false, reason: code };
    throw error;
  }
}

/** Returns the normalized path. No object has an invalid path. */
function pathOf(path: string): ObjectAddress["path"] {
  try {
    return readPath(path);
  } catch (cause) {
    throw new Problem("object_not_found", { cause });
  }
}
