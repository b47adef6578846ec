import * as z from "zod";
import { emailErrors } from "../../../../schemas/email/errors";
import { problemResponses } from "../../../kit/http/openapi/responses";
import type { JobSet } from "../../../kit/jobs/job";
import { exposeMetrics } from "../../../kit/metrics/exposition";
import { expositionResponse } from "../../../kit/metrics/response";
import type { EmailService } from "../../http";
import type { EmailServices } from "../../services";
import { readCompanyMetrics, readGlobalMetrics, requireMetricsScope } from "./metrics";
import { companyFamilies, globalFamilies } from "./metrics.present";

const exposition = expositionResponse(
  "# HELP platform_email_queue_depth Messages that wait to be sent.\n" +
    '# TYPE platform_email_queue_depth gauge\nplatform_email_queue_depth{lane="auth"} 0\n',
);

/** `GET /api/v1/metrics`: the Prometheus metrics. HEAD is not supported. */
export function mountMetrics(service: EmailService, jobs: JobSet<EmailServices>): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/metrics",
      summary: "Get the metrics of all companies, or of one",
      description: "Staff and tokens with `access_global_metrics` get all companies; an owner gets their own company.",
      tags: ["Metrics"],
      security: [{ bearerAuth: [] }],
      describe: () => ({
        request: { query: z.object({ company_id: z.string().optional() }) },
        responses: {
          200: exposition,
          ...problemResponses(emailErrors, [
            "unauthorized",
            "forbidden",
            "company_mismatch",
            "validation_failed",
            "service_unavailable",
          ]),
        },
      }),
    },
    async (c) => {
      const services = c.get("services");
      const companyId = await requireMetricsScope(services, c.req.raw);
      const families =
        companyId === null
          ? globalFamilies(await readGlobalMetrics(services, jobs), jobs)
          : companyFamilies({ ...(await readCompanyMetrics(services, companyId)), companyId });
      return exposeMetrics(families, c.req.header("accept") ?? null);
    },
    { hasHead: false },
  );
}
