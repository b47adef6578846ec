import type { BucketRow } from "../../../db/storage/schema";
import { toSlices } from "../../kit/db/slices";
import { tagsOf } from "../../kit/http/etag";
import { uuid } from "../../kit/ids";
import { SECOND_MS } from "../../kit/time";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { findCompany, refreshCompany } from "../companies/company";
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

const BATCH_SIZE = 500;
const REMOVAL_MS = 20 * SECOND_MS;

type Bucket = Pick<BucketRow, "id" | "name" | "company_id">;

/**
 * Deletes at most 1,000 objects by name and returns the names of the deleted ones. Skips missing objects and, with `etags`,
 * objects with another ETag. A null bucket has no objects.
 */
export async function removeObjects(
  services: StorageServices,
  bucket: Bucket | null,
  user: UserActor,
  names: readonly string[],
  etags: readonly string[] | null = null,
): Promise<string[]> {
  if (bucket === null || names.length === 0) return [];
  const { clock, dbOf, webhooks, log } = services;
  const now = clock.now();
  const companyId = bucket.company_id;
  const objectsToDelete = names.map((name) => ({ name, event: uuid() }));
  const targets = toSlices(objectsToDelete).map((list) => ({ list, bucketId: bucket.id, etags }));
  const { removed, drift, company } = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      drift: targets.map((target) => findDrift({ ...target, companyId })),
      events: targets.map((target) =>
        addRemovalEvents({
          ...target,
          companyId,
          bucketName: bucket.name,
          marker: MARKER,
          now,
          ...eventActor(user),
        }),
      ),
      credits: targets.map((target) => creditCompany({ ...target, companyId })),
      owners: targets.map((target) => creditOwners({ ...target, companyId })),
      blobs: targets.map((target) => dropBlobs({ ...target, now })),
      removed: targets.map((target) => deleteObjects(target)),
      company: findCompany({ companyId }),
    },
    objectsToDelete.map(({ event }) => ({ id: event, company_id: companyId })),
  );
  refreshCompany(services, company.first);
  const used = drift[0]?.first?.used ?? 0;
  const remainingBytes = drift.reduce((bytes, { first }) => bytes - (first?.freed ?? 0), used);
  if (remainingBytes < 0) log.warn("quota has drifted", { company_id: companyId, bytes: remainingBytes });
  return removed.flatMap(({ rows }) => rows.map(({ name }) => name));
}

/**
 * Deletes one object. Throws 404 `object_not_found`. With `If-Match`, throws 412 `precondition_failed` instead, if the object
 * is missing or has another ETag (RFC 9110 13.1.1).
 */
export async function removeObject(
  services: StorageServices,
  bucket: Bucket | null,
  user: UserActor,
  { path, ifMatch }: { path: string; ifMatch: string | null },
): Promise<void> {
  const tags = ifMatch === null ? [] : tagsOf(ifMatch);
  const etags = ifMatch === null || tags.includes("*") ? null : tags.flatMap((tag) => /^"(.*)"$/.exec(tag)?.[1] ?? []);
  const removed = await removeObjects(services, bucket, user, [path], etags);
  if (removed.length === 0) throw new Problem(ifMatch === null ? "object_not_found" : "precondition_failed");
}

/**
 * Deletes the objects below a prefix, or in the whole bucket for null, until none is left or 20 seconds have passed.
 * `complete` is true if none is left.
 */
export async function removeBelow(
  services: StorageServices,
  bucket: Bucket,
  user: UserActor,
  prefix: string | null,
): Promise<{ deleted: number; complete: boolean }> {
  const until = services.clock.now() + REMOVAL_MS;
  let deleted = 0;
  for (;;) {
    const page = { bucketId: bucket.id, limit: BATCH_SIZE };
    const below = prefix === null ? listFirst(page) : listBelow({ ...page, start: `${prefix}/`, end: `${prefix}0` });
    const names = (await services.dbOf(bucket.company_id).all(below)).map(({ name }) => name);
    deleted += (await removeObjects(services, bucket, user, names)).length;
    if (names.length < BATCH_SIZE) return { deleted, complete: true };
    if (services.clock.now() >= until) return { deleted, complete: false };
  }
}
