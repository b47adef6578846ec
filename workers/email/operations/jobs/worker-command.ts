import { LANES, type Lane, laneSchema } from "../../../../schemas/email/delivery/lanes";
import { managementCommands } from "../../../../schemas/management";
import type { FlagValues } from "../../../kit/management/flags";
import type { ManagementCommand } from "../../../kit/management/mount";
import { chunk } from "../../../kit/outbox/queue-message";
import { invalid } from "../../../kit/problem";
import { SECOND_MS } from "../../../kit/time";
import { deliverNow } from "../../delivery/attempts/delivery";
import { findDue } from "../../delivery/queue/waiting";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";

/** Number of messages per part. The time limit is checked between parts. */
const PART_SIZE = 50;

const runWorker: ManagementCommand<EmailServices>["run"] = async (services, flags, { report }) => {
  const { clock, settings } = services;
  const platformFingerprint = await fingerprintPlatform(settings, await services.keys());
  const stopAt = clock.now() + Number(flags.max_seconds) * SECOND_MS;
  const counts = { sent: 0, retried: 0, failed: 0 };
  const isOver = () => clock.now() >= stopAt;
  for (let hasMore = true; hasMore && !isOver(); ) {
    hasMore = false;
    for (const lane of readLanes(flags)) {
      const due = await findDue(services, lane, platformFingerprint);
      for (const part of chunk(due, PART_SIZE)) {
        if (isOver()) break;
        const outcomes = await deliverNow(services, part, lane);
        const settled = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
        const { sent = 0, retrying = 0 } = outcomes;
        counts.sent += sent;
        counts.retried += retrying;
        counts.failed += settled - sent - retrying;
        // When nothing was settled, another consumer holds the leases.
        hasMore ||= settled > 0 && flags.once !== true;
        report(counts);
      }
    }
  }
  const { sent, retried, failed } = counts;
  return { summary: `sent=${sent} retried=${retried} failed=${failed}`, counts, runId: null };
};

/** Returns the lane in the flag, or all lanes when the flag is missing. Throws 400 `flags.lane: [invalid]`. */
function readLanes({ lane }: FlagValues): readonly Lane[] {
  if (lane === undefined) return LANES;
  const parsed = laneSchema.safeParse(lane);
  if (!parsed.success) throw invalid({ "flags.lane": ["invalid"] });
  return [parsed.data];
}

/** The command that sends due messages within its request instead of in a queue consumer. */
export const workerCommands: ManagementCommand<EmailServices>[] = managementCommands.email.flatMap((spec) =>
  spec.name === "run_email_worker" ? [{ spec, check: readLanes, run: runWorker }] : [],
);
