import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  company_quotas,
  storage_blobs,
  storage_buckets,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { integer, text } from "../../kit/db/kind";
import { assignments, columnName } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { insertObjectEvent, objectEvent } from "./object-event.store";

/**
 * The source and the destination of a move. `sourceChangeId` and `destinationChangeId` are the change ids that the caller
 * loaded. `destinationChangeId` is empty for a free path.
 */
const move = {
  bucketId: storage_objects.bucket_id,
  name: storage_objects.name,
  sourceChangeId: text,
  toBucketId: storage_objects.bucket_id,
  toName: storage_objects.name,
  destinationChangeId: text,
};
type Move = { [K in keyof typeof move]: SQLWrapper };

const changeIdAt = (bucketId: SQLWrapper, path: SQLWrapper): SQL =>
  sql`coalesce((select ${storage_objects.change_id} from ${storage_objects} where ${storage_objects.bucket_id} = ${bucketId} and ${storage_objects.name} = ${path}), '')`;

/**
 * Returns the condition that source and destination are unchanged since they were loaded, and that the destination bucket
 * exists. The move itself makes this condition false, so `moveRow` must follow all other statements of the batch that
 * check the condition.
 */
const isMovable = (p: Move): SQL =>
  sql`${changeIdAt(p.bucketId, p.name)} = ${p.sourceChangeId} and ${changeIdAt(p.toBucketId, p.toName)} = ${p.destinationChangeId}
    and exists (select 1 from ${storage_buckets} where ${storage_buckets.id} = ${p.toBucketId})`;

/** Subtracts the replaced object from the totals of the company. */
export const creditReplacedOfCompany = statement(
  { ...move, companyId: company_quotas.company_id, bytes: integer },
  (p) =>
    sql`update ${company_quotas} set ${assignments(company_quotas, {
      used_bytes: sql`max(0, ${company_quotas.used_bytes} - ${p.bytes})`,
      object_count: sql`max(0, ${company_quotas.object_count} - 1)`,
    })} where ${company_quotas.company_id} = ${p.companyId} and ${isMovable(p)}`,
);

/** Subtracts the replaced object from the total of its owner. */
export const creditReplacedOfUser = statement(
  { ...move, companyId: user_quotas.company_id, userId: user_quotas.user_id, bytes: integer },
  (p) =>
    sql`update ${user_quotas} set ${columnName(user_quotas.used_bytes)} = max(0, ${user_quotas.used_bytes} - ${p.bytes})
      where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId} and ${isMovable(p)}`,
);

/** Drops a reference to the blob of the replaced object. The sweep removes blobs without references. */
export const dropReplacedBlob = statement(
  { ...move, key: storage_blobs.key, now: integer },
  (p) =>
    sql`update ${storage_blobs} set ${assignments(storage_blobs, {
      refs: sql`${storage_blobs.refs} - 1`,
      unreferenced_at: sql`iif(${storage_blobs.refs} = 1, ${p.now}, null)`,
    })} where ${storage_blobs.key} = ${p.key} and ${storage_blobs.refs} > 0 and ${isMovable(p)}`,
);

/** Inserts an event of the move if the move is possible. */
export const addMoveEvent = statement({ ...move, ...objectEvent }, (p) => insertObjectEvent(p, isMovable(p)));

/** Moves an object. Replaces the object at the destination, if there is one. */
export const moveRow = statement(
  { ...move, parent: storage_objects.parent, change: storage_objects.change_id },
  (p) =>
    sql`update or replace ${storage_objects} set ${assignments(storage_objects, {
      bucket_id: p.toBucketId as never,
      name: p.toName as never,
      parent: p.parent as never,
      change_id: p.change as never,
      upload_key: null,
    })} where ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${p.name} and ${isMovable(p)}`,
);
