import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import type { Member } from "../../kit/auth/member";
import { checkPreconditions } from "../../kit/files/conditions";
import { tagsOf } from "../../kit/http/etag";
import { findBucket } from "../buckets/bucket";
import { findCompany, openCompany, refreshCompany } from "../companies/company";
import { findObject } from "../objects/object";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/** The destination of an upload: a bucket of the token's company and a path normalized by readPath. */
export type Target = Member & { bucket: string; path: string };

/** The bucket of a target, and the current object at its path. */
export type LoadedTarget = { bucket: BucketRow; old: ObjectRow | null };

/**
 * Loads the bucket and object of a target in one round trip. Creates the company's rows on first use. Throws 404
 * `bucket_not_found`.
 */
export async function loadUploadTarget(services: StorageServices, target: Target): Promise<LoadedTarget> {
  const { companyId, bucket: name, path, user, firstRead } = target;
  const read = () =>
    services.dbOf(companyId).batch({
      company: findCompany({ companyId }),
      bucket: findBucket({ companyId, name }),
      old: findObject({ companyId, bucket: name, name: path }),
    });
  let results = await firstRead(read());
  if (results.company.first === null) {
    await openCompany(services, companyId, user);
    results = await read();
  }
  refreshCompany(services, results.company.first);
  const bucket = results.bucket.first;
  if (bucket === null) throw new Problem("bucket_not_found");
  return { bucket, old: results.old.first };
}

/**
 * Returns a check of the current object. It throws 400 `resource_already_exists` if the object exists and `isUpsert` is
 * false, and 412 if `If-Match` or `If-None-Match` fails (RFC 9110 13.1).
 */
export function preconditionCheck(headers: Headers, isUpsert: boolean): (old: ObjectRow | null) => void {
  return (old) => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
    checkPreconditions(headers, old === null ? null : `"${old.etag}"`);
  };
}

/**
 * Returns whether a multipart upload may replace an object when it completes. It may not if the upload was opened with
 * `If-None-Match: *`, because that condition also applies at completion.
 */
export const canReplaceLater = (headers: Headers, isUpsert: boolean): boolean =>
  isUpsert && !tagsOf(headers.get("if-none-match") ?? "").includes("*");
