import type { Job } from "../../kit/jobs/job";
import { errorName } from "../../kit/log";
import { retryWebhooksJob } from "../../kit/webhooks/consumers/retry.job";
import { enqueueDueImports } from "../archives/import";
import type { HostingServices } from "../services";

const job = retryWebhooksJob<HostingServices>();

/** What runs every minute beside the webhooks, because hosting has no job of its own for it. */
const sweeps: readonly ((services: HostingServices) => Promise<unknown>)[] = [enqueueDueImports];

/** Retries webhooks. Beside them it requests work whose queue message was lost; that work is not in its counts. */
export const retryWebhooks: Job<HostingServices> = {
  ...job,
  run: async (services, run, flags) => {
    const sweeping = sweeps.map((sweep) =>
      sweep(services).catch((error) => services.log.error("sweep failed", { error: errorName(error) })),
    );
    const counts = await job.run(services, run, flags);
    await Promise.all(sweeping);
    return counts;
  },
};
