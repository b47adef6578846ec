import type { Lane } from "../../../schemas/email/lanes";
import { errorName } from "../../kit/log";
import { findDueIds } from "../sender/lane.store";
import { fingerprintPlatform } from "../sender/sender";
import type { EmailServices } from "../services";
import { ringDoorbell } from "./doorbell";

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
  const platformFingerprint = await fingerprintPlatform(services.settings, await services.keys());
  const ids = await findDueIds(services.db, lane, companyId, services.clock.now(), platformFingerprint);
  if (ids.length > 0) await ringDoorbell(services, lane, ids);
}
