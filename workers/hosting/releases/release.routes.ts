import { deploymentDiffParams } from "../../../schemas/hosting/app";
import { deploymentSchema, diffSchema } from "../../../schemas/hosting/deployment";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { appCall } from "../apps/app-call";
import { findDeployment } from "../deployments/deployment";
import { presentDeployment } from "../deployments/deployment.present";
import { changesDeployment } from "../deployments/deployment-call";
import { diffDeployments } from "../deployments/diff";
import type { HostingService } from "../http";
import { rollBack } from "./release";

const PATH = "/hosting/v1/apps/{app}/deployments";
const tags = ["Deployments"];

/** Mounts the calls that change what is live, and the comparison of deployments: docs/specification/hosting.md#go-live */
export function mountReleases({ call }: HostingService): void {
  const response = jsonResponse(deploymentSchema, "The live deployment");
  call(
    {
      ...changesDeployment,
      method: "post",
      path: `${PATH}/{id}/rollback`,
      tags,
      summary: "Make an earlier deployment live again",
      description: "Needs no upload. A repeated call returns the live deployment.",
      responses: { 200: response },
      errorCodes: [...changesDeployment.errorCodes, "invalid_deployment_status"],
    },
    async ({ c, services, caller, row }) => {
      const { app, deployment } = await rollBack(services, row, caller);
      return c.json(presentDeployment(services.settings, app)(deployment));
    },
  );
  call(
    {
      ...appCall,
      method: "get",
      path: `${PATH}/{a}/diff/{b}`,
      tags,
      summary: "List the files that differ between two deployments",
      params: deploymentDiffParams,
      input: ({ params: { app = "", a = "", b = "" } }) => ({ app, a, b }),
      reads: ({ companyId, input: { app, a, b } }) => ({
        before: findDeployment({ companyId, app, id: a }),
        after: findDeployment({ companyId, app, id: b }),
      }),
      row: ({ results: { before, after } }) =>
        before.first === null || after.first === null ? null : { before: before.first, after: after.first },
      responses: {
        200: jsonResponse(diffSchema, "The files of `b` that `a` lacks or has otherwise, and those that `b` lacks"),
      },
      errorCodes: ["invalid_deployment_status", "hosting_not_configured", "storage_error"],
    },
    async ({ c, services, row: { before, after } }) => c.json(await diffDeployments(services, before, after)),
  );
}
