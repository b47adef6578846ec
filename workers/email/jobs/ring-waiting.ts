import type { Lane } from "../../../schemas/email/lanes";
import { errorName } from "../../kit/log";
import type { EmailServices } from "../services";
import { findDueIds } from "../store/lane-admin";

const IDS_PER_DOORBELL = 50;

/**
 * Rings the messages that waited for the end of a pause, after the answer (email details 5.5). A ring that fails is
 * logged only: the sweep finds due messages each minute.
 */
export function ringWaitingLater(services: EmailServices, lanes: readonly Lane[], companyId: number | null): void {
  for (const lane of lanes) {
    services.waitUntil(
      ringWaiting(services, lane, companyId).catch((error) =>
        services.log.warn("waiting messages were not rung", { lane, cause: errorName(error) }),
      ),
    );
  }
}

async function ringWaiting(services: EmailServices, lane: Lane, companyId: number | null): Promise<void> {
  const ids = await findDueIds(services.db, lane, companyId, services.clock.now());
  const doorbells = [];
  for (let start = 0; start < ids.length; start += IDS_PER_DOORBELL) {
    const part = ids.slice(start, start + IDS_PER_DOORBELL);
    doorbells.push({ body: { v: 1 as const, kind: "send" as const, ids: part, request_id: services.requestId } });
  }
  if (doorbells.length > 0) await services.queues[lane].sendBatch(doorbells);
}
