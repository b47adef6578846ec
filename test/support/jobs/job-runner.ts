import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { vi } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { type IdentityServices, services } from "../../../workers/identity/services";
import { clock } from "../../../workers/kit/clock";
import { type Counts, everyMinute, type Job, type JobRun } from "../../../workers/kit/jobs/job";
import { type RunRequest, runJob } from "../../../workers/kit/jobs/runs/run";
import { createLog } from "../../../workers/kit/log";
import { isNumbered } from "../db/event-ids";
import { eventsWhere } from "../webhooks/rows";
import { nextTick } from "./jobs";
import { countersOf, runsOf, stateOf } from "./rows";

const bindings = env as unknown as IdentityBindings;

/** Advances the clock. */
export const advance = (ms: number) => {
  const base = clock.now;
  clock.now = () => base() + ms;
};

/** Creates a job for one test. Returns functions that build its services, run it and read its rows. */
export function createJob(
  work: (run: JobRun, services: IdentityServices) => Promise<Counts> = async () => ({ items: 3 }),
  traits: Partial<Job<IdentityServices>> = {},
) {
  const name = `job_${crypto.randomUUID().slice(0, 8)}`;
  const job: Job<IdentityServices> = {
    name,
    schedule: everyMinute,
    overdueAfterSeconds: 180,
    lockSeconds: 120,
    counts: ["items"],
    scheduledFlags: {},
    run: (services, run) => work(run, services),
    summarize: (counts) => `items=${counts.items}`,
    preview: async () => ({ summary: "", counts: {} }),
    ...traits,
  };
  const set = { service: "identity", jobs: [job] };
  const build = (overrides: Partial<IdentityServices> = {}, vars: Partial<IdentityBindings> = {}) => {
    const ctx = createExecutionContext();
    const log = createLog({ service: "identity", request_id: "tick" });
    const jobServices = services(
      { ...bindings, ...vars },
      { requestId: "tick", log, waitUntil: (promise) => ctx.waitUntil(promise) },
    );
    return { ctx, services: { ...jobServices, ...overrides } };
  };
  const start = async (
    request: Partial<RunRequest> = {},
    overrides: Partial<IdentityServices> = {},
    vars: Partial<IdentityBindings> = {},
  ) => {
    const { ctx, services: jobServices } = build(overrides, vars);
    const scheduled = request.trigger === "command" ? {} : { scheduledTime: nextTick() };
    const end = await runJob(jobServices, set, job, {
      trigger: "scheduler",
      flags: {},
      withLock: true,
      ...scheduled,
      ...request,
    });
    await waitOnExecutionContext(ctx);
    return end;
  };
  return {
    name,
    start,
    build,
    stored: () => runsOf(name),
    state: () => stateOf(name),
    counters: () => countersOf(name),
    event: async (id: number | null) => (await eventsWhere(isNumbered(id)))[0],
  };
}

/** Captures the output of a console method. The returned function parses the lines. */
export const linesOf = (method: "log" | "warn" | "error") => {
  const spy = vi.spyOn(console, method).mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
};
