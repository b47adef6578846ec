import { and, eq, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { company_quotas, event_log, storage_blobs, storage_objects, user_quotas } from "../../../db/storage/schema";
import { integer, json, nullable, text } from "../../kit/db/kind";
import {
  assignments,
  columnName,
  insertSelect,
  isInList,
  jsonEach,
  queryBuilder,
  selectRows,
} from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const o = storage_objects;
const c = company_quotas;
const u = user_quotas;
const b = storage_blobs;

/** The name of an object to delete and the id of its event. */
export type ObjectToDelete = { name: string; event: string };

const list = json<readonly ObjectToDelete[]>();
const target = { list, bucketId: o.bucket_id, etags: nullable(json<readonly string[]>()) };

/** Returns the condition that an object has one of the given ETags. Null matches every version. */
const hasMatchingEtag = ({ etags }: { etags: SQL<readonly string[] | null> }): SQL =>
  sql`(${etags} is null or ${isInList(o.etag, etags)})`;

/** Returns the FROM clause of the listed objects that exist. */
const listed = (p: {
  list: SQL<readonly ObjectToDelete[]>;
  bucketId: SQLWrapper;
  etags: SQL<readonly string[] | null>;
}): SQL => {
  const { from, item } = jsonEach(p.list);
  return sql`from ${from} cross join ${o} on ${o.bucket_id} = ${p.bucketId} and ${o.name} = ${item.name} and ${hasMatchingEtag(p)}`;
};

/**
 * Selects the used bytes of a company and the bytes that a deletion frees. If the deletion frees more than is used, the
 * counters have drifted.
 */
export const findDrift = statement({ ...target, companyId: c.company_id }, (p) =>
  selectRows(
    { used: c.used_bytes, freed: sql`coalesce((select sum(${o.size}) ${listed(p)}), 0)`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${c} where ${c.company_id} = ${p.companyId}`,
  ),
);

/** Inserts the events of deleted objects. Folder markers have no event. */
export const addRemovalEvents = statement(
  {
    ...target,
    companyId: event_log.company_id,
    bucketName: text,
    marker: text,
    userId: event_log.user_id,
    email: event_log.actor_email,
    actor: event_log.actor,
    now: event_log.created_at,
  },
  (p) => {
    const event = jsonEach(p.list).item.event;
    return sql`${insertSelect(
      event_log,
      {
        id: event,
        company_id: p.companyId,
        event_type: "storage.object.deleted",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: sql`json_object('bucket_name', ${p.bucketName}, 'mime_type', ${o.mime_type}, 'path', ${o.name}, 'size', ${o.size})` as never,
        created_at: p.now,
      },
      sql`${listed(p)} where not (${o.size} = 0 and substr(${o.name}, -length(${p.marker})) = ${p.marker})`,
    )} on conflict do nothing`;
  },
);

/** Subtracts the deleted objects from the totals of the company. */
export const creditCompany = statement(
  { ...target, companyId: c.company_id },
  (p) =>
    sql`update ${c} set ${assignments(c, {
      used_bytes: sql`max(0, ${c.used_bytes} - removed.bytes)`,
      object_count: sql`max(0, ${c.object_count} - removed.objects)`,
    })} from (select sum(${o.size}) as bytes, count(*) as objects ${listed(p)}) removed
    where ${c.company_id} = ${p.companyId} and removed.objects > 0`,
);

/** Subtracts the deleted objects from the totals of their owners. */
export const creditOwners = statement(
  { ...target, companyId: u.company_id },
  (p) =>
    sql`update ${u} set ${columnName(u.used_bytes)} = max(0, ${u.used_bytes} - removed.bytes)
    from (select ${o.owner_id} as owner, sum(${o.size}) as bytes ${listed(p)} group by 1) removed
    where ${u.company_id} = ${p.companyId} and ${u.user_id} = removed.owner`,
);

/** Drops the blob references of deleted objects. The sweep removes unreferenced blobs. */
export const dropBlobs = statement(
  { ...target, now: integer },
  (p) =>
    sql`update ${b} set ${assignments(b, {
      refs: sql`max(0, ${b.refs} - removed.objects)`,
      unreferenced_at: sql`iif(${b.refs} <= removed.objects, ${p.now}, null)`,
    })} from (select ${o.blob_key} as blob, count(*) as objects ${listed(p)} group by 1) removed where ${b.key} = removed.blob and ${b.refs} > 0`,
);

/** Deletes the objects and returns their names. */
export const deleteObjects = statement(target, (p) => {
  const { from, item } = jsonEach(p.list);
  return queryBuilder
    .delete(o)
    .where(and(eq(o.bucket_id, p.bucketId), sql`${o.name} in (select ${item.name} from ${from})`, hasMatchingEtag(p)))
    .returning({ name: o.name });
});

/** Selects the first names below a folder, from `start` (inclusive) to `end` (exclusive). */
export const listBelow = statement({ bucketId: o.bucket_id, start: text, end: text, limit: integer }, (p) =>
  queryBuilder
    .select({ name: o.name })
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), gte(o.name, p.start), lt(o.name, p.end)))
    .orderBy(o.name)
    .limit(p.limit),
);

/** Selects the first names of a bucket. */
export const listFirst = statement({ bucketId: o.bucket_id, limit: integer }, (p) =>
  queryBuilder.select({ name: o.name }).from(o).where(eq(o.bucket_id, p.bucketId)).orderBy(o.name).limit(p.limit),
);
