import { ringErasures } from "../queue/doorbell";
import type { EmailServices } from "../services";
import { maskTold } from "./erasure";
import { continueErasure, findLateErasures } from "./erasure.store";

/** How long an erasure may take before its doorbell counts as lost. */
const LATE_MS = 30_000;

/** The next step of each erasure, and a ring for those that have more (email details 8.3). */
export async function eraseNext(services: EmailServices, ids: readonly string[]): Promise<void> {
  const left: string[] = [];
  for (const id of new Set(ids)) {
    if (await maskTold(services, id, await continueErasure(services.db, id))) left.push(id);
  }
  if (left.length > 0) await ringErasures(services, left);
}

/** Each minute: rings for erasures that are not done. */
export async function ringLateErasures(services: EmailServices): Promise<void> {
  const ids = await findLateErasures(services.db, services.clock.now() - LATE_MS);
  if (ids.length === 0) return;
  await ringErasures(services, ids);
  services.log.info("erasures go on", { rung: ids.length });
}
