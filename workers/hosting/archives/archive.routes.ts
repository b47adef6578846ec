import * as z from "zod";
import { deploymentSchema } from "../../../schemas/hosting/deployment";
import { lazySchema } from "../../../schemas/lazy-schema";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { invalid } from "../../kit/problem";
import { SECOND_MS } from "../../kit/time";
import { limitBy } from "../access/limit";
import { presentDeployment } from "../deployments/deployment.present";
import { changesDeployment } from "../deployments/deployment-call";
import type { HostingService } from "../http";
import { finalizeDeployment } from "./finalize";
import { uploadArchive } from "./upload";

const PATH = "/hosting/v1/apps/{app}/deployments/{id}";
const tags = ["Deployments"];
const MAX_WAIT_SECONDS = 25;
const waitQuery = lazySchema(() =>
  z.object({
    wait: z
      .string()
      .optional()
      .describe("seconds")
      .meta({ type: "integer", minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 }),
  }),
);

/** Returns how long the request waits for an import, in ms. Throws 400 `wait: [invalid]` or `[out_of_range]`. */
function readWait(text = "0"): number {
  if (!/^\d{1,9}$/.test(text)) throw invalid({ wait: ["invalid"] });
  if (Number(text) > MAX_WAIT_SECONDS) throw invalid({ wait: ["out_of_range"] });
  return Number(text) * SECOND_MS;
}

/** Mounts the upload of archives and the call that makes a deployment live: docs/specification/hosting.md#deploy-an-archive */
export function mountArchives({ call }: HostingService): void {
  call(
    {
      ...changesDeployment,
      method: "put",
      path: `${PATH}/upload`,
      tags,
      summary: "Upload the files of a deployment as an archive",
      description:
        "A gzip tar archive, as the body or as the file of a form. Only for a deployment without a manifest. A failed deployment can " +
        "receive another archive.",
      limit: limitBy("upload"),
      file: { types: ["application/gzip", "application/octet-stream", "multipart/form-data"] },
      responses: { 200: jsonResponse(deploymentSchema, "The deployment, which can be finalized") },
      errorCodes: [
        ...changesDeployment.errorCodes,
        "invalid_deployment_status",
        "incomplete_body",
        "upload_too_large",
        "storage_error",
      ],
    },
    async ({ c, services, caller, request, row: { app, deployment } }) => {
      const uploaded = await uploadArchive(services, request, deployment, caller);
      return c.json(presentDeployment(services.settings, app)(uploaded));
    },
  );
  call(
    {
      ...changesDeployment,
      method: "post",
      path: `${PATH}/finalize`,
      tags,
      summary: "Make a deployment live",
      description:
        "A deployment by manifest goes live in one database transaction. An archive is imported in the background: the response is 202 " +
        "with the state `extracting`, or 200 when the import ends within `wait` seconds. A repeated call returns the live deployment.",
      query: waitQuery,
      input: (from: { params: Record<string, string>; query: Record<string, string> }) => ({
        ...changesDeployment.input(from),
        waitMs: readWait(from.query.wait),
      }),
      responses: {
        200: jsonResponse(deploymentSchema, "The live deployment, or the failed one with its `error`"),
        202: jsonResponse(deploymentSchema, "The import continues"),
      },
      errorCodes: [
        ...changesDeployment.errorCodes,
        "artifact_missing",
        "blobs_missing",
        "invalid_deployment_status",
        "storage_error",
      ],
    },
    async ({ c, services, caller, row, input }) => {
      const { app, deployment } = await finalizeDeployment(services, row, caller, input.waitMs);
      const status = deployment.status === "extracting" ? 202 : 200;
      return c.json(presentDeployment(services.settings, app)(deployment), status);
    },
  );
}
