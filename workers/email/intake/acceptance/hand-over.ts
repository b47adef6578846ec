import type { MessageRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { errorName } from "../../../kit/log";
import { type CompanyRow, groupByDb } from "../../../kit/outbox/queue-message";
import { deliverNow } from "../../delivery/attempts/delivery";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import type { EmailServices } from "../../services";
import { findStatuses } from "./acceptance.store";

/** The doorbell of the auth lane is the second chance: it rings after the attempt that follows the answer has begun. */
const SECOND_CHANCE_SECONDS = 2;

/**
 * Hands accepted messages of a company to delivery: rings the doorbells, and attempts auth mail right after the answer; in sync
 * mode delivers now and answers the new statuses by wire id. What fails here is found by the sweep.
 */
export async function handOver(
  services: EmailServices,
  lane: Lane,
  rows: readonly CompanyRow[],
): Promise<ReadonlyMap<string, MessageRow["status"]>> {
  if (rows.length === 0) return new Map();
  if (services.settings.deliverSync) {
    await deliverNow(services, rows, lane, { sync: true });
    const statuses = [...groupByDb(services, rows)].map(([db, own]) =>
      db.all(findStatuses({ ids: own.map(({ id }) => id) })),
    );
    return new Map((await Promise.all(statuses)).flat().map(({ id, status }) => [`msg_${id}`, status]));
  }
  if (lane === "auth") {
    services.waitUntil(enqueueMessageIds(services, lane, rows, { delaySeconds: SECOND_CHANCE_SECONDS }));
    services.waitUntil(
      deliverNow(services, rows, lane).catch((error: unknown) =>
        services.log.warn("attempt after the answer failed", { lane, cause: errorName(error) }),
      ),
    );
  } else {
    services.waitUntil(enqueueMessageIds(services, lane, rows));
  }
  return new Map();
}
