import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { checkPreconditions } from "../../kit/files/conditions";
import { tagsOf } from "../../kit/http/etag";
import type { Member } from "../access/member";
import { findBucket } from "../buckets/bucket";
import { findCompany, openCompany, refreshCompany } from "../companies/company";
import { findObject } from "../objects/object";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/** The destination of an upload: a bucket of the token's company and a path normalized by readPath. */
export type Target = Member & { bucket: string; path: string };

/** The bucket, and the current object at the path. */
export type LoadedTarget = { bucket: BucketRow; old: ObjectRow | null };

/** Loads bucket and object of a target in one round trip; creates the company's rows on first use. Throws 404 `bucket_not_found`. */
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

/** Returns a check of the current object: throws 400 if it exists and `isUpsert` is false, or 412 by If-Match and If-None-Match (RFC 9110 13.1). */
export function preconditionsOf(headers: Headers, isUpsert: boolean): (old: ObjectRow | null) => void {
  return (old) => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
    checkPreconditions(headers, old === null ? null : `"${old.etag}"`);
  };
}

/** Whether a multipart upload may replace an object when it completes: not with `If-None-Match: *`, which still applies then. */
export const mayReplaceLater = (headers: Headers, isUpsert: boolean): boolean =>
  isUpsert && !tagsOf(headers.get("if-none-match") ?? "").includes("*");
