import type { EmailServices } from "../services";
import { ringLateErasures } from "./erase";
import { purgeExpiredData } from "./purge";
import { sweepQueue } from "./sweep";

/** The crons of wrangler.toml and their jobs (email details 13). */
const JOBS: Readonly<Record<string, (services: EmailServices) => Promise<void>>> = {
  "* * * * *": async (services) => {
    await sweepQueue(services);
    await ringLateErasures(services);
  },
  "17 * * * *": purgeExpiredData,
};

/** Runs the job of a cron expression. Throws when it fails, so that the platform records the failed run. */
export async function runScheduled(services: EmailServices, cron: string): Promise<void> {
  const job = JOBS[cron];
  if (job === undefined) {
    services.log.error("unknown cron", { cron });
    return;
  }
  await job(services);
}
