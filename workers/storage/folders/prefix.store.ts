import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { event_log, storage_objects } from "../../../db/storage/schema";
import { boolean, integer, text } from "../../kit/db/kind";
import { assignments, insertSelect, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const isMarker = (marker: SQLWrapper): SQL =>
  sql`${storage_objects.size} = 0 and substr(${storage_objects.name}, -length(${marker})) = ${marker}`;

const below = (p: { bucketId: SQLWrapper; start: SQLWrapper; end: SQLWrapper }): SQL =>
  sql`${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} >= ${p.start} and ${storage_objects.name} < ${p.end}`;

/** Selects the number of objects in a range of names, how many of them are folder markers, and their bytes. */
export const countObjects = statement(
  { bucketId: storage_objects.bucket_id, start: text, end: text, marker: text },
  (p) =>
    selectRows(
      {
        objects: sql`count(*)`.mapWith(integer),
        markers: sql`coalesce(sum(${isMarker(p.marker)}), 0)`.mapWith(integer),
        bytes: sql`coalesce(sum(${storage_objects.size}), 0)`.mapWith(integer),
      },
      (columns) => sql`select ${columns} from ${storage_objects} where ${below(p)}`,
    ),
);

/**
 * The parameters that decide whether a rename is allowed. `start` to `end` is the range of names below the folder. `to` is
 * the new path, and `toStart` to `toEnd` is the range of names below it. `maxObjects` is the maximum number of objects to
 * rename.
 */
const renameCheck = {
  bucketId: storage_objects.bucket_id,
  start: text,
  end: text,
  to: storage_objects.name,
  toStart: text,
  toEnd: text,
  maxObjects: integer,
};
type RenameCheck = { [K in keyof typeof renameCheck]: SQLWrapper };

/** The parameters of a rename. A new path may have at most `maxBytes` bytes. */
const rename = { ...renameCheck, maxBytes: integer };
type Rename = { [K in keyof typeof rename]: SQLWrapper };

const bytes = (value: SQLWrapper): SQL => sql`length(cast(${value} as blob))`;

/** Returns the FROM clause of the objects of the folder, up to one more than may be renamed. */
const scannedObjects = (p: RenameCheck): SQL =>
  sql`from ${storage_objects} where ${below(p)} limit ${p.maxObjects} + 1`;

const destinationExists = (p: RenameCheck): SQL =>
  sql`(exists (select 1 from ${storage_objects} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${p.to})
    or exists (select 1 from ${storage_objects} where ${below({ bucketId: p.bucketId, start: p.toStart, end: p.toEnd })}))`;

/** Returns the length in bytes of the longest path after the rename. */
const longest = (p: Rename): SQL => sql`max(${bytes(sql`scanned.path`)}) - ${bytes(p.start)} + ${bytes(p.toStart)}`;

/** Returns a query over the scanned objects of the folder. */
const selectScanned = (p: RenameCheck, columns: SQL): SQL =>
  sql`select ${columns} from (select ${storage_objects.name} as path ${scannedObjects(p)}) scanned`;

/**
 * Returns the condition of a rename: the folder has objects but not too many, the new path is free, and no path becomes too
 * long.
 */
const isRenamable = (p: Rename): SQL =>
  sql`not ${destinationExists(p)} and (${selectScanned(p, sql`count(*) <= ${p.maxObjects} and ${longest(p)} <= ${p.maxBytes}`)})`;

/**
 * Returns the condition for the objects to rename. When the rename is not allowed, the index range is empty, so no row is
 * read.
 */
const renamable = (p: Rename): SQL =>
  below({ ...p, end: sql`case when ${isRenamable(p)} then ${p.end} else ${p.start} end` });

/** Selects the number of objects to rename, counted up to one more than allowed, and whether the new path is taken. */
export const checkRename = statement(renameCheck, (p) =>
  selectRows({ objects: sql`count(*)`.mapWith(integer), is_taken: destinationExists(p).mapWith(boolean) }, (columns) =>
    selectScanned(p, columns),
  ),
);

/** Inserts the event of a rename unless it moves only folder markers. */
export const addRenameEvent = statement(
  {
    ...rename,
    marker: text,
    id: event_log.id,
    companyId: event_log.company_id,
    userId: event_log.user_id,
    email: event_log.actor_email,
    actor: event_log.actor,
    bucketName: text,
    fromPath: text,
    now: event_log.created_at,
  },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: "storage.prefix.renamed",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: sql`json_object('bucket_name', ${p.bucketName}, 'from', ${p.fromPath}, 'object_count', count(*), 'to', ${p.to})` as never,
        created_at: p.now,
      },
      sql`from ${storage_objects} where ${renamable(p)} having count(*) > sum(${isMarker(p.marker)})`,
    )} on conflict do nothing`,
);

/**
 * Renames all objects below a folder. `parentFrom` and `parentTo` are the folder paths in the encoding of the column
 * `parent`.
 */
export const renameObjects = statement(
  { ...rename, parentFrom: text, parentTo: text },
  (p) =>
    sql`update ${storage_objects} set ${assignments(storage_objects, {
      name: sql`${p.toStart} || substr(${storage_objects.name}, length(${p.start}) + 1)`,
      parent: sql`${p.parentTo} || substr(${storage_objects.parent}, length(${p.parentFrom}) + 1)`,
      upload_key: null,
    })} where ${renamable(p)}`,
);

/** Selects the object count in the event of a rename. */
export const findRenameEvent = statement({ companyId: event_log.company_id, id: event_log.id }, (p) =>
  selectRows(
    { moved: sql`json_extract(${event_log.data}, '$.object_count')`.mapWith(integer) },
    (columns) =>
      sql`select ${columns} from ${event_log} where ${event_log.id} = ${p.id} and ${event_log.company_id} = ${p.companyId}`,
  ),
);
