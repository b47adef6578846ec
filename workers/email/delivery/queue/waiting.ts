import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { dbOfScope } from "../../../kit/db/db";
import { errorName } from "../../../kit/log";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import type { EmailServices } from "../../services";
import { fingerprintPlatform } from "../sender/sender";
import { enqueueMessageIds } from "./lane-message";
import { findDueOfCompany, findDueOfLane } from "./waiting.store";

/**
 * Enqueues the messages that a pause held back, after the response is sent. If `companyId` is null, enqueues the messages of
 * all companies. Failures are only logged, because the sweep finds due messages every minute.
 */
export function enqueueWaitingInBackground(
  services: EmailServices,
  lanes: readonly Lane[],
  companyId: number | null,
): void {
  for (const lane of lanes) {
    services.waitUntil(
      enqueueWaiting(services, lane, companyId).catch((error) =>
        services.log.warn("waiting messages were not enqueued", { lane, cause: errorName(error) }),
      ),
    );
  }
}

/** Returns at most 500 due messages of a lane that no pause holds back, ordered by due time. */
export function findDue(services: EmailServices, lane: Lane, platformFingerprint: string): Promise<CompanyRow[]> {
  return services.platformDb.all(findDueOfLane({ lane, now: services.clock.now(), platformFingerprint }));
}

async function enqueueWaiting(services: EmailServices, lane: Lane, companyId: number | null): Promise<void> {
  const { clock, settings } = services;
  const platformFingerprint = await fingerprintPlatform(settings, await services.keys());
  const input = { lane, now: clock.now(), platformFingerprint };
  const find = companyId === null ? findDueOfLane(input) : findDueOfCompany({ ...input, companyId });
  const rows = await dbOfScope(services, companyId).all(find);
  if (rows.length > 0) await enqueueMessageIds(services, lane, rows);
}
