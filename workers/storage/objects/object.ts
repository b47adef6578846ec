import type { ObjectRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import type { RowOfStatement } from "../../kit/db/statement";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findBucketAndObject } from "./object.store";

export { findBucketAndObject, findObject, findObjectById, findObjectIn, recordAccess } from "./object.store";

export type ObjectAddress = { companyId: number; bucket: string; path: string };

/** Returns an object by bucket and path, in one statement. Throws 404 `bucket_not_found` or `object_not_found`. */
export async function readObject(services: StorageServices, address: ObjectAddress): Promise<ObjectRow> {
  const { companyId, bucket, path } = address;
  return objectOf(bucket, await services.dbOf(companyId).first(findBucketAndObject({ companyId, bucket, name: path })));
}

/**
 * Returns the object in a row of findBucketAndObject. Throws 404 `bucket_not_found` or `object_not_found`. The bucket
 * `company` counts as existing before it has a row.
 */
export function objectOf(bucket: string, row: RowOfStatement<typeof findBucketAndObject> | null): ObjectRow {
  if (row === null) throw new Problem(bucket === COMPANY_BUCKET ? "object_not_found" : "bucket_not_found");
  const { bucket_uuid: _bucket, bucket_kind: _kind, ...object } = row;
  if (object.id === null) throw new Problem("object_not_found");
  return object as ObjectRow;
}
