import type { ObjectRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import type { RowOfStatement } from "../../kit/db/statement";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findBucketAndObject } from "./object.store";

export { findBucketAndObject, findObject, findObjectById, findObjectIn, noteAccess } from "./object.store";

/** An object of a company; 404 `bucket_not_found`, `object_not_found`. One statement. */
export async function readObject(
  services: StorageServices,
  at: { companyId: number; bucket: string; path: string },
): Promise<ObjectRow> {
  const { companyId, bucket, path } = at;
  return objectOf(bucket, await services.dbOf(companyId).first(findBucketAndObject({ companyId, bucket, name: path })));
}

/**
 * The object that findBucketAndObject has found in a bucket; 404 `bucket_not_found`, `object_not_found`: `company` is there before
 * anything is stored in it.
 */
export function objectOf(bucket: string, found: RowOfStatement<typeof findBucketAndObject> | null): ObjectRow {
  if (found === null) throw new Problem(bucket === COMPANY_BUCKET ? "object_not_found" : "bucket_not_found");
  const { bucket_uuid: _bucket, bucket_kind: _kind, ...object } = found;
  if (object.id === null) throw new Problem("object_not_found");
  return object as ObjectRow;
}
