import { uuid } from "../../kit/ids";
import { HOUR_MS, SECOND_MS } from "../../kit/time";
import { artifactPrefix, manifestPrefix } from "../files/keys";
import type { HostingServices } from "../services";
import { findStates, leaseFailed, releaseFailed } from "./objects.store";

/** R2 lists and deletes at most 1,000 keys in one call. */
export const KEYS_PER_STEP = 1000;
/** A younger object without a deployment may belong to a request whose rows are not stored yet. */
const YOUNG_MS = HOUR_MS;
const LEASE_MS = 60 * SECOND_MS;
const UUID_LENGTH = 36;

/** The objects of deployments that a step checks: manifests with the lists of their variants, or uploaded archives. */
export type ObjectKind = "manifests" | "artifacts";

/** `after`: the last key of the page, or null at the end. `isRepeated`: some objects may be unused later. */
type Result = { after: string | null; isRepeated: boolean };

/** The states in which a deployment needs its object. A failed deployment needs none, but it can receive another archive. */
const NEEDED: Readonly<Record<ObjectKind, ReadonlySet<string>>> = {
  manifests: new Set(["draft", "uploading", "ready", "extracting", "active", "superseded"]),
  artifacts: new Set(["draft", "uploading", "ready", "extracting"]),
};

/**
 * Removes a page of objects whose deployment is deleted, has failed, or has imported its archive. May end at any point and be
 * repeated.
 */
export async function removeObjects(
  services: HostingServices,
  companyId: number,
  kind: ObjectKind,
  after: string,
): Promise<Result> {
  const { clock, files } = services;
  const db = services.dbOf(companyId);
  const prefix = kind === "manifests" ? manifestPrefix(companyId) : artifactPrefix(companyId);
  const listed = await files.list({ prefix, limit: KEYS_PER_STEP, ...(after === "" ? {} : { startAfter: after }) });
  const idOf = (key: string) => key.slice(prefix.length, prefix.length + UUID_LENGTH);
  const ids = [...new Set(listed.objects.map(({ key }) => idOf(key)))];
  const next = listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null;
  if (ids.length === 0) return { after: next, isRepeated: false };
  const now = clock.now();
  const rows = await db.all(findStates({ companyId, ids }));
  const states = new Map(rows.map(({ id, status }) => [id, status]));
  const failed = rows.flatMap(({ id, status }) => (status === "failed" ? id : []));
  const token = uuid();
  const lease = { companyId, ids: failed, token, now, until: now + LEASE_MS };
  const leased = new Set(failed.length === 0 ? [] : (await db.all(leaseFailed(lease))).map(({ id }) => id));
  const isUnused = ({ key, uploaded }: R2Object): boolean => {
    const id = idOf(key);
    const state = states.get(id);
    if (state === undefined) return uploaded.getTime() < now - YOUNG_MS;
    return state === "failed" ? leased.has(id) : !NEEDED[kind].has(state);
  };
  const unused = listed.objects.filter(isUnused).map(({ key }) => key);
  if (unused.length > 0) await files.delete(unused);
  if (leased.size > 0) await db.run(releaseFailed({ ids: [...leased], token }));
  const isLeft = listed.objects.some(
    (object) => !isUnused(object) && !NEEDED[kind].has(states.get(idOf(object.key)) ?? "failed"),
  );
  return { after: next, isRepeated: isLeft };
}
