import { visitSchema } from "../../../schemas/hosting/visit";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { deploymentUrl } from "../apps/address";
import { readsDeployment } from "../deployments/deployment-call";
import type { HostingService } from "../http";
import { Problem } from "../problem";
import { createVisit, VISIT_PATH } from "./visit";

/** Mounts the call with which members open a single deployment: docs/specification/hosting-serving.md#visits */
export function mountVisits({ call }: HostingService): void {
  call(
    {
      ...readsDeployment,
      method: "post",
      path: "/hosting/v1/apps/{app}/deployments/{id}/visit",
      tags: ["Deployments"],
      summary: "Open a deployment at its own address",
      description: "The link works once. The visit lasts one hour.",
      responses: { 200: jsonResponse(visitSchema, "The link") },
      errorCodes: ["hosting_not_configured", "invalid_deployment_status"],
    },
    async ({ c, services, caller, row: { app, deployment } }) => {
      if (!["active", "superseded"].includes(deployment.status)) throw new Problem("invalid_deployment_status");
      const visited = { deployment_id: deployment.id, company_id: deployment.company_id };
      const token = await createVisit(services, visited, caller.userId);
      const url = `${deploymentUrl(services.settings, app, deployment)}${VISIT_PATH}?token=${token}`;
      return c.json({ url });
    },
  );
}
