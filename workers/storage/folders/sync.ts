import type { BucketRow } from "../../../db/storage/schema";
import { toSlices } from "../../kit/db/slices";
import { invalid } from "../../kit/problem";
import { type NameRange, namesBehind, namesFrom, readFolder, readPath } from "../objects/path";
import { Problem } from "../problem";
import { bytesFor, findQuotas } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { compareBytes } from "./byte-order";
import { findDifferences, type ManifestItem } from "./sync.store";

const MAX_DELETED = 5000;

/** A piece of a manifest: `given` are the paths as the client wrote them, `names` are below the folder. */
export type Piece = { given: string[]; items: ManifestItem[]; folder: string; after: string | null; last: boolean };

type GivenPiece = {
  prefix: string;
  items: { path: string; size: number; etag?: string | null | undefined }[];
  after?: string | null | undefined;
  last: boolean;
};

/** Reads a piece; 400 with the field: each path is one, they are sorted by their bytes, unique, and behind `after`. */
export function readPiece({ prefix, items, after, last }: GivenPiece): Piece {
  const folder = readFolder(prefix);
  const below = (path: string, field: string) => {
    const name = readPath(path, field);
    return folder === "" ? name : readPath(`${folder}/${name}`, field);
  };
  const start = after === null || after === undefined ? null : below(after, "after");
  let before = start;
  const named = items.map(({ path, size, etag }, at) => {
    const name = below(path, `items.${at}.path`);
    const order = before === null ? 1 : compareBytes(name, before);
    if (order === 0 && at > 0) throw invalid({ items: ["duplicate"] });
    if (order <= 0) throw invalid({ items: ["unsorted"] });
    before = name;
    return { name, size, etag: etag?.replace(/^"(.*)"$/s, "$1") ?? null };
  });
  return { given: items.map(({ path }) => path), items: named, folder, after: start, last };
}

/**
 * What a client has to upload and delete so that the bucket holds its manifest; nothing is changed. One statement a megabyte of
 * the piece and one for the quota, in one round trip.
 */
export async function comparePiece(
  services: StorageServices,
  bucket: BucketRow,
  userId: number,
  { given, items, folder, after, last }: Piece,
) {
  const all = namesFrom(folder);
  const slices = toSlices(items);
  // A piece without items has a range of its own all the same.
  const pieces = slices.length === 0 ? [[]] : slices;
  let from: NameRange = after === null ? all : namesBehind(all, after, false);
  const compared = pieces.map((slice, at) => {
    const end = slice.at(-1)?.name;
    const isLast = at === pieces.length - 1;
    const range = {
      start: from.start,
      end: isLast && last ? all.end : end === undefined ? from.start : `${end}\u0001`,
    };
    from = { ...all, start: range.end };
    return findDifferences({ items: slice, bucketId: bucket.id, ...range, most: MAX_DELETED + 1 });
  });
  const found = await services.dbOf(bucket.company_id).batch({
    compared,
    quotas: findQuotas({ companyId: bucket.company_id, userId, reservation: "" }),
  });
  const quotas = found.quotas.first;
  if (quotas === null) throw new Problem("service_unavailable");
  const [upload, gone]: [string[], string[]] = [[], []];
  const needed = { company: 0, user: 0 };
  let first = 0;
  for (const [at, { rows }] of found.compared.entries()) {
    for (const row of rows) {
      if (row.at === null) {
        gone.push((row.name ?? "").slice(folder === "" ? 0 : folder.length + 1));
        continue;
      }
      const { size } = items[first + row.at] as ManifestItem;
      const { size: oldSize, owner_id } = row;
      const old = oldSize === null || owner_id === null ? null : { size: oldSize, owner_id };
      const { companyBytes, userBytes } = bytesFor(size, userId, old);
      needed.company += companyBytes;
      needed.user += userBytes;
      upload.push(given[first + row.at] as string);
    }
    first += pieces[at]?.length ?? 0;
  }
  const left = [
    quotas.max_bytes === null ? null : quotas.max_bytes - quotas.used_bytes - quotas.reserved_bytes,
    quotas.user_cap === 0 ? null : quotas.user_cap - quotas.user_used_bytes - quotas.user_reserved_bytes,
  ] as const;
  const limits = left.filter((bytes) => bytes !== null).map((bytes) => Math.max(0, bytes));
  return {
    upload,
    delete: gone.slice(0, MAX_DELETED),
    unchanged: items.length - upload.length,
    bytes_needed: needed.company,
    fits: fitsIn(needed.company, left[0]) && fitsIn(needed.user, left[1]),
    remaining_bytes: limits.length === 0 ? null : Math.min(...limits),
    delete_truncated: gone.length > MAX_DELETED,
  };
}

/** What adds no byte always fits. */
const fitsIn = (bytes: number, left: number | null): boolean => bytes === 0 || left === null || bytes <= left;
