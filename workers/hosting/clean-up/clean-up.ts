import { uuid } from "../../kit/ids";
import { DAY_MS, HOUR_MS } from "../../kit/time";
import { removeApp } from "../apps/app";
import type { HostingServices } from "../services";
import { enqueueSteps } from "../step-message";
import { removeBlobs, UNUSED_MS } from "./blobs";
import {
  claimStep,
  deleteAbandoned,
  endCleanup,
  findDueCleanups,
  hasUnfinished,
  listExpiredPreviews,
  moveOn,
  PHASES,
  type Position,
  releaseStep,
  repeatCleanup,
  requestPreviewCleanups,
} from "./clean-up.store";
import { removeObjects } from "./objects";

/** A preview is removed this long after it expired, a deployment that nobody finalized this long after its last change. */
const EXPIRED_MS = DAY_MS;
const PREVIEWS_PER_STEP = 20;
/** The author of the deletions, for events and audit entries. */
const cleaner = { kind: "service", userId: null, email: null } as const;
/** What a clean-up left is unused a day later. The hour covers requests that were running. */
const REPEAT_MS = UNUSED_MS + HOUR_MS;

/** What a part of a clean-up did: where it continues, or null at its end, and whether something may be unused later. */
type Part = { after: string | null; isRepeated: boolean };

/**
 * Runs the next step of the clean-up of a company and requests the one after it. Returns false when no step is due, or another
 * consumer runs it. A step may end at any point and be repeated.
 */
export async function runCleanUp(services: HostingServices, companyId: number): Promise<boolean> {
  const db = services.dbOf(companyId);
  const token = uuid();
  const position = await claimStep(db, { companyId, token, now: services.clock.now() });
  if (position === null) return false;
  try {
    const part = await runPart(services, companyId, position);
    await storeResult(services, companyId, { position, part, token });
  } catch (error) {
    await db.run(releaseStep({ companyId, token }));
    throw error;
  }
  return true;
}

async function runPart(services: HostingServices, companyId: number, position: Position): Promise<Part> {
  const { phase, after } = position;
  if (phase === "rows") return removeRows(services, companyId);
  if (phase === "blobs") return removeBlobs(services, companyId, after);
  return removeObjects(services, companyId, phase, after);
}

/** Deletes expired previews and abandoned deployments. Their files are removed by the parts that follow. */
async function removeRows(services: HostingServices, companyId: number): Promise<Part> {
  const cutoff = services.clock.now() - EXPIRED_MS;
  const { previews, unfinished } = await services.dbOf(companyId).batch({
    previews: listExpiredPreviews({ companyId, cutoff, limit: PREVIEWS_PER_STEP }),
    abandoned: deleteAbandoned({ companyId, cutoff }),
    unfinished: hasUnfinished({ companyId }),
  });
  for (const preview of previews.rows) await removeApp(services, cleaner, preview);
  const isLast = previews.rows.length < PREVIEWS_PER_STEP;
  return { after: isLast ? null : "previews", isRepeated: unfinished.first?.is_unfinished ?? false };
}

async function storeResult(
  services: HostingServices,
  companyId: number,
  { position, part, token }: { position: Position; part: Part; token: string },
): Promise<void> {
  const { clock, log } = services;
  const db = services.dbOf(companyId);
  const { started, phase } = position;
  const isRepeated = position.isRepeated || part.isRepeated;
  const nextPhase = part.after === null ? PHASES[PHASES.indexOf(phase) + 1] : phase;
  log.info("clean-up step", { company_id: companyId, phase, is_last: nextPhase === undefined });
  if (nextPhase !== undefined) {
    const next: Position = { started, phase: nextPhase, after: part.after ?? "", isRepeated };
    await db.run(moveOn({ companyId, token, position: JSON.stringify(next) }));
    await enqueueSteps(services, "clean_up", [{ id: String(companyId), company_id: companyId }]);
    return;
  }
  // A change during this clean-up has moved its due time, so the clean-up is not ended and a repetition follows.
  const ending = isRepeated ? null : endCleanup({ companyId, token, started });
  const now = clock.now();
  const repetition = repeatCleanup({ companyId, token, started, repeatAt: now + REPEAT_MS, soon: now + HOUR_MS });
  await db.batch({ ending, repetition });
}

/**
 * Requests the clean-ups that are due, and those of companies with previews that expired a day ago. Each purge run calls it. Returns the
 * number of requested clean-ups.
 */
export async function requestDueCleanUps(services: HostingServices): Promise<number> {
  const { clock, platformDb } = services;
  const now = clock.now();
  const { due } = await platformDb.batch({
    previews: requestPreviewCleanups({ cutoff: now - EXPIRED_MS, now }),
    due: findDueCleanups({ now }),
  });
  const rows = due.rows.map(({ company_id }) => ({ id: String(company_id), company_id }));
  await enqueueSteps(services, "clean_up", rows);
  return rows.length;
}
