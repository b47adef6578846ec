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

/** The name of an object to delete and the id of its event. */
export type ObjectToDelete = { name: string; event: string };

const list = json<readonly ObjectToDelete[]>();
const target = { list, bucketId: storage_objects.bucket_id, etags: nullable(json<readonly string[]>()) };

/** Returns the condition that an object has one of the given ETags. Null matches every version. */
const hasMatchingEtag = ({ etags }: { etags: SQL<readonly string[] | null> }): SQL =>
  sql`(${etags} is null or ${isInList(storage_objects.etag, etags)})`;

/** Returns the FROM clause of the listed objects that exist. */
const listed = (p: {
  list: SQL<readonly ObjectToDelete[]>;
  bucketId: SQLWrapper;
  etags: SQL<readonly string[] | null>;
}): SQL => {
  const { from, item } = jsonEach(p.list);
  return sql`from ${from} cross join ${storage_objects} on ${storage_objects.bucket_id} = ${p.bucketId} and ${storage_objects.name} = ${item.name} and ${hasMatchingEtag(p)}`;
};

/**
 * Selects the used bytes of a company and the bytes that a deletion frees. If the deletion frees more than is used, the
 * counters have drifted.
 */
export const findDrift = statement({ ...target, companyId: company_quotas.company_id }, (p) =>
  selectRows(
    {
      used: company_quotas.used_bytes,
      freed: sql`coalesce((select sum(${storage_objects.size}) ${listed(p)}), 0)`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${company_quotas} where ${company_quotas.company_id} = ${p.companyId}`,
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
        data: sql`json_object('bucket_name', ${p.bucketName}, 'mime_type', ${storage_objects.mime_type}, 'path', ${storage_objects.name}, 'size', ${storage_objects.size})` as never,
        created_at: p.now,
      },
      sql`${listed(p)} where not (${storage_objects.size} = 0 and substr(${storage_objects.name}, -length(${p.marker})) = ${p.marker})`,
    )} on conflict do nothing`;
  },
);

/** Subtracts the deleted objects from the totals of the company. */
export const creditCompany = statement(
  { ...target, companyId: company_quotas.company_id },
  (p) =>
    sql`update ${company_quotas} set ${assignments(company_quotas, {
      used_bytes: sql`max(0, ${company_quotas.used_bytes} - removed.bytes)`,
      object_count: sql`max(0, ${company_quotas.object_count} - removed.objects)`,
    })} from (select sum(${storage_objects.size}) as bytes, count(*) as objects ${listed(p)}) removed
    where ${company_quotas.company_id} = ${p.companyId} and removed.objects > 0`,
);

/** Subtracts the deleted objects from the totals of their owners. */
export const creditOwners = statement(
  { ...target, companyId: user_quotas.company_id },
  (p) =>
    sql`update ${user_quotas} set ${columnName(user_quotas.used_bytes)} = max(0, ${user_quotas.used_bytes} - removed.bytes)
    from (select ${storage_objects.owner_id} as owner, sum(${storage_objects.size}) as bytes ${listed(p)} group by 1) removed
    where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = removed.owner`,
);

/** Drops the blob references of deleted objects. The sweep removes unreferenced blobs. */
export const dropBlobs = statement(
  { ...target, now: integer },
  (p) =>
    sql`update ${storage_blobs} set ${assignments(storage_blobs, {
      refs: sql`max(0, ${storage_blobs.refs} - removed.objects)`,
      unreferenced_at: sql`iif(${storage_blobs.refs} <= removed.objects, ${p.now}, null)`,
    })} from (select ${storage_objects.blob_key} as blob, count(*) as objects ${listed(p)} group by 1) removed where ${storage_blobs.key} = removed.blob and ${storage_blobs.refs} > 0`,
);

/** Deletes the objects and returns their names. */
export const deleteObjects = statement(target, (p) => {
  const { from, item } = jsonEach(p.list);
  return queryBuilder
    .delete(storage_objects)
    .where(
      and(
        eq(storage_objects.bucket_id, p.bucketId),
        sql`${storage_objects.name} in (select ${item.name} from ${from})`,
        hasMatchingEtag(p),
      ),
    )
    .returning({ name: storage_objects.name });
});

/** Selects the first names below a folder, from `start` (inclusive) to `end` (exclusive). */
export const listBelow = statement(
  { bucketId: storage_objects.bucket_id, start: text, end: text, limit: integer },
  (p) =>
    queryBuilder
      .select({ name: storage_objects.name })
      .from(storage_objects)
      .where(
        and(
          eq(storage_objects.bucket_id, p.bucketId),
          gte(storage_objects.name, p.start),
          lt(storage_objects.name, p.end),
        ),
      )
      .orderBy(storage_objects.name)
      .limit(p.limit),
);

/** Selects the first names of a bucket. */
export const listFirst = statement({ bucketId: storage_objects.bucket_id, limit: integer }, (p) =>
  queryBuilder
    .select({ name: storage_objects.name })
    .from(storage_objects)
    .where(eq(storage_objects.bucket_id, p.bucketId))
    .orderBy(storage_objects.name)
    .limit(p.limit),
);
