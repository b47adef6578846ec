import type { MessageRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { errorName } from "../../../kit/log";
import { type CompanyRow, groupByDb } from "../../../kit/outbox/queue-message";
import { deliverNow } from "../../delivery/attempts/delivery";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import type { EmailServices } from "../../services";
import { findStatuses } from "./acceptance.store";

/** Delay of the queue message in the auth lane, so that the attempt right after the response runs first. */
const AUTH_DELAY_SECONDS = 2;

/**
 * Passes accepted messages to delivery. It enqueues their ids, and attempts auth mail right after the response. In
 * synchronous mode, it delivers the messages before the response and returns the new statuses by message id. The sweep finds
 * messages that were not enqueued.
 */
export async function handOver(
  services: EmailServices,
  lane: Lane,
  rows: readonly CompanyRow[],
): Promise<ReadonlyMap<string, MessageRow["status"]>> {
  if (rows.length === 0) return new Map();
  if (services.settings.deliverSync) {
    await deliverNow(services, rows, lane, { sync: true });
    const statuses = [...groupByDb(services, rows)].map(([db, dbRows]) =>
      db.all(findStatuses({ ids: dbRows.map(({ id }) => id) })),
    );
    return new Map((await Promise.all(statuses)).flat().map(({ id, status }) => [`msg_${id}`, status]));
  }
  if (lane === "auth") {
    services.waitUntil(enqueueMessageIds(services, lane, rows, { delaySeconds: AUTH_DELAY_SECONDS }));
    services.waitUntil(
      deliverNow(services, rows, lane).catch((error: unknown) =>
        services.log.warn("attempt after the response failed", { lane, cause: errorName(error) }),
      ),
    );
  } else {
    services.waitUntil(enqueueMessageIds(services, lane, rows));
  }
  return new Map();
}
