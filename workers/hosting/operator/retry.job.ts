import type { Job } from "../../kit/jobs/job";
import { errorName } from "../../kit/log";
import { retryWebhooksJob } from "../../kit/webhooks/consumers/retry.job";
import { enqueueDueImports } from "../archives/import";
import { checkDueDomains } from "../domains/check";
import { sendDueHostnames } from "../domains/registration";
import { sendFailureNotices } from "../notices/failure-notice";
import { sendDueOrigins } from "../origins/origin";
import type { HostingServices } from "../services";
import { enqueueDueVariants } from "../serving/variants";
import { findDueWork } from "./due-work.store";

const job = retryWebhooksJob<HostingServices>();

/** What runs every minute beside the webhooks, because hosting has no job of its own for it. */
const sweeps = {
  steps: (services) => Promise.all([enqueueDueImports(services), enqueueDueVariants(services)]),
  origins: sendDueOrigins,
  domains: checkDueDomains,
  hostnames: sendDueHostnames,
  notices: sendFailureNotices,
} as const satisfies Record<string, (services: HostingServices) => Promise<unknown>>;

/** Looks for work of every kind with one statement, and does what is due. A kind that fails does not stop the others. */
async function sweepDueWork(services: HostingServices): Promise<void> {
  const { platformDb, clock, log } = services;
  const due = await platformDb.first(findDueWork({ now: clock.now() }));
  const names = Object.keys(sweeps) as (keyof typeof sweeps)[];
  await Promise.all(
    names
      .filter((name) => due?.[name])
      .map((name) =>
        sweeps[name](services).catch((error) => log.error("sweep failed", { sweep: name, error: errorName(error) })),
      ),
  );
}

/** Retries webhooks. Beside them it continues work that failed or whose queue message was lost; that work is not in its counts. */
export const retryWebhooks: Job<HostingServices> = {
  ...job,
  run: async (services, run, flags) => {
    const sweeping = sweepDueWork(services).catch((error) =>
      services.log.error("sweep failed", { error: errorName(error) }),
    );
    const counts = await job.run(services, run, flags);
    await sweeping;
    return counts;
  },
};
