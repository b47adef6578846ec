import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { type CompanyRow, enqueue, idMessageReader } from "../../../kit/outbox/queue-message";
import type { EmailServices } from "../../services";
import { BULK_SIZE } from "../bulk/pace";

type Limits = { idsPerMessage: number; messagesPerCall: number };

/** Maximum number of ids per queue message, and of queue messages per call. A call has at most 256 KB. */
const LIMITS: Limits = { idsPerMessage: 50, messagesPerCall: 100 };
/** A consumer of bulk mail claims the messages of one company, which wait in one queue message. */
const BULK_LIMITS: Limits = { idsPerMessage: BULK_SIZE, messagesPerCall: 20 };

/** Parses a message of a lane queue or of the queue of erasures, or returns null. */
export const readLaneMessage = idMessageReader(["send", "erase"], /^[0-9a-f]{32}$/, BULK_LIMITS.idsPerMessage);

type QueueServices = Pick<EmailServices, "queues" | "log" | "requestId">;

/** Enqueues the ids of waiting messages with a delay in seconds. Never throws, because the sweep enqueues lost ids again. */
export function enqueueMessageIds(
  services: QueueServices,
  lane: Lane,
  rows: readonly CompanyRow[],
  { delaySeconds = 0 }: { delaySeconds?: number } = {},
): Promise<void> {
  const logFields = { lane, ids: rows.length };
  const limits = lane === "bulk" ? BULK_LIMITS : LIMITS;
  return enqueue(services, services.queues[lane], { kind: "send", rows, ...limits, delaySeconds, logFields });
}

/** Enqueues the next step of erasures. Never throws, because the sweep enqueues lost ids again. */
export function enqueueErasures(services: QueueServices, rows: readonly CompanyRow[]): Promise<void> {
  return enqueue(services, services.queues.erasures, {
    kind: "erase",
    rows,
    ...LIMITS,
    logFields: { erasures: rows.length },
  });
}
