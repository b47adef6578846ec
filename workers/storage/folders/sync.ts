import type { BucketRow } from "../../../db/storage/schema";
import { toSlices } from "../../kit/db/slices";
import { invalid } from "../../kit/problem";
import { type NameRange, namesAfter, namesFrom, readFolder, readPath } from "../objects/path";
import { Problem } from "../problem";
import { bytesFor, findQuotas } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { compareBytes } from "./byte-order";
import { findDifferences, type ManifestItem } from "./sync.store";

const MAX_DELETED = 5000;

/** A chunk of a manifest. `paths` are the paths as the client sent them. The names in `items` are relative to the bucket. */
export type ManifestChunk = {
  paths: string[];
  items: ManifestItem[];
  folder: string;
  after: string | null;
  last: boolean;
};

type ManifestChunkInput = {
  prefix: string;
  items: { path: string; size: number; etag?: string | null | undefined }[];
  after?: string | null | undefined;
  last: boolean;
};

/**
 * Validates a chunk. Throws 400 with the field name unless all paths are valid, unique, sorted by their bytes and greater
 * than `after`.
 */
export function readManifestChunk({ prefix, items, after, last }: ManifestChunkInput): ManifestChunk {
  const folder = readFolder(prefix);
  const below = (path: string, field: string) => {
    const name = readPath(path, field);
    return folder === "" ? name : readPath(`${folder}/${name}`, field);
  };
  const start = after === null || after === undefined ? null : below(after, "after");
  let before = start;
  const manifestItems = items.map(({ path, size, etag }, index) => {
    const name = below(path, `items.${index}.path`);
    const order = before === null ? 1 : compareBytes(name, before);
    if (order === 0 && index > 0) throw invalid({ items: ["duplicate"] });
    if (order <= 0) throw invalid({ items: ["unsorted"] });
    before = name;
    return { name, size, etag: etag?.replace(/^"(.*)"$/s, "$1") ?? null };
  });
  return { paths: items.map(({ path }) => path), items: manifestItems, folder, after: start, last };
}

/**
 * Returns what a client must upload and delete to make the bucket match its manifest. Changes nothing. Runs one statement per
 * megabyte of the chunk and one for the quota, in one round trip.
 */
export async function compareManifestChunk(
  services: StorageServices,
  bucket: BucketRow,
  userId: number,
  { paths, items, folder, after, last }: ManifestChunk,
) {
  const all = namesFrom(folder);
  const slices = toSlices(items);
  // A chunk without items still covers a range.
  const ranges = slices.length === 0 ? [[]] : slices;
  let from: NameRange = after === null ? all : namesAfter(all, after, false);
  const compared = ranges.map((slice, index) => {
    const end = slice.at(-1)?.name;
    const isLast = index === ranges.length - 1;
    const range = {
      start: from.start,
      end: isLast && last ? all.end : end === undefined ? from.start : `${end}\u0001`,
    };
    from = { ...all, start: range.end };
    return findDifferences({ items: slice, bucketId: bucket.id, ...range, maxDeleted: MAX_DELETED + 1 });
  });
  const results = await services.dbOf(bucket.company_id).batch({
    compared,
    quotas: findQuotas({ companyId: bucket.company_id, userId, reservation: "" }),
  });
  const quotas = results.quotas.first;
  if (quotas === null) throw new Problem("service_unavailable");
  const [upload, deletedPaths]: [string[], string[]] = [[], []];
  const needed = { company: 0, user: 0 };
  let firstIndex = 0;
  for (const [index, { rows }] of results.compared.entries()) {
    for (const row of rows) {
      if (row.index === null) {
        deletedPaths.push((row.name ?? "").slice(folder === "" ? 0 : folder.length + 1));
        continue;
      }
      const { size } = items[firstIndex + row.index] as ManifestItem;
      const { size: oldSize, owner_id } = row;
      const old = oldSize === null || owner_id === null ? null : { size: oldSize, owner_id };
      const { companyBytes, userBytes } = bytesFor(size, userId, old);
      needed.company += companyBytes;
      needed.user += userBytes;
      upload.push(paths[firstIndex + row.index] as string);
    }
    firstIndex += ranges[index]?.length ?? 0;
  }
  const remaining = [
    quotas.max_bytes === null ? null : quotas.max_bytes - quotas.used_bytes - quotas.reserved_bytes,
    quotas.user_cap === 0 ? null : quotas.user_cap - quotas.user_used_bytes - quotas.user_reserved_bytes,
  ] as const;
  const limits = remaining.filter((bytes) => bytes !== null).map((bytes) => Math.max(0, bytes));
  return {
    upload,
    delete: deletedPaths.slice(0, MAX_DELETED),
    unchanged: items.length - upload.length,
    bytes_needed: needed.company,
    fits: fitsIn(needed.company, remaining[0]) && fitsIn(needed.user, remaining[1]),
    remaining_bytes: limits.length === 0 ? null : Math.min(...limits),
    delete_truncated: deletedPaths.length > MAX_DELETED,
  };
}

/** Returns whether `bytes` fit into the remaining bytes of a limit. Zero bytes always fit. */
const fitsIn = (bytes: number, remaining: number | null): boolean =>
  bytes === 0 || remaining === null || bytes <= remaining;
