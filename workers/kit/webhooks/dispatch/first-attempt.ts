import { errorName } from "../../log";
import { type CompanyRow, enqueue, groupByDb } from "../../outbox/queue-message";
import type { WebhooksContext } from "../context";
import { deliverFirst } from "./dispatch";
import { MAX_IDS } from "./messages";

const LIMITS = { idsPerMessage: MAX_IDS, messagesPerCall: 50 };

/**
 * Enqueues deliveries for their first attempt. An error of the queue is only logged, because a retry run finds the rows
 * 30 s after they were inserted.
 */
export async function enqueueFirstAttempts(context: WebhooksContext, rows: readonly CompanyRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { queues, settings, log, requestId, waitUntil } = context;
  const logFailure = (error: unknown) =>
    log.warn("queue message not sent", { deliveries: rows.length, error: errorName(error) });
  const attemptNow = async () => {
    for (const [db, dbRows] of groupByDb(context, rows)) {
      const requestIds = new Map(dbRows.map(({ id }) => [id, requestId]));
      await deliverFirst(context, db, requestIds).done.catch(logFailure);
    }
  };
  if (settings.isSync) return attemptNow();
  const { first } = queues;
  if (first === null) return waitUntil(attemptNow());
  waitUntil(enqueue(context, first, { kind: "first", rows, ...LIMITS, logFields: { deliveries: rows.length } }));
}
