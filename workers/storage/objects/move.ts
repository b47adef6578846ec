import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { findVersion } from "./commit.store";
import { addMoveEvent, creditReplacedOfCompany, creditReplacedOfUser, dropReplacedBlob, moveRow } from "./move.store";
import { isMarker, parentOf } from "./path";
import { checkDestination, loadRelocation, type Relocation, replacementCheck } from "./relocation";

const MAX_TRIES = 5;

/**
 * Moves an object to another path. The object keeps its version and owner; an object at the destination is deleted. Retries
 * when source or destination changed meanwhile, and throws 409 `concurrent_modification` after five attempts.
 */
export async function moveObject(
  services: StorageServices,
  companyId: number,
  user: UserActor,
  relocation: Relocation,
  isUpsert: boolean,
): Promise<ObjectRow> {
  const { from, to, ...loaded } = await loadRelocation(services, companyId, user, relocation);
  const checkReplacement = replacementCheck(isUpsert);
  checkReplacement(loaded.old);
  // A move within a bucket does not check the limits of the bucket again.
  if (from.id !== to.id) checkDestination(services, { to, source: loaded.source });
  const path = relocation.destination.path;
  const change = uuid();
  let [source, old]: [ObjectRow | null, ObjectRow | null] = [loaded.source, loaded.old];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (source === null) throw new Problem("object_not_found");
    checkReplacement(old);
    // A move onto itself changes nothing.
    if (old?.id === source.id) return old;
    const moved = await commitMove(services, user, { change, from, to, path, source, old });
    if (moved.old?.change_id === change) return moved.old;
    [source, old] = [moved.source, moved.old];
  }
  throw new Problem("concurrent_modification");
}

type Move = { change: string; from: BucketRow; to: BucketRow; path: string; source: ObjectRow; old: ObjectRow | null };

async function commitMove({ clock, dbOf, webhooks }: StorageServices, user: UserActor, move: Move) {
  const { change, from, to, path, source, old } = move;
  const now = clock.now();
  const companyId = to.company_id;
  const moveParameters = {
    bucketId: from.id,
    name: source.name,
    sourceChangeId: source.change_id,
    toBucketId: to.id,
    toName: path,
    destinationChangeId: old?.change_id ?? "",
  };
  const event = { ...moveParameters, companyId, now, ...eventActor(user) };
  const [movedId, deletedId] = [uuid(), uuid()];
  const hasMoveEvent = !isMarker(path, source.size);
  const hasDeletionEvent = old !== null && !isMarker(path, old.size);
  const results = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      ...(old === null
        ? {}
        : {
            company: creditReplacedOfCompany({ ...moveParameters, companyId, bytes: old.size }),
            user: creditReplacedOfUser({ ...moveParameters, companyId, userId: old.owner_id, bytes: old.size }),
            blob: dropReplacedBlob({ ...moveParameters, key: old.blob_key, now }),
          }),
      deletion: hasDeletionEvent
        ? addMoveEvent({ ...event, id: deletedId, type: "storage.object.deleted", data: deletionData(to, old) })
        : null,
      event: hasMoveEvent
        ? addMoveEvent({ ...event, id: movedId, type: "storage.object.moved", data: movedData(move) })
        : null,
      moved: moveRow({ ...moveParameters, parent: parentOf(path), change }),
      source: findVersion({ bucketId: from.id, name: source.name }),
      old: findVersion({ bucketId: to.id, name: path }),
    },
    [...(hasDeletionEvent ? [deletedId] : []), ...(hasMoveEvent ? [movedId] : [])].map((id) => ({
      id,
      company_id: companyId,
    })),
  );
  return { source: results.source.first, old: results.old.first };
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
