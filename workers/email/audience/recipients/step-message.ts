import { type CompanyRow, enqueue, idMessageReader } from "../../../kit/outbox/queue-message";
import type { EmailServices } from "../../services";

/** Maximum number of ids per queue message, and of queue messages per call. Each step gets an invocation of its own. */
const LIMITS = { idsPerMessage: 1, messagesPerCall: 100 };

/** A longer delay is left to the sweep, which runs every minute. */
const MAX_DELAY_SECONDS = 600;

/** Parses a message of the queue `email-service` that requests the next step of a broadcast, or returns null. */
export const readStepMessage = idMessageReader(["broadcast"], /^[1-9]\d{0,15}$/, LIMITS.idsPerMessage);

/** A broadcast whose next step is due. */
export type StepRow = { id: number; company_id: number };

/**
 * Requests the next step of broadcasts, after a delay of at most 600 seconds. Never throws, because the sweep requests lost
 * steps again.
 */
export async function enqueueBroadcastSteps(
  services: Pick<EmailServices, "steps" | "log" | "requestId">,
  rows: readonly StepRow[],
  { delaySeconds = 0 }: { delaySeconds?: number } = {},
): Promise<void> {
  if (services.steps === null || rows.length === 0 || delaySeconds > MAX_DELAY_SECONDS) return;
  const stepRows = rows.map(({ id, company_id }): CompanyRow => ({ id: String(id), company_id }));
  const logFields = { broadcasts: rows.length };
  await enqueue(services, services.steps, { kind: "broadcast", rows: stepRows, ...LIMITS, delaySeconds, logFields });
}
