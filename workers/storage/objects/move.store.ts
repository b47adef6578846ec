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

const o = storage_objects;
const c = company_quotas;
const u = user_quotas;
const b = storage_blobs;

/**
 * The source and the destination of a move. `sourceChangeId` and `destinationChangeId` are the change ids that the caller
 * loaded. `destinationChangeId` is empty for a free path.
 */
const move = {
  bucketId: o.bucket_id,
  name: o.name,
  sourceChangeId: text,
  toBucketId: o.bucket_id,
  toName: o.name,
  destinationChangeId: text,
};
type Move = { [K in keyof typeof move]: SQLWrapper };

const changeIdAt = (bucketId: SQLWrapper, path: SQLWrapper): SQL =>
  sql`coalesce((select ${o.change_id} from ${o} where ${o.bucket_id} = ${bucketId} and ${o.name} = ${path}), '')`;

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
  { ...move, companyId: c.company_id, bytes: integer },
  (p) =>
    sql`update ${c} set ${assignments(c, {
      used_bytes: sql`max(0, ${c.used_bytes} - ${p.bytes})`,
      object_count: sql`max(0, ${c.object_count} - 1)`,
    })} where ${c.company_id} = ${p.companyId} and ${isMovable(p)}`,
);

/** Subtracts the replaced object from the total of its owner. */
export const creditReplacedOfUser = statement(
  { ...move, companyId: u.company_id, userId: u.user_id, bytes: integer },
  (p) =>
    sql`update ${u} set ${columnName(u.used_bytes)} = max(0, ${u.used_bytes} - ${p.bytes})
      where ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId} and ${isMovable(p)}`,
);

/** Drops a reference to the blob of the replaced object. The sweep removes blobs without references. */
export const dropReplacedBlob = statement(
  { ...move, key: b.key, now: integer },
  (p) =>
    sql`update ${b} set ${assignments(b, {
      refs: sql`${b.refs} - 1`,
      unreferenced_at: sql`iif(${b.refs} = 1, ${p.now}, null)`,
    })} where ${b.key} = ${p.key} and ${b.refs} > 0 and ${isMovable(p)}`,
);

/** Inserts an event of the move if the move is possible. */
export const addMoveEvent = statement({ ...move, ...objectEvent }, (p) => insertObjectEvent(p, isMovable(p)));

/** Moves an object. Replaces the object at the destination, if there is one. */
export const moveRow = statement(
  { ...move, parent: o.parent, change: o.change_id },
  (p) =>
    sql`update or replace ${o} set ${assignments(o, {
      bucket_id: p.toBucketId as never,
      name: p.toName as never,
      parent: p.parent as never,
      change_id: p.change as never,
      upload_key: null,
    })} where ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${p.name} and ${isMovable(p)}`,
);
