import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { invalid } from "../../kit/problem";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { checkFile, findBucket } from "../buckets/bucket";
import { findCompany, openCompany, refreshCompany } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findObject } from "./object.store";
import { readPath } from "./path";

/** A path in a bucket of the token's company. */
type ObjectLocation = { bucket: string; path: string };

/** The parameters of a copy or move. */
export type Relocation = { source: ObjectLocation; destination: ObjectLocation };

type RelocationInput = {
  [K in "bucketId" | "destinationBucket" | "sourceKey" | "from" | "destinationKey" | "to"]?: string | null | undefined;
};

/**
 * Reads source and destination from the body. Without `bucketId`, the first segment of each key is the bucket. Throws 400 with
 * the field name.
 */
export function readRelocation(input: RelocationInput): Relocation {
  const { bucketId, destinationBucket } = input;
  const read = (
    key: "sourceKey" | "destinationKey",
    alias: "from" | "to",
    bucket: string | null | undefined,
  ): ObjectLocation => {
    const field = input[key] == null && input[alias] != null ? alias : key;
    const text = input[field];
    if (text == null) throw invalid({ [field]: ["required"] });
    if (bucketId != null) return { bucket: bucket ?? bucketId, path: readPath(text, field) };
    const [, name = "", path = ""] = /^\/?([^/]+)\/(.*)$/s.exec(text) ?? [];
    return { bucket: name, path: readPath(path, field) };
  };
  if (bucketId == null && destinationBucket != null) throw invalid({ bucketId: ["required"] });
  return { source: read("sourceKey", "from", bucketId), destination: read("destinationKey", "to", destinationBucket) };
}

/** The loaded buckets and objects of a copy or move. `old` is the object at the destination. */
export type LoadedRelocation = { from: BucketRow; to: BucketRow; source: ObjectRow; old: ObjectRow | null };

/** Loads source and destination in one round trip. Throws 404 `bucket_not_found` or `object_not_found`. */
export async function loadRelocation(
  services: StorageServices,
  companyId: number,
  user: UserActor,
  { source, destination }: Relocation,
): Promise<LoadedRelocation> {
  const results = await services.dbOf(companyId).batch({
    company: findCompany({ companyId }),
    from: findBucket({ companyId, name: source.bucket }),
    to: findBucket({ companyId, name: destination.bucket }),
    source: findObject({ companyId, bucket: source.bucket, name: source.path }),
    old: findObject({ companyId, bucket: destination.bucket, name: destination.path }),
  });
  refreshCompany(services, results.company.first);
  const [from, to, object] = [results.from.first, results.to.first, results.source.first];
  if (from === null && source.bucket === COMPANY_BUCKET) {
    await openCompany(services, companyId, user);
    throw new Problem("object_not_found");
  }
  if (from === null || to === null) throw new Problem("bucket_not_found");
  if (object === null) throw new Problem("object_not_found");
  return { from, to, source: object, old: results.old.first };
}

/** Throws 413 or 415 if the destination bucket does not accept the object. */
export const checkDestination = (
  { settings }: StorageServices,
  { to, source }: Pick<LoadedRelocation, "to" | "source">,
): void => checkFile(to, { mimeType: source.mime_type, size: source.size }, settings.uploads.maxBytes);

/** Returns a check that throws 400 `resource_already_exists` if the destination exists and `isUpsert` is false. */
export const replacementCheck =
  (isUpsert: boolean) =>
  (old: ObjectRow | null): void => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
  };
