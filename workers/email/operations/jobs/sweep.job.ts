import { everyMinute, type Job, SHORT_LOCK } from "../../../kit/jobs/job";
import { enqueueLateListSteps } from "../../audience/newsletters/confirmation-steps";
import { enqueueDueBroadcasts } from "../../audience/recipients/step";
import { loadLibrary } from "../../content/library/load-library";
import { sweepAttachments } from "../../delivery/attachments/attachments";
import { checkComplaints } from "../../delivery/bulk/complaints";
import { applyStoredEvents } from "../../delivery/provider-events/receive";
import type { EmailServices } from "../../services";
import { rollUpCounts } from "../metrics/roll-up";
import { enqueueLateErasures } from "../privacy/erasure";
import { BATCH_SIZE, previewSweep, sweepAuthLane, sweepQueue } from "./sweep";

/**
 * Runs every minute. It sweeps the queue, resumes open erasures and steps of newsletters, starts and continues broadcasts, applies stored provider
 * events, removes unused attachments, rolls up counts, checks complaints about bulk mail and loads a new library version.
 */
export const sweepEmailQueue: Job<EmailServices> = {
  name: "sweep_email_queue",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  ...SHORT_LOCK,
  counts: ["expired", "released", "rung"],
  scheduledFlags: { batch_size: BATCH_SIZE },
  run: async (services, run, flags) => {
    const counts = await sweepQueue(services, run, Number(flags.batch_size));
    await enqueueLateErasures(services);
    await enqueueDueBroadcasts(services);
    await enqueueLateListSteps(services);
    await applyStoredEvents(services, null);
    await sweepAttachments(services, run.stopAt);
    await rollUpCounts(services);
    await checkComplaints(services);
    await loadLibrary(services);
    return counts;
  },
  // The mail with a sign-in link expires after two minutes, so the lock of a crashed run must not delay it.
  runUnlocked: sweepAuthLane,
  summarize: ({ expired, released, rung }) => `expired=${expired} released=${released} rung=${rung}`,
  preview: async (services, flags) => {
    const counts = await previewSweep(services, Number(flags.batch_size));
    const summary = `would expire=${counts.expired} release=${counts.released} ring=${counts.rung}`;
    return { summary, counts };
  },
};
