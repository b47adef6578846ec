import { eq } from "drizzle-orm";
import { hosting_cleanups } from "../../../db/hosting/schema";
import type { HostingBindings } from "../../../workers/hosting/bindings";
import { runCleanUp } from "../../../workers/hosting/clean-up/clean-up";
import { type HostingServices, services } from "../../../workers/hosting/services";
import type { StepMessage } from "../../../workers/hosting/step-message";
import { clock } from "../../../workers/kit/clock";
import { createLog } from "../../../workers/kit/log";
import { readRows } from "../webhooks/rows";
import { testEnv } from "./hosting";

/** Returns services whose queue only records the requested steps, with bindings that `changes` replace. */
export function createServices(changes: Partial<HostingBindings> = {}) {
  const requested: StepMessage[] = [];
  const built = services(
    { ...testEnv, ...changes },
    { requestId: "test", log: createLog({ service: "hosting", request_id: "test" }), waitUntil: () => undefined },
  );
  const steps = {
    sendBatch: async (messages: Iterable<MessageSendRequest<StepMessage>>) => {
      requested.push(...[...messages].map(({ body }) => body));
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  } as unknown as HostingServices["steps"];
  return { services: { ...built, steps } satisfies HostingServices, requested };
}

/** Returns the requested clean-up of a company, or undefined. */
export const findCleanup = async (companyId: number) =>
  (await readRows(hosting_cleanups, eq(hosting_cleanups.company_id, companyId)))[0];

/** Runs the steps of a company's clean-up until its end. Returns their number. */
export async function runCleanUps(companyId: number, built = createServices().services): Promise<number> {
  for (let steps = 0; ; steps++) if (!(await runCleanUp(built, companyId))) return steps;
}

/** Sets the clock to `at` (unix ms). Restore it with restoreClock. */
export function setClock(at: number): void {
  clock.now = () => at;
}
