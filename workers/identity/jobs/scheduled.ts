import { uuid } from "../../kit/ids";
import { createLog } from "../../kit/log";
import type { IdentityBindings } from "../bindings";
import { services } from "../services";
import { purgeExpiredData } from "./purge";
import { retryMail } from "./retry-mail";

/** Cron expression to job (details 13). */
const jobs = {
  "* * * * *": { name: "retry_mail", run: retryMail },
  "17 * * * *": { name: "purge_expired_data", run: purgeExpiredData },
} as const;

/** Runs the job of the cron that fired; one summary line. */
export async function runScheduled(
  event: Pick<ScheduledController, "cron">,
  env: IdentityBindings,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<void> {
  const requestId = uuid();
  const log = createLog({ service: "identity", request_id: requestId });
  const job = jobs[event.cron as keyof typeof jobs];
  if (!job) {
    log.error("no job for this cron", { cron: event.cron });
    return;
  }
  const startedAt = Date.now();
  const counts = await job.run(services(env, { requestId, log, waitUntil: (work) => ctx.waitUntil(work) }));
  log.info(job.name, { ...counts, duration_ms: Date.now() - startedAt });
}
