import type { Job, Schedule } from "../../../kit/jobs/job";
import { MINUTE_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { JOB } from "./alert.store";
import { sendNotices } from "./notice";
import { checkServices, type OwnReport, storeCheck } from "./watch";

const INTERVAL_MS = 5 * MINUTE_MS;

/** Every five minutes. */
const everyFiveMinutes: Schedule = {
  cron: "*/5 * * * *",
  intervalSeconds: 300,
  nextAfter: (base) => (Math.floor(base / INTERVAL_MS) + 1) * INTERVAL_MS,
};

/**
 * Returns the job that checks the overview and the jobs of all services, and reports once when a condition starts and once when it
 * ends. `ownReport` reads the report of email.
 */
export const watchJob = (ownReport: OwnReport): Job<EmailServices> => ({
  name: JOB,
  schedule: everyFiveMinutes,
  overdueAfterSeconds: 900,
  lockSeconds: 120,
  counts: ["fired", "resolved", "mails", "posts"],
  scheduledFlags: {},
  run: async (services, run) => {
    const changes = await storeCheck(services, run, ownReport);
    return { ...changes, ...(await sendNotices(services, run)) };
  },
  summarize: ({ fired, resolved, mails, posts }) => `fired=${fired} resolved=${resolved} mails=${mails} posts=${posts}`,
  preview: async (services) => {
    const { conditions } = await checkServices(services, ownReport);
    const list = conditions.map(({ id, count }) => (count === null ? id : `${id}=${count}`));
    return { summary: ["found", ...list].join(" "), counts: { found: list.length } };
  },
});
