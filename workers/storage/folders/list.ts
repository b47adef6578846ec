import * as z from "zod";
import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { lazySchema } from "../../../schemas/lazy-schema";
import type { Bound } from "../../kit/db/statement";
import { encodeCursor } from "../../kit/http/paging/cursor";
import { readPage } from "../../kit/http/paging/page";
import { invalid } from "../../kit/problem";
import { foldersAfter, foldersFrom, MARKER, type NameRange, namesAfter, namesFrom, parentKey } from "../objects/path";
import type { StorageServices } from "../services";
import {
  listFilesByName,
  listFilesByTime,
  listFolders,
  listMatchingFilesByTime,
  listObjectsByName,
  type Order,
  type TimeColumn,
} from "./list.store";

/** A search that is sorted by a time examines at most this many names. */
const MAX_SEARCHED_NAMES = 5000;

/** How a list is sorted. Folders come before files. When the files are sorted by a time, the folders are sorted by name. */
export type Sort = { column: "name" | TimeColumn; order: Order };

/** The parameters of a list: the folder, the name prefix and the position of the page. */
export type Listing = {
  folder: string;
  search: string;
  limit: number;
  offset: number;
  sort: Sort;
  after: Position | null;
};

/** The last row of the previous page: a folder, or a file by its name or by its time and name. */
export type Position = { folder: string } | { name: string; time: number | null };

const name = () => z.string().max(1024);
const positionSchema = lazySchema(() =>
  z.union([
    z.tuple([z.literal("d"), name()]).transform(([, folder]): Position => ({ folder })),
    z.tuple([z.literal("f"), name()]).transform(([, name]): Position => ({ name, time: null })),
    z.tuple([z.literal("f"), name(), z.int()]).transform(([, name, time]): Position => ({ name, time })),
  ]),
);

/**
 * Returns the position in a cursor, or null without a cursor. Throws 400 `cursor: [invalid]` if the cursor belongs to another
 * sort order.
 */
export function readPosition(cursor: string | null | undefined, { column }: Sort): Position | null {
  const { after } = readPage({ cursor: cursor ?? undefined }, positionSchema);
  const matchesSort = after === null || "folder" in after || (after.time === null) === (column === "name");
  if (!matchesSort) throw invalid({ cursor: ["invalid"] });
  return after;
}

/** A row of a list. */
export type Listed = { folder: string; markerId: string | null } | { file: ObjectRow };

/**
 * Returns a page of a folder: its folders, then its files. Runs two statements in one round trip, whatever the size of the
 * folder.
 */
export async function listFolder(
  services: StorageServices,
  bucket: BucketRow,
  listing: Listing,
): Promise<{ rows: Listed[]; next: string | null }> {
  const { limit, sort, after, folder } = listing;
  const results = await services.dbOf(bucket.company_id).batch({
    folders: after !== null && "name" in after ? null : foldersOf(bucket, listing),
    files: filesOf(bucket, listing),
  });
  const folders = (results.folders?.rows ?? []).map(({ path, marker_id }) => ({ folder: path, markerId: marker_id }));
  const files = results.files.rows.map((file) => ({ file }));
  const rows: Listed[] = [...folders, ...files];
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next: null };
  const prefixLength = folder === "" ? 0 : folder.length + 1;
  return { rows: rows.slice(0, limit), next: encodeCursor(cursorOf(last, sort, prefixLength)) };
}

/** Returns a page of all objects whose paths begin with a prefix, sorted by name. */
export async function listObjects(
  services: StorageServices,
  bucket: BucketRow,
  { folder, search, limit, sort, after }: Listing,
): Promise<{ rows: ObjectRow[]; next: string | null }> {
  if (after !== null && "folder" in after) throw invalid({ cursor: ["invalid"] });
  const all = namesFrom(folder, search);
  const range = after === null ? all : namesAfter(all, `${prefixOf(folder)}${after.name}`, sort.order === "desc");
  const rows = await services
    .dbOf(bucket.company_id)
    .all(listObjectsByName[sort.order]({ bucketId: bucket.id, first: range.start, last: range.end, limit: limit + 1 }));
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { rows, next: null };
  const next = encodeCursor(cursorOf({ file: last }, sort, prefixOf(folder).length));
  return { rows: rows.slice(0, limit), next };
}

const prefixOf = (folder: string): string => folder && `${folder}/`;

/**
 * Returns the values of the cursor that continues after `last`. Names in a cursor are relative to the listed folder;
 * `prefixLength` is the length of the folder's prefix.
 */
function cursorOf(last: Listed, { column }: Sort, prefixLength: number): (string | number)[] {
  if ("folder" in last) return ["d", last.folder.slice(prefixLength)];
  const { file } = last;
  return ["f", file.name.slice(prefixLength), ...(column === "name" ? [] : [file[column]])];
}

/**
 * Returns the statement that selects the folders by name. The sort order applies to them only when the list is sorted by
 * name.
 */
function foldersOf({ id }: BucketRow, { folder, search, limit, offset, sort, after }: Listing) {
  const order = sort.column === "name" ? sort.order : "asc";
  const range =
    after !== null && "folder" in after
      ? foldersAfter(foldersFrom(folder, search), `${prefixOf(folder)}${after.folder}`, order === "desc")
      : foldersFrom(folder, search);
  const skip = after === null ? offset : 0;
  const query = { bucketId: id, folder: parentKey(folder), ...range };
  return listFolders[order]({ ...query, markerName: MARKER, limit: limit + 1, offset: skip });
}

function filesOf({ id }: BucketRow, { folder, search, limit, offset, sort, after }: Listing): Bound<ObjectRow> {
  const { column, order } = sort;
  const isDescending = order === "desc";
  const query = {
    bucketId: id,
    folder: parentKey(folder),
    ...foldersFrom(folder, search),
    limit: limit + 1,
    offset: after === null ? offset : 0,
  };
  const names = namesFrom(folder, search);
  const last = after !== null && "name" in after ? `${prefixOf(folder)}${after.name}` : null;
  if (column === "name") {
    const range: NameRange = last === null ? names : namesAfter(names, last, isDescending);
    return listFilesByName[order]({ ...query, first: range.start, last: range.end });
  }
  const start = isDescending ? Number.MAX_SAFE_INTEGER : -1;
  const time = after !== null && "name" in after ? (after.time ?? start) : start;
  const position = { ...query, time, name: last ?? "" };
  if (search === "") return listFilesByTime[column][order](position);
  return listMatchingFilesByTime[column][order]({
    ...position,
    first: names.start,
    last: names.end,
    scanLimit: MAX_SEARCHED_NAMES,
  });
}
