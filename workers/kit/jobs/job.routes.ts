import type { Context } from "hono";
import * as z from "zod";
import type { JobRunRow } from "../../../db/kit/jobs";
import type { ErrorTable } from "../../../schemas/errors";
import {
  jobRunDetailSchema,
  jobRunPageSchema,
  type runDeliveriesSchema,
  scheduledJobsSchema,
} from "../../../schemas/jobs";
import type { Db } from "../db";
import { jsonResponse, problemResponses } from "../http/openapi/responses";
import { readPage, splitPage } from "../http/paging/cursor-page";
import { readLate } from "../http/request/late-query";
import { rowIdOf } from "../http/request/path-id";
import type { Service } from "../http/service";
import type { Log } from "../log";
import { invalid, Problem } from "../problem";
import type { JobServices, JobSet } from "./job";
import { presentJobs, presentRun } from "./job.present";
import { findRun, type OverviewRows, overviewStatements, readBroker, runsStatement } from "./job.store";

/** What a run sent to webhooks and to the email service. */
export type RunDeliveries = z.input<typeof runDeliveriesSchema>;

/** How a service that has Actions reads what a run sent. */
export type DeliveriesOfRun = {
  reads: (db: Db, runId: number | null) => D1PreparedStatement[];
  present: (results: D1Result<unknown>[]) => RunDeliveries;
};

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
 * Mounts the staff API of scheduled jobs (details of Document 3, 3.8). `admit` answers the reads to staff and throws the
 * service's own 401 or 403; `deliveries` is what a run sent, in a service that has Actions.
 */
export function mountScheduledJobs<S extends JobServices, E extends JobsEnv<S>>(
  service: Service<E>,
  set: JobSet<S>,
  options: {
    errors: ErrorTable;
    refusals: string[];
    admit: <T extends unknown[]>(
      c: Context<E>,
      reads: D1PreparedStatement[],
    ) => Promise<{ [K in keyof T]: D1Result<T[K]> }>;
    deliveries?: DeliveriesOfRun;
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
      const services = c.get("services");
      const now = services.clock.now();
      const stored = await options.admit<OverviewRows>(c, overviewStatements(services.db, set, now));
      const [states, counters, newest, recent] = stored;
      const broker = await readBroker(
        services,
        set.jobs.map(({ name }) => name),
      );
      const { schedulerEnabled } = services.settings.jobs;
      const overview = {
        states: states.results,
        counters: counters.results,
        newest: newest.results,
        recent: recent.results,
        broker,
      };
      return c.json(presentJobs(set, overview, { schedulerEnabled, now }));
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
      const { db } = c.get("services");
      const { deliveries } = options;
      const id = rowIdOf(c.req.param("id"));
      const reads = [findRun.bind(db, id), ...(deliveries?.reads(db, id) ?? [])];
      const [found, ...sent] = await options.admit<[JobRunRow, ...unknown[]]>(c, reads);
      const row = found.results[0];
      if (row === undefined) throw new Problem("not_found");
      return c.json({ ...presentRun(row), ...(deliveries?.present(sent) ?? nothingSent) });
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
      const { db } = c.get("services");
      const asked = readLate(() => readRunList(c.req.param("job"), c.req.query()));
      const reads = asked instanceof Problem ? [] : [runsStatement(db, asked.job, asked.status, asked.page)];
      const [found] = await options.admit<[JobRunRow]>(c, reads);
      if (asked instanceof Problem) throw asked;
      const { job, page } = asked;
      const { rows, next_cursor } = splitPage(found.results, page.limit, (row) => [row.started_at, row.id]);
      return c.json({ job, results: rows.map(presentRun), next_cursor });
    },
  );

  function readRunList(name: string | undefined, { status, ...query }: Record<string, string>) {
    const job = set.jobs.find((entry) => entry.name === name);
    if (job === undefined) throw new Problem("not_found");
    if (status !== undefined && !STATUSES.includes(status)) throw invalid({ status: ["invalid"] });
    const position = z.tuple([z.int(), z.int()]);
    const page = readPage(query, position, { defaultLimit: DEFAULT_LIMIT, maxLimit: MAX_LIMIT });
    return { job: job.name, status: status ?? null, page };
  }
}
