import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { checkPreconditions } from "../../kit/files/conditions";
import { tagsOf } from "../../kit/http/etag";
import type { Member } from "../access/member";
import { findBucket } from "../buckets/bucket";
import { findCompany, openCompany, refreshCompany } from "../companies/company";
import { findObject } from "../objects/object";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/** Where an upload goes: a bucket of the token's company, and a path that was read by readPath. */
export type Target = Member & { bucket: string; path: string };

/** The bucket and what stands at the path now. */
export type Place = { bucket: BucketRow; old: ObjectRow | null };

/** The bucket and the object of a target, in one round trip; the first call of a company opens it. 404 `bucket_not_found`. */
export async function findPlace(services: StorageServices, target: Target): Promise<Place> {
  const { companyId, bucket: name, path, person, firstRead } = target;
  const read = () =>
    services.dbOf(companyId).batch({
      company: findCompany({ companyId }),
      bucket: findBucket({ companyId, name }),
      old: findObject({ companyId, bucket: name, name: path }),
    });
  let found = await firstRead(read());
  if (found.company.first === null) {
    await openCompany(services, companyId, person);
    found = await read();
  }
  refreshCompany(services, found.company.first);
  const bucket = found.bucket.first;
  if (bucket === null) throw new Problem("bucket_not_found");
  return { bucket, old: found.old.first };
}

/** What an upload may find at its path: nothing unless it replaces, and what If-Match and If-None-Match (RFC 9110 13.1) allow. */
export function replacing(headers: Headers, isUpsert: boolean): (old: ObjectRow | null) => void {
  return (old) => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
    checkPreconditions(headers, old === null ? null : `"${old.etag}"`);
  };
}

/** Whether an upload that becomes an object later may replace one then: not with `If-None-Match: *`, which holds until then. */
export const mayReplaceLater = (headers: Headers, isUpsert: boolean): boolean =>
  isUpsert && !tagsOf(headers.get("if-none-match") ?? "").includes("*");
