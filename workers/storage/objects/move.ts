import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type Person } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findVersion } from "./commit.store";
import { addMoveEvent, creditReplacedOfCompany, creditReplacedOfUser, dropReplacedBlob, moveRow } from "./move.store";
import { isMarker, parentOf } from "./path";
import { checkTaken, findEnds, overwriting, type Relocation } from "./relocation";

const MAX_TRIES = 5;

/**
 * Gives an object another path, its version and owner as they are; one that it replaces is deleted with it. Tried again where
 * either end changed meanwhile: five times, then 409 `concurrent_modification`.
 */
export async function moveObject(
  services: StorageServices,
  companyId: number,
  person: Person,
  relocation: Relocation,
  isUpsert: boolean,
): Promise<ObjectRow> {
  const { from, to, ...ends } = await findEnds(services, companyId, person, relocation);
  const mayReplace = overwriting(isUpsert);
  mayReplace(ends.old);
  // What is in its bucket already is not judged anew.
  if (from.id !== to.id) checkTaken(services, { to, source: ends.source });
  const path = relocation.destination.path;
  const change = uuid();
  let [source, old]: [ObjectRow | null, ObjectRow | null] = [ends.source, ends.old];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (source === null) throw new Problem("object_not_found");
    mayReplace(old);
    // Onto itself.
    if (old?.id === source.id) return old;
    const moved = await runMove(services, person, { change, from, to, path, source, old });
    if (moved.old?.change_id === change) return moved.old;
    [source, old] = [moved.source, moved.old];
  }
  throw new Problem("concurrent_modification");
}

type Move = { change: string; from: BucketRow; to: BucketRow; path: string; source: ObjectRow; old: ObjectRow | null };

async function runMove({ clock, dbOf, webhooks }: StorageServices, person: Person, move: Move) {
  const { change, from, to, path, source, old } = move;
  const now = clock.now();
  const companyId = to.company_id;
  const place = {
    bucketId: from.id,
    name: source.name,
    seen: source.change_id,
    toBucketId: to.id,
    toName: path,
    seenThere: old?.change_id ?? "",
  };
  const event = { ...place, companyId, now, ...eventActor(person) };
  const [movedId, deletedId] = [uuid(), uuid()];
  const isTold = !isMarker(path, source.size);
  const isDeletionTold = old !== null && !isMarker(path, old.size);
  const found = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      ...(old === null
        ? {}
        : {
            company: creditReplacedOfCompany({ ...place, companyId, bytes: old.size }),
            user: creditReplacedOfUser({ ...place, companyId, userId: old.owner_id, bytes: old.size }),
            blob: dropReplacedBlob({ ...place, key: old.blob_key, now }),
          }),
      deletion: isDeletionTold
        ? addMoveEvent({ ...event, id: deletedId, type: "storage.object.deleted", data: deletionData(to, old) })
        : null,
      event: isTold
        ? addMoveEvent({ ...event, id: movedId, type: "storage.object.moved", data: movedData(move) })
        : null,
      moved: moveRow({ ...place, parent: parentOf(path), change }),
      source: findVersion({ bucketId: from.id, name: source.name }),
      old: findVersion({ bucketId: to.id, name: path }),
    },
    [...(isDeletionTold ? [deletedId] : []), ...(isTold ? [movedId] : [])].map((id) => ({ id, company_id: companyId })),
  );
  return { source: found.source.first, old: found.old.first };
}

const deletionData = (bucket: BucketRow, { name, size, mime_type }: ObjectRow): string =>
  storableData({ bucket_name: bucket.name, path: name, size, mime_type });

const movedData = ({ from, to, path, source }: Move): string =>
  storableData({
    object_id: source.id,
    bucket_name: from.name,
    to_bucket_name: to.name,
    from: source.name,
    to: path,
  });
