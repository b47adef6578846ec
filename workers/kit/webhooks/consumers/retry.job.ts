import { type Counts, everyMinute, type Job, type JobServices } from "../../jobs/job";
import type { WebhooksContext } from "../context";
import { countDueRows } from "../dispatch/dispatch";
import { type FailingRules, notifyOfFailingRules, selectFailing } from "../failing/failing-rule";
import { RETRY_BATCH_SIZE, RETRY_COUNTS, retryWebhooks } from "./retry";

/** The time reserved after the last attempt of a run, for storing the last results. */
const SETTLE_MS = 1000;

const KINDS = ["webhook_deliveries", "email_events"];

/** Returns the scheduled job `retry_webhooks`, which is the same in every service with webhooks. */
export function retryWebhooksJob<S extends JobServices & { webhooks: WebhooksContext }>(): Job<S> {
  return {
    name: "retry_webhooks",
    schedule: everyMinute,
    overdueAfterSeconds: 180,
    lockSeconds: 120,
    counts: RETRY_COUNTS,
    scheduledFlags: { batch_size: RETRY_BATCH_SIZE, max_seconds: 50 },
    run: async ({ webhooks, log, requestId }, run, flags) => {
      const context = { ...webhooks, log, requestId };
      const now = context.clock.now();
      const notifications: Promise<void>[] = [];
      const onResults = (rules: FailingRules) => {
        const notification = notifyOfFailingRules(context, rules, { now, fence: run.fence });
        // The promise is awaited at the end of the run, but the run may fail before that. This handler prevents an
        // unhandled rejection.
        notification.catch(() => {});
        notifications.push(notification);
      };
      // An attempt that starts just before the deadline still gets its full timeout.
      const latest = run.stopAt - webhooks.settings.timeoutMs - SETTLE_MS;
      const counts = await retryWebhooks(context, {
        runId: run.id,
        fence: run.fence,
        runStart: run.startedAt,
        deadline: Math.min(run.startedAt + Number(flags.max_seconds) * 1000, latest),
        batchSize: Number(flags.batch_size),
        ...(flags.concurrency === undefined ? {} : { concurrency: Number(flags.concurrency) }),
        report: run.report,
        failingQuery: { reads: selectFailing(now), onResults },
      });
      await Promise.all(notifications);
      return counts;
    },
    summarize: (counts) => {
      const sum = (ending: string) => sumOf(counts, ending);
      return `processed=${sum("attempted")} delivered=${sum("succeeded")} retried=${sum("failed")} dead=${sum("given_up")}`;
    },
    preview: async ({ platformDb, clock }) => {
      const due = await countDueRows(platformDb, clock.now());
      return { summary: `would process=${due}`, counts: { due } };
    },
  };
}

function sumOf(counts: Counts, ending: string): number {
  return KINDS.reduce((sum, kind) => sum + Number(counts[`${kind}_${ending}`] ?? 0), 0);
}
