import * as z from "zod";
import { jobRunDetailSchema, jobRunPageSchema, scheduledJobsSchema } from "../../../../schemas/jobs";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { rowIdPath } from "../../../../schemas/query";
import type { BatchResults } from "../../db/db";
import type { Reads } from "../../http/call";
import { jsonResponse } from "../../http/openapi/responses";
import { readPage } from "../../http/paging/page";
import { splitScan } from "../../http/paging/scan";
import { rowIdOf } from "../../http/request/path-id";
import { invalid, Problem } from "../../problem";
import type { JobServices, JobSet } from "../job";
import { readBroker } from "../lock/broker";
import type { DeliveriesOfRun, JobCall, JobsEnv } from "./api";
import { presentJobs, presentRun } from "./job.present";
import { selectOverview, selectRun, selectRuns, toOverview } from "./overview";

const path = "/api/v1/scheduled-jobs";
const STATUSES = ["running", "succeeded", "failed"] as const;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const position = lazySchema(() => z.tuple([z.int(), z.int()]));

/** Mounts the staff API of scheduled jobs. */
export function mountJobRuns<S extends JobServices, E extends JobsEnv<S>, Caller, R extends Reads>(
  call: JobCall<S, E, Caller>,
  set: JobSet<S>,
  deliveries: DeliveriesOfRun<R>,
): void {
  const common = { method: "get", tags: ["Scheduled jobs"], role: "staff" } as const;

  call(
    {
      ...common,
      path,
      summary: "List the jobs with their health, and the state of the scheduler",
      input: ({ services }) => ({ now: services.clock.now() }),
      reads: ({ input }) => selectOverview(set, input.now),
      responses: { 200: jsonResponse(scheduledJobsSchema, "Jobs in their fixed order") },
    },
    async ({ c, services, input: { now }, results }) => {
      const names = set.jobs.map(({ name }) => name);
      const broker = await readBroker(services, names);
      const { schedulerEnabled } = services.settings.jobs;
      const overview = { ...toOverview(results), broker };
      return c.json(presentJobs(set, overview, { schedulerEnabled, now }));
    },
  );

  call(
    {
      ...common,
      path: `${path}/runs/{id}`,
      summary: "Get a run and what it sent",
      params: rowIdPath,
      input: ({ params }) => rowIdOf(params.id),
      reads: ({ input }) => ({ ...deliveries.reads(input), run: selectRun(input) }),
      row: ({ results }) => (results as BatchResults<{ run: ReturnType<typeof selectRun> }>).run.first,
      responses: { 200: jsonResponse(jobRunDetailSchema, "The run") },
    },
    ({ c, row, results }) => c.json({ ...presentRun(row), ...deliveries.present(results) }),
  );

  call(
    {
      ...common,
      path: `${path}/{job}/runs`,
      summary: "List the runs of a job, newest first",
      params: lazySchema(() => z.object({ job: z.enum(set.jobs.map(({ name }) => name)) })),
      query: lazySchema(() =>
        z.object({
          limit: z.string().optional().meta({ maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
          status: z.enum(STATUSES).optional(),
          cursor: z.string().optional(),
        }),
      ),
      input: ({ params, query }) => readRunList(params.job, query),
      reads: ({ input }) => ({ runs: selectRuns(input.job, input.status, input.page) }),
      responses: { 200: jsonResponse(jobRunPageSchema, "A page") },
      errorCodes: ["validation_failed", "not_found"],
    },
    ({ c, input: { job, page }, results }) => {
      const { rows, next_cursor } = splitScan(results.runs.rows, page, (row) => [row.started_at, row.id]);
      return c.json({ job, results: rows.map(presentRun), next_cursor });
    },
  );

  function readRunList(name: string | undefined, { status: requestedStatus, ...query }: Record<string, string>) {
    const job = set.jobs.find((entry) => entry.name === name);
    if (job === undefined) throw new Problem("not_found");
    const status = STATUSES.find((entry) => entry === requestedStatus) ?? null;
    if (requestedStatus !== undefined && status === null) throw invalid({ status: ["invalid"] });
    const page = readPage(query, position, { defaultLimit: DEFAULT_LIMIT, maxLimit: MAX_LIMIT });
    return { job: job.name, status, page };
  }
}
