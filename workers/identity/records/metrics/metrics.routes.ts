import { identityErrors } from "../../../../schemas/identity/errors";
import { problemResponses } from "../../../kit/http/openapi/responses";
import type { JobSet } from "../../../kit/jobs/job";
import { exposeMetrics } from "../../../kit/metrics/exposition";
import { expositionResponse } from "../../../kit/metrics/response";
import type { IdentityService } from "../../http";
import type { IdentityServices } from "../../services";
import { readCompanyMetrics, readGlobalMetrics } from "./metrics";
import { companyFamilies, globalFamilies } from "./metrics.present";

const bearer = [{ bearerAuth: [] }];
const errors = ["unauthorized", "token_invalid", "access_pending", "access_denied", "forbidden", "service_unavailable"];
const exposition = expositionResponse(
  "# HELP platform_auth_company_users_total Members of the company.\n" +
    '# TYPE platform_auth_company_users_total gauge\nplatform_auth_company_users_total{company_id="42"} 128\n',
);

/** Mounts the two metrics endpoints, which accept GET only. */
export function mountMetrics(service: IdentityService, jobs: JobSet<IdentityServices>): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/metrics",
      summary: "Get the metrics of the token's company",
      description: "For owners of the company and staff, also with read-only tokens. `company_id` is not allowed.",
      tags: ["Metrics"],
      security: bearer,
      describe: () => ({
        responses: {
          200: exposition,
          ...problemResponses(identityErrors, [...errors, "company_id_not_allowed", "payload_too_large"]),
        },
      }),
    },
    async (c) =>
      exposeMetrics(
        companyFamilies(await readCompanyMetrics(c.get("services"), c.req.raw)),
        c.req.header("accept") ?? null,
      ),
    { hasHead: false },
  );
  service.route(
    {
      method: "get",
      path: "/api/v1/metrics/all",
      summary: "Get the metrics of all companies",
      description: "For staff with a session, and for tokens with `access_global_metrics`.",
      tags: ["Metrics"],
      security: bearer,
      describe: () => ({ responses: { 200: exposition, ...problemResponses(identityErrors, errors) } }),
    },
    async (c) =>
      exposeMetrics(
        globalFamilies(await readGlobalMetrics(c.get("services"), c.req.raw, jobs), jobs),
        c.req.header("accept") ?? null,
      ),
    { hasHead: false },
  );
}
