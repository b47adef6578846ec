import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { storage_objects } from "../../../db/storage/schema";
import { integer, nullable, text } from "../../kit/db/kind";
import { allColumns, indexedBy, selectRows, tableReference } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const marker = alias(storage_objects, "marker");

const order = { asc: sql.raw("asc"), desc: sql.raw("desc") };
export type Order = keyof typeof order;
export type TimeColumn = "created_at" | "updated_at";

const folders = { bucketId: storage_objects.bucket_id, folder: text, start: text, end: text };
type Folders = { [K in keyof typeof folders]: SQLWrapper };

/**
 * Returns the child folder of `folder` that equals or contains `parent`, without the final U+0001. `folder` and `parent` are
 * encoded by `parentKey` (path.ts).
 */
const childFolder = (parent: SQL, folder: SQLWrapper): SQL =>
  sql`substr(${parent}, 1, length(${folder}) + instr(substr(${parent}, length(${folder}) + 1), char(1)) - 1)`;

/**
 * Returns a WITH clause that lists the child folders of a range, in at most `steps` steps. Each step is one index seek that
 * skips everything below a child.
 */
function withChildFolders(p: Folders, steps: SQLWrapper, direction: Order): SQL {
  const find = (start: SQLWrapper, end: SQLWrapper) =>
    sql`(select ${storage_objects.parent} from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.parent} >= ${start} and ${storage_objects.parent} < ${end}
      order by ${storage_objects.parent} ${order[direction]} limit 1)`;
  const folder = childFolder(sql`walk.parent`, p.folder);
  const next = direction === "asc" ? find(sql`${folder} || char(2)`, p.end) : find(p.start, sql`${folder} || char(1)`);
  return sql`with recursive walk (n, parent) as (select 1, ${find(p.start, p.end)}
    union all select walk.n + 1, ${next} from walk where walk.parent is not null and walk.n < ${steps})`;
}

/** Selects the folders of a range, sorted by name, after the first `offset`, each with the id of its folder marker or null. */
const foldersIn = (direction: Order) =>
  statement({ ...folders, markerName: text, limit: integer, offset: integer }, (p) => {
    const path = sql`replace(${childFolder(sql`walk.parent`, p.folder)}, char(1), '/')`;
    return selectRows(
      { path: path.mapWith(text), marker_id: sql`${marker.id}`.mapWith(nullable(storage_objects.id)) },
      (columns) => sql`${withChildFolders(p, sql`${p.limit} + ${p.offset}`, direction)} select ${columns} from walk
        left join ${tableReference(marker)} on ${marker.bucket_id} = ${p.bucketId} and ${marker.name} = ${path} || '/' || ${p.markerName}
          and ${marker.size} = 0
        where walk.parent is not null order by walk.n limit ${p.limit} offset ${p.offset}`,
    );
  });

/**
 * Returns the number of files to skip: `offset` minus the number of folders, because folders are listed first. Reads no
 * folder when the offset is 0.
 */
const skipped = (p: Folders & { offset: SQLWrapper }): SQL =>
  sql`case ${p.offset} when 0 then 0 else max(0, ${p.offset} - (${withChildFolders(p, p.offset, "asc")}
    select count(walk.parent) from walk)) end`;

// Forces this index. With the primary key, SQLite would also read everything in the subfolders.
const objectsByParent = indexedBy(storage_objects, "storage_objects_parent");

const page = { ...folders, limit: integer, offset: integer, first: text, last: text };

/** Selects the files of a folder by name, from `first` (inclusive) to `last` (exclusive). */
const filesByName = (direction: Order) =>
  statement(page, (p) =>
    selectRows(
      allColumns(storage_objects),
      (
        columns,
      ) => sql`select ${columns} from ${objectsByParent} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.parent} = ${p.folder}
        and ${storage_objects.name} >= ${p.first} and ${storage_objects.name} < ${p.last}
        order by ${storage_objects.name} ${order[direction]} limit ${p.limit} offset ${skipped(p)}`,
    ),
  );

const timed = { ...folders, limit: integer, offset: integer, time: integer, name: text };

const afterPosition = (column: AnySQLiteColumn, direction: Order, p: { time: SQLWrapper; name: SQLWrapper }): SQL =>
  sql`(${column}, ${storage_objects.name}) ${sql.raw(direction === "asc" ? ">" : "<")} (${p.time}, ${p.name})
    order by ${column} ${order[direction]}, ${storage_objects.name} ${order[direction]}`;

/** Selects the files of a folder, sorted by a time, after the given position. */
const filesByTime = (column: TimeColumn, direction: Order) =>
  statement(timed, (p) =>
    selectRows(
      allColumns(storage_objects),
      (
        columns,
      ) => sql`select ${columns} from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.parent} = ${p.folder}
        and ${afterPosition(storage_objects[column], direction, p)} limit ${p.limit} offset ${skipped(p)}`,
    ),
  );

/** Like filesByTime, for files with names in a range. Sorts only the first `scanLimit` names of the range. */
const matchingFilesByTime = (column: TimeColumn, direction: Order) =>
  statement({ ...timed, first: text, last: text, scanLimit: integer }, (p) =>
    selectRows(
      allColumns(storage_objects),
      (
        columns,
      ) => sql`select ${columns} from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} in (
          select ${marker.name} from ${indexedBy(marker, "storage_objects_parent")} where ${marker.bucket_id} = ${p.bucketId} and ${marker.parent} = ${p.folder}
            and ${marker.name} >= ${p.first} and ${marker.name} < ${p.last} order by ${marker.name} limit ${p.scanLimit})
        and ${afterPosition(storage_objects[column], direction, p)} limit ${p.limit} offset ${skipped(p)}`,
    ),
  );

/** Selects the objects in a range of names. */
const objectsByName = (direction: Order) =>
  statement({ bucketId: storage_objects.bucket_id, first: text, last: text, limit: integer }, (p) =>
    selectRows(
      allColumns(storage_objects),
      (columns) => sql`select ${columns} from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId}
        and ${storage_objects.name} >= ${p.first} and ${storage_objects.name} < ${p.last} order by ${storage_objects.name} ${order[direction]} limit ${p.limit}`,
    ),
  );

const byDirection = <S>(make: (direction: Order) => S): Record<Order, S> => ({ asc: make("asc"), desc: make("desc") });

export const listFolders = byDirection(foldersIn);
export const listFilesByName = byDirection(filesByName);
export const listObjectsByName = byDirection(objectsByName);
export const listFilesByTime = {
  created_at: byDirection((direction) => filesByTime("created_at", direction)),
  updated_at: byDirection((direction) => filesByTime("updated_at", direction)),
};
export const listMatchingFilesByTime = {
  created_at: byDirection((direction) => matchingFilesByTime("created_at", direction)),
  updated_at: byDirection((direction) => matchingFilesByTime("updated_at", direction)),
};
