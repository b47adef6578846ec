import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import { invalid } from "../../kit/problem";
import { checkFile, findBucket } from "../buckets/bucket";
import { findCompany, openCompany, type Person, refreshCompany } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findObject } from "./object.store";
import { readPath } from "./path";

/** A path in a bucket of the token's company. */
type Place = { bucket: string; path: string };

/** What a copy or a move asks for. */
export type Relocation = { source: Place; destination: Place };

type Given = {
  [K in "bucketId" | "destinationBucket" | "sourceKey" | "from" | "destinationKey" | "to"]?: string | null | undefined;
};

/** The places of a copy or a move, of either form of its body; 400 with the field. */
export function readRelocation(given: Given): Relocation {
  const { bucketId, destinationBucket } = given;
  const read = (
    key: "sourceKey" | "destinationKey",
    other: "from" | "to",
    bucket: string | null | undefined,
  ): Place => {
    const field = given[key] == null && given[other] != null ? other : key;
    const text = given[field];
    if (text == null) throw invalid({ [field]: ["required"] });
    if (bucketId != null) return { bucket: bucket ?? bucketId, path: readPath(text, field) };
    const [, name = "", path = ""] = /^\/?([^/]+)\/(.*)$/s.exec(text) ?? [];
    return { bucket: name, path: readPath(path, field) };
  };
  if (bucketId == null && destinationBucket != null) throw invalid({ bucketId: ["required"] });
  return { source: read("sourceKey", "from", bucketId), destination: read("destinationKey", "to", destinationBucket) };
}

/** Both ends of a copy or a move. */
export type Ends = { from: BucketRow; to: BucketRow; source: ObjectRow; old: ObjectRow | null };

/** Reads both ends in one round trip. 404 `bucket_not_found`, `object_not_found`. */
export async function findEnds(
  services: StorageServices,
  companyId: number,
  person: Person,
  { source, destination }: Relocation,
): Promise<Ends> {
  const found = await services.dbOf(companyId).batch({
    company: findCompany({ companyId }),
    from: findBucket({ companyId, name: source.bucket }),
    to: findBucket({ companyId, name: destination.bucket }),
    source: findObject({ companyId, bucket: source.bucket, name: source.path }),
    old: findObject({ companyId, bucket: destination.bucket, name: destination.path }),
  });
  refreshCompany(services, found.company.first);
  const [from, to, object] = [found.from.first, found.to.first, found.source.first];
  if (from === null && source.bucket === COMPANY_BUCKET) {
    await openCompany(services, companyId, person);
    throw new Problem("object_not_found");
  }
  if (from === null || to === null) throw new Problem("bucket_not_found");
  if (object === null) throw new Problem("object_not_found");
  return { from, to, source: object, old: found.old.first };
}

/** 413, 415 where the bucket of the destination does not take the object. */
export const checkTaken = ({ settings }: StorageServices, { to, source }: Pick<Ends, "to" | "source">): void =>
  checkFile(to, { mimeType: source.mime_type, size: source.size }, settings.uploads.maxBytes);

/** What a copy or a move may find at its destination. */
export const overwriting =
  (isUpsert: boolean) =>
  (old: ObjectRow | null): void => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
  };
