import type { Context } from "hono";
import * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import {
  jobRunDetailSchema,
  jobRunPageSchema,
  type runDeliveriesSchema,
  scheduledJobsSchema,
} from "../../../schemas/jobs";
import { jsonResponse, problemResponses } from "../http/openapi";
import { readPage, splitPage } from "../http/page";
import { readRowId } from "../http/path-id";
import type { Service } from "../http/service";
import type { Log } from "../log";
import { invalid, Problem } from "../problem";
import { presentJobs, presentRun } from "./present";
import { readBroker, readOverview, readRun, readRuns } from "./read";
import type { JobServices, JobSet } from "./types";

/** What a run sent to webhooks and to the email service. */
export type RunDeliveries = z.input<typeof runDeliveriesSchema>;

const path = "/api/v1/scheduled-jobs";
const STATUSES = ["running", "succeeded", "failed"];
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const nothingSent: RunDeliveries = {
  webhook_delivery_attempts: [],
  webhook_delivery_attempts_truncated: false,
  email_events: [],
  email_events_truncated: false,
};

type JobsEnv<S> = { Bindings: object; Variables: { services: S; log: Log; requestId: string } };

/**
 * Mounts the staff API of scheduled jobs (details of Document 3, 3.8). `authorize` lets staff through and throws the
 * service's own 401 or 403; `deliveries` reads what a run sent, in a service that has Actions.
 */
export function mountScheduledJobs<S extends JobServices, E extends JobsEnv<S>>(
  service: Service<E>,
  set: JobSet<S>,
  options: {
    errors: ErrorTable;
    refusals: string[];
    authorize: (c: Context<E>) => Promise<void>;
    deliveries?: (services: S, runId: number) => Promise<RunDeliveries>;
  },
): void {
  const problems = (...more: string[]) =>
    problemResponses(options.errors, [...options.refusals, "forbidden", ...more, "service_unavailable"]);
  const common = { method: "get" as const, tags: ["Scheduled jobs"], security: [{ bearerAuth: [] }] };

  service.route(
    {
      ...common,
      path,
      summary: "The jobs with their health, and the state of the scheduler",
      responses: { 200: jsonResponse(scheduledJobsSchema, "Jobs in their fixed order"), ...problems() },
    },
    async (c) => {
      await options.authorize(c);
      const services = c.get("services");
      const now = services.clock.now();
      const names = set.jobs.map(({ name }) => name);
      const [stored, broker] = await Promise.all([readOverview(services.db, set, now), readBroker(services, names)]);
      const { schedulerEnabled } = services.settings.jobs;
      return c.json(presentJobs(set, { ...stored, broker }, { schedulerEnabled, now }));
    },
  );

  service.route(
    {
      ...common,
      path: `${path}/runs/{id}`,
      summary: "One run, and what it sent",
      request: { params: z.object({ id: z.string() }) },
      responses: { 200: jsonResponse(jobRunDetailSchema, "The run"), ...problems("not_found") },
    },
    async (c) => {
      await options.authorize(c);
      const services = c.get("services");
      const row = await readRun(services.db, readRowId(c.req.param("id")));
      if (row === null) throw new Problem("not_found");
      const sent = (await options.deliveries?.(services, row.id)) ?? nothingSent;
      return c.json({ ...presentRun(row), ...sent });
    },
  );

  service.route(
    {
      ...common,
      path: `${path}/{job}/runs`,
      summary: "Runs of a job, newest first",
      request: {
        params: z.object({ job: z.string() }),
        query: z.object({
          limit: z.string().optional(),
          status: z.string().optional(),
          cursor: z.string().optional(),
        }),
      },
      responses: { 200: jsonResponse(jobRunPageSchema, "A page"), ...problems("validation_failed", "not_found") },
    },
    async (c) => {
      await options.authorize(c);
      const job = set.jobs.find(({ name }) => name === c.req.param("job"));
      if (job === undefined) throw new Problem("not_found");
      const { status, ...query } = c.req.query();
      if (status !== undefined && !STATUSES.includes(status)) throw invalid({ status: ["invalid"] });
      const position = z.tuple([z.int(), z.int()]);
      const page = readPage(query, position, { defaultLimit: DEFAULT_LIMIT, maxLimit: MAX_LIMIT });
      const rows = await readRuns(c.get("services").db, job.name, status ?? null, page);
      const { rows: found, next_cursor } = splitPage(rows, page.limit, (row) => [row.started_at, row.id]);
      return c.json({ job: job.name, results: found.map(presentRun), next_cursor });
    },
  );
}
