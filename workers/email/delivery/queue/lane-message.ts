import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { type CompanyRow, enqueue, idMessageReader } from "../../../kit/outbox/queue-message";
import type { EmailServices } from "../../services";

/** Ids in one queue message, and messages in one call of a queue. */
const LIMITS = { idsPerMessage: 50, messagesPerCall: 100 };

/** The doorbell in a message of a lane queue, or null. */
export const readLaneMessage = idMessageReader(["send", "erase"], /^[0-9a-f]{32}$/, LIMITS.idsPerMessage);

type QueueServices = Pick<EmailServices, "queues" | "log" | "requestId">;

/** Rings for waiting messages, after `delaySeconds`. Never throws: the sweep rings again. */
export function enqueueMessageIds(
  services: QueueServices,
  lane: Lane,
  rows: readonly CompanyRow[],
  { delaySeconds = 0 }: { delaySeconds?: number } = {},
): Promise<void> {
  const logFields = { lane, ids: rows.length };
  return enqueue(services, services.queues[lane], { kind: "send", rows, ...LIMITS, delaySeconds, logFields });
}

/** Rings for the next step of erasures, beside the bulk mail; a lost ring is rung again by the sweep. */
export function enqueueErasures(services: QueueServices, rows: readonly CompanyRow[]): Promise<void> {
  return enqueue(services, services.queues.bulk, {
    kind: "erase",
    rows,
    ...LIMITS,
    logFields: { erasures: rows.length },
  });
}
