import { hostingErrors } from "../../../schemas/hosting/errors";
import { problemResponses } from "../../kit/http/openapi/responses";
import { exposeMetrics } from "../../kit/metrics/exposition";
import { expositionResponse } from "../../kit/metrics/response";
import type { HostingService } from "../http";
import { readCompanyMetrics, readGlobalMetrics } from "./metrics";
import { companyFamilies, globalFamilies } from "./metrics.present";

const errors = ["unauthorized", "forbidden", "service_unavailable"];
const exposition = expositionResponse(
  "# HELP platform_hosting_scheduled_job_runs_total Finished runs.\n" +
    "# TYPE platform_hosting_scheduled_job_runs_total counter\n" +
    'platform_hosting_scheduled_job_runs_total{job="retry_webhooks",status="succeeded"} 1440\n',
);

/** Mounts the two scrapes; they are GET alone. */
export function mountMetrics(service: HostingService): void {
  service.route(
    {
      method: "get",
      path: "/hosting/v1/metrics",
      summary: "Metrics of the token's company",
      description: "For its owners and staff, a read-only token of them included. `company_id` may not be named.",
      tags: ["Metrics"],
      security: [{ bearerAuth: [] }],
      describe: () => ({
        responses: {
          200: exposition,
          ...problemResponses(hostingErrors, [
            ...errors,
            "company_id_not_allowed",
            "validation_failed",
            "payload_too_large",
          ]),
        },
      }),
    },
    async (c) => {
      const figures = await readCompanyMetrics(c.get("services"), c.req.raw);
      return exposeMetrics(companyFamilies(figures), c.req.header("accept") ?? null);
    },
    { hasHead: false },
  );
  service.route(
    {
      method: "get",
      path: "/hosting/v1/metrics/all",
      summary: "Metrics over all companies, and of the scheduled jobs",
      description: "For staff, and for tokens made with `access_global_metrics`.",
      tags: ["Metrics"],
      security: [{ bearerAuth: [] }],
      describe: () => ({ responses: { 200: exposition, ...problemResponses(hostingErrors, errors) } }),
    },
    async (c) => {
      const figures = await readGlobalMetrics(c.get("services"), c.req.raw);
      return exposeMetrics(globalFamilies(figures), c.req.header("accept") ?? null);
    },
    { hasHead: false },
  );
}
