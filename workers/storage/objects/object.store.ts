import { and, eq, sql } from "drizzle-orm";
import { storage_buckets, storage_objects } from "../../../db/storage/schema";
import { allColumns, leftJoined, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Selects an object by bucket name and path. */
export const findObject = statement(
  { companyId: storage_buckets.company_id, bucket: storage_buckets.name, name: storage_objects.name },
  (p) =>
    queryBuilder
      .select(allColumns(storage_objects))
      .from(storage_objects)
      .innerJoin(storage_buckets, eq(storage_buckets.id, storage_objects.bucket_id))
      .where(
        and(
          eq(storage_buckets.company_id, p.companyId),
          eq(storage_buckets.name, p.bucket),
          eq(storage_objects.name, p.name),
        ),
      ),
);

/** Selects an object by bucket id and path. */
export const findObjectIn = statement({ bucketId: storage_objects.bucket_id, name: storage_objects.name }, (p) =>
  queryBuilder
    .select(allColumns(storage_objects))
    .from(storage_objects)
    .where(and(eq(storage_objects.bucket_id, p.bucketId), eq(storage_objects.name, p.name))),
);

/** Selects a bucket and the object at a path in it. The object's columns are null if there is no object. */
export const findBucketAndObject = statement(
  { companyId: storage_buckets.company_id, bucket: storage_buckets.name, name: storage_objects.name },
  (p) =>
    selectRows(
      {
        bucket_uuid: storage_buckets.id,
        bucket_kind: storage_buckets.kind,
        ...leftJoined(allColumns(storage_objects)),
      },
      (
        columns,
      ) => sql`select ${columns} from ${storage_buckets} left join ${storage_objects} on ${storage_objects.bucket_id} = ${storage_buckets.id} and ${storage_objects.name} = ${p.name}
      where ${storage_buckets.company_id} = ${p.companyId} and ${storage_buckets.name} = ${p.bucket}`,
    ),
);

/** Updates the time of the last download. The caller limits this to once a day. */
export const recordAccess = statement(
  { bucketId: storage_objects.bucket_id, name: storage_objects.name, now: storage_objects.last_accessed_at },
  (p) =>
    queryBuilder
      .update(storage_objects)
      .set({ last_accessed_at: p.now })
      .where(and(eq(storage_objects.bucket_id, p.bucketId), eq(storage_objects.name, p.name))),
);

/** Selects an object of a company by its id, with the name of its bucket. */
export const findObjectById = statement({ companyId: storage_objects.company_id, id: storage_objects.id }, (p) =>
  queryBuilder
    .select({ id: storage_objects.id, name: storage_objects.name, bucket: storage_buckets.name })
    .from(storage_objects)
    .innerJoin(storage_buckets, eq(storage_buckets.id, storage_objects.bucket_id))
    .where(and(eq(storage_objects.id, p.id), eq(storage_objects.company_id, p.companyId))),
);
