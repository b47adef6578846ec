import { createHash, randomUUID } from "node:crypto";

export type Stored = { id: string; owner: string; type: string; bytes: Buffer; time: string };

/** Error response of the storage protocol. */
export type StorageError = Error & { status: number; code: string; details: object };
export const storageError = (status: number, code: string, details: object = {}): StorageError =>
  Object.assign(new Error(code), { status, code, details });

/** Bytes; null means no limit. */
export type Limits = { company: number | null; user: number | null };
export type StoredFiles = ReturnType<typeof createStoredFiles>;

export const marker = ".emptyFolderPlaceholder";
export const etagOf = (bytes: Buffer) => `"${createHash("md5").update(bytes).digest("hex")}"`;

/** Returns an in-memory store of buckets, their objects and quotas. */
export function createStoredFiles() {
  const buckets = new Map<string, Map<string, Stored>>([["company", new Map()]]);
  const limits: Limits = { company: null, user: null };

  const bucketOf = (name = "") => {
    const bucket = buckets.get(name);
    if (bucket === undefined) throw storageError(404, "bucket_not_found");
    return bucket;
  };
  const usedBy = (userId?: string) =>
    [...buckets.values()]
      .flatMap((bucket) => [...bucket.values()])
      .filter(({ owner }) => userId === undefined || owner === userId)
      .reduce((sum, { bytes }) => sum + bytes.length, 0);
  const quotaOf = (scope: keyof Limits, userId: string) => {
    const used = usedBy(scope === "user" ? userId : undefined);
    const max = limits[scope];
    return { max_bytes: max, used_bytes: used, remaining_bytes: max === null ? null : Math.max(0, max - used) };
  };
  return {
    names: () => [...buckets.keys()],
    bucketOf,
    limits,
    quotaOf,
    object(bucket: string | undefined, path = "") {
      const object = bucketOf(bucket).get(path);
      if (object === undefined) throw storageError(404, "object_not_found");
      return object;
    },
    filesUnder: (bucket: string | undefined, prefix: string) =>
      [...bucketOf(bucket)].filter(([path]) => prefix === "" || path.startsWith(`${prefix.replace(/\/+$/, "")}/`)),
    /** Throws when `size` further bytes exceed a quota. Checks the company's quota first, then the user's. */
    reserve(userId: string, size: number) {
      for (const scope of ["company", "user"] as const) {
        const quota = quotaOf(scope, userId);
        const { max_bytes: max, used_bytes: used } = quota;
        if (max === null || used + size <= max) continue;
        const message = `${scope === "user" ? "User" : "Company"} quota exceeded (${used + size} > ${max} bytes).`;
        throw storageError(413, `${scope}_quota_exceeded`, {
          message,
          statusCode: "413",
          quota: { scope, requested_bytes: size, ...quota },
        });
      }
    },
    put(bucket: string, path: string, bytes: Buffer, type: string, owner: string): Stored {
      const stored = { id: randomUUID(), owner, type, bytes, time: new Date().toISOString() };
      bucketOf(bucket).set(path, stored);
      return stored;
    },
  };
}
