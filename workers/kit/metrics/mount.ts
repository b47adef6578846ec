import type { ErrorTable } from "../../../schemas/errors";
import type { Reads } from "../http/call";
import { problemResponses } from "../http/openapi/responses";
import type { Service } from "../http/service";
import { jobFamilies } from "../jobs/api/metrics.present";
import type { JobSet } from "../jobs/job";
import { webhookFamilies } from "../webhooks/metrics.present";
import { exposeMetrics } from "./exposition";
import { expositionResponse } from "./response";
import { readCompanyMetrics, readGlobalMetrics, type ScrapeServices, type ServiceMetrics } from "./scrape";

type ScrapeEnv<S> = { Bindings: object; Variables: { services: S } };

const scrapeErrorCodes = ["unauthorized", "forbidden", "service_unavailable"];

/**
 * Mounts the two metrics endpoints of a service other than identity: `/{service}/v1/metrics` for one company and
 * `…/metrics/all`. Both accept only GET. They contain the metrics of webhooks and of the service; `…/metrics/all` also
 * contains those of jobs.
 */
export function mountScrapes<S extends ScrapeServices, R extends Reads, E extends ScrapeEnv<S>>(
  service: Service<E>,
  { errors, jobs, serviceMetrics }: { errors: ErrorTable; jobs: JobSet<S>; serviceMetrics: ServiceMetrics<R> },
): void {
  const name = jobs.service;
  const runs = `platform_${name}_scheduled_job_runs_total`;
  const exposition = expositionResponse(
    `# HELP ${runs} Finished runs.\n# TYPE ${runs} counter\n${runs}{job="retry_webhooks",status="succeeded"} 1440\n`,
  );
  service.route(
    {
      method: "get",
      path: `/${name}/v1/metrics`,
      summary: "Get the metrics of the token's company",
      description: "For owners of the company and staff, also with read-only tokens. `company_id` is not allowed.",
      tags: ["Metrics"],
      security: [{ bearerAuth: [] }],
      describe: () => ({
        responses: {
          200: exposition,
          ...problemResponses(errors, [
            ...scrapeErrorCodes,
            "company_id_not_allowed",
            "validation_failed",
            "payload_too_large",
          ]),
        },
      }),
    },
    async (c) => {
      const { webhooks, ...scrape } = await readCompanyMetrics(c.get("services"), c.req.raw, serviceMetrics);
      const families = [...webhookFamilies(name, webhooks, scrape), ...scrape.serviceFamilies];
      return exposeMetrics(families, c.req.header("accept") ?? null);
    },
    { hasHead: false },
  );
  service.route(
    {
      method: "get",
      path: `/${name}/v1/metrics/all`,
      summary: "Get the metrics of all companies and of the scheduled jobs",
      description: "For staff, and for tokens with `access_global_metrics`.",
      tags: ["Metrics"],
      security: [{ bearerAuth: [] }],
      describe: () => ({ responses: { 200: exposition, ...problemResponses(errors, scrapeErrorCodes) } }),
    },
    async (c) => {
      const { webhooks, ...scrape } = await readGlobalMetrics<S, R>(c.get("services"), c.req.raw, jobs, serviceMetrics);
      const families = [
        ...jobFamilies(name, jobs, scrape.jobs, scrape),
        ...webhookFamilies(name, webhooks, { now: scrape.now }),
        ...scrape.serviceFamilies,
      ];
      return exposeMetrics(families, c.req.header("accept") ?? null);
    },
    { hasHead: false },
  );
}
