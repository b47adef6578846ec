import { errorName } from "../../log";
import type { WebhooksContext } from "../context";
import { type Delivered, type DeliveryCounts, deliverDue } from "../dispatch/dispatch";
import type { DrainMessage } from "../dispatch/messages";
import type { FailingQuery } from "../failing/failing-rule";

const OUTCOMES = ["attempted", "succeeded", "failed", "given_up"] as const;

/** The count names of a `retry_webhooks` run, in order. */
export const RETRY_COUNTS = ["webhook_deliveries", "email_events"].flatMap((kind) =>
  OUTCOMES.map((outcome) => `${kind}_${outcome}`),
);

/** The default number of rows in one claim. */
export const RETRY_BATCH_SIZE = 50;

/** A run of the job; times are unix ms. */
export type RetryRun = {
  /** null when the run is not recorded */
  runId: number | null;
  /** null when the run took no lock */
  fence: number | null;
  runStart: number;
  /** no attempt starts after this time, but running attempts may continue for up to their timeout */
  deadline: number;
  batchSize?: number;
  /** `ACTIONS_WEBHOOK_DISPATCH_WORKERS` by default */
  concurrency?: number;
  report?: (counts: Record<string, number>) => void;
  /** statements that run with the first claim */
  failingQuery?: FailingQuery;
};

/**
 * Runs `retry_webhooks`: attempts the deliveries that are due at `runStart`, each at most once. Requests helpers when
 * one claim is not enough. Returns the counts of this invocation; helpers add their own counts to the run. Throws a
 * DatabaseError.
 */
export async function retryWebhooks(context: WebhooksContext, run: RetryRun): Promise<Record<string, number>> {
  const { runId, fence, runStart, deadline, batchSize = RETRY_BATCH_SIZE, report } = run;
  let claims = 0;
  const helperMessages: Promise<void>[] = [];
  const { counts, end } = await deliverDue(context, {
    runId,
    fence,
    runStart,
    deadline,
    batchSize,
    concurrency: run.concurrency ?? context.settings.workers,
    isHelper: false,
    ...(run.failingQuery ? { failingQuery: run.failingQuery } : {}),
    onClaim: (rows) => {
      claims += 1;
      if (claims === 1 && rows >= batchSize) helperMessages.push(enqueueHelpers(context, run, context.settings.fanout));
    },
    onStored: (stored) => report?.(inOrder(stored)),
  });
  await Promise.all(helperMessages);
  context.log.note({ end, ...counts });
  if (end === "budget") await enqueueHelpers(context, run, 1);
  return inOrder(counts);
}

/** Handles a helper message; does nothing after its deadline. */
export async function drain(context: WebhooksContext, message: DrainMessage): Promise<Delivered> {
  const { run_id: runId, fence, run_start: runStart, deadline } = message;
  if (context.clock.now() >= deadline) return { counts: {}, end: "deadline" };
  const run = { runId, fence, runStart, deadline };
  const options = { ...run, batchSize: RETRY_BATCH_SIZE, concurrency: context.settings.workers, isHelper: true };
  const delivered = await deliverDue(context, options);
  if (delivered.end === "budget") await enqueueHelpers(context, run, 1);
  return delivered;
}

/**
 * Sends helper messages. Does nothing when there is no recorded run or no queue. An error of the queue is only logged.
 */
async function enqueueHelpers(
  { queues, clock, log }: WebhooksContext,
  { runId, fence, runStart, deadline }: RetryRun,
  messages: number,
): Promise<void> {
  if (queues.service === null || runId === null || messages === 0 || clock.now() >= deadline) return;
  const body: DrainMessage = { v: 1, kind: "drain", run_id: runId, fence, run_start: runStart, deadline };
  try {
    await queues.service.sendBatch(Array.from({ length: messages }, () => ({ body })));
  } catch (error) {
    log.warn("helper messages were not sent", { run_id: runId, error: errorName(error) });
  }
}

function inOrder(counts: DeliveryCounts): Record<string, number> {
  return Object.fromEntries(RETRY_COUNTS.map((name) => [name, counts[name] ?? 0]));
}
