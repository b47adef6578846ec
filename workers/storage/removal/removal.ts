import type { BucketRow } from "../../../db/storage/schema";
import { toSlices } from "../../kit/db/slices";
import { tagsOf } from "../../kit/http/etag";
import { uuid } from "../../kit/ids";
import { SECOND_MS } from "../../kit/time";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { eventActor, findCompany, type Person, refreshCompany } from "../companies/company";
import { MARKER } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import {
  addRemovalEvents,
  creditCompany,
  creditOwners,
  deleteObjects,
  dropBlobs,
  findDrift,
  listBelow,
  listFirst,
} from "./removal.store";

const BATCH = 500;
const REMOVAL_MS = 20 * SECOND_MS;

type Bucket = Pick<BucketRow, "id" | "name" | "company_id">;

/**
 * Removes objects by their names, of which there are at most 1,000; those that are not there are skipped, and of given
 * `etags` those that have another one; bucket null: it is empty. Answers who went.
 */
export async function removeObjects(
  services: StorageServices,
  bucket: Bucket | null,
  person: Person,
  names: readonly string[],
  etags: readonly string[] | null = null,
): Promise<string[]> {
  if (bucket === null || names.length === 0) return [];
  const { clock, dbOf, webhooks, log } = services;
  const now = clock.now();
  const companyId = bucket.company_id;
  const doomed = names.map((name) => ({ name, event: uuid() }));
  const places = toSlices(doomed).map((list) => ({ list, bucketId: bucket.id, etags }));
  const { removed, drift, company } = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      drift: places.map((place) => findDrift({ ...place, companyId })),
      events: places.map((place) =>
        addRemovalEvents({
          ...place,
          companyId,
          bucketName: bucket.name,
          marker: MARKER,
          now,
          ...eventActor(person),
        }),
      ),
      credits: places.map((place) => creditCompany({ ...place, companyId })),
      owners: places.map((place) => creditOwners({ ...place, companyId })),
      blobs: places.map((place) => dropBlobs({ ...place, now })),
      removed: places.map((place) => deleteObjects(place)),
      company: findCompany({ companyId }),
    },
    doomed.map(({ event }) => ({ id: event, company_id: companyId })),
  );
  refreshCompany(services, company.first);
  const used = drift[0]?.first?.used ?? 0;
  const left = drift.reduce((bytes, { first }) => bytes - (first?.freed ?? 0), used);
  if (left < 0) log.warn("quota has drifted", { company_id: companyId, bytes: left });
  return removed.flatMap(({ rows }) => rows.map(({ name }) => name));
}

/**
 * Removes one object; 404 `object_not_found`, 412 `precondition_failed` where it is not as `If-Match` says or not there (RFC
 * 9110 13.1.1).
 */
export async function removeObject(
  services: StorageServices,
  bucket: Bucket | null,
  person: Person,
  { path, ifMatch }: { path: string; ifMatch: string | null },
): Promise<void> {
  const tags = ifMatch === null ? [] : tagsOf(ifMatch);
  const etags = ifMatch === null || tags.includes("*") ? null : tags.flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? []);
  const removed = await removeObjects(services, bucket, person, [path], etags);
  if (removed.length === 0) throw new Problem(ifMatch === null ? "object_not_found" : "precondition_failed");
}

/** Removes all below a prefix (null: all of the bucket), as many as 20 seconds allow; `complete` says whether that was all. */
export async function removeBelow(
  services: StorageServices,
  bucket: Bucket,
  person: Person,
  prefix: string | null,
): Promise<{ deleted: number; complete: boolean }> {
  const until = services.clock.now() + REMOVAL_MS;
  let deleted = 0;
  for (;;) {
    const page = { bucketId: bucket.id, limit: BATCH };
    const below = prefix === null ? listFirst(page) : listBelow({ ...page, start: `${prefix}/`, end: `${prefix}0` });
    const names = (await services.dbOf(bucket.company_id).all(below)).map(({ name }) => name);
    deleted += (await removeObjects(services, bucket, person, names)).length;
    if (names.length < BATCH) return { deleted, complete: true };
    if (services.clock.now() >= until) return { deleted, complete: false };
  }
}
