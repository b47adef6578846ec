import { and, eq, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { allColumns, leftJoined, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const b = storage_buckets;
const o = storage_objects;

/** Selects an object by bucket name and path. */
export const findObject = statement({ companyId: b.company_id, bucket: b.name, name: o.name }, (p) =>
  queryBuilder
    .select(allColumns(o))
    .from(o)
    .innerJoin(b, eq(b.id, o.bucket_id))
    .where(and(eq(b.company_id, p.companyId), eq(b.name, p.bucket), eq(o.name, p.name))),
);

/** Selects an object by bucket id and path. */
export const findObjectIn = statement({ bucketId: o.bucket_id, name: o.name }, (p) =>
  queryBuilder
    .select(allColumns(o))
    .from(o)
    .where(and(eq(o.bucket_id, p.bucketId), eq(o.name, p.name))),
);

/** Selects a bucket and the object at a path in it. The object's columns are null if there is no object. */
export const findBucketAndObject = statement({ companyId: b.company_id, bucket: b.name, name: o.name }, (p) =>
  selectRows(
    { bucket_uuid: b.id, bucket_kind: b.kind, ...leftJoined(allColumns(o)) },
    (columns) => sql`select ${columns} from ${b} left join ${o} on ${o.bucket_id} = ${b.id} and ${o.name} = ${p.name}
      where ${b.company_id} = ${p.companyId} and ${b.name} = ${p.bucket}`,
  ),
);

/** Updates the time of the last download. The caller limits this to once a day. */
export const recordAccess = statement({ bucketId: o.bucket_id, name: o.name, now: o.last_accessed_at }, (p) =>
  queryBuilder
    .update(o)
    .set({ last_accessed_at: p.now })
    .where(and(eq(o.bucket_id, p.bucketId), eq(o.name, p.name))),
);

/** Selects an object of a company by its id, with the name of its bucket. */
export const findObjectById = statement({ companyId: o.company_id, id: o.id }, (p) =>
  queryBuilder
    .select({ id: o.id, name: o.name, bucket: b.name })
    .from(o)
    .innerJoin(b, eq(b.id, o.bucket_id))
    .where(and(eq(o.id, p.id), eq(o.company_id, p.companyId))),
);
