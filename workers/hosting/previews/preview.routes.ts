import { createdPreviewSchema, newPreviewBody } from "../../../schemas/hosting/deployment";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { iso } from "../../kit/time";
import { limitBy } from "../access/limit";
import { presentApp } from "../apps/app.present";
import { appCall } from "../apps/app-call";
import { deploymentUrls, presentDeployment } from "../deployments/deployment.present";
import { MAX_BODY_BYTES, readNewPreview } from "../deployments/deployment-input";
import type { HostingService } from "../http";
import { createPreview, deployToPreview, openPreview } from "./preview";

/** Mounts the creation of previews: docs/specification/hosting.md#previews */
export function mountPreviews({ call }: HostingService): void {
  call(
    {
      ...appCall,
      method: "post",
      path: "/hosting/v1/preview",
      tags: ["Previews"],
      summary: "Create a preview, an app that expires, with its first deployment",
      description: "With the `slug` of a preview of the caller, create another deployment of it.",
      limit: limitBy("deploy"),
      body: {
        schema: newPreviewBody,
        limit: MAX_BODY_BYTES,
        read: async (raw, { services, scope }) => {
          const existing = await openPreview(services, scope, raw.slug);
          return { existing, ...readNewPreview(raw, services.settings.limits) };
        },
      },
      responses: { 201: jsonResponse(createdPreviewSchema, "The app and its deployment") },
      errorCodes: [
        "hosting_access_denied",
        "hosting_not_configured",
        "app_quota_exceeded",
        "deployment_quota_exceeded",
        "preview_forbidden",
        "preview_not_found",
        "preview_expired",
        "storage_error",
      ],
    },
    async ({ c, services, scope, caller, body: { existing, display_name, deployment: input } }) => {
      const { app, deployment, missing } =
        existing === undefined
          ? await createPreview(services, scope, caller, { display_name, deployment: input })
          : await deployToPreview(services, existing, caller, input);
      const { settings } = services;
      return c.json(
        {
          app: presentApp(settings)(app),
          deployment: presentDeployment(settings, app)(deployment),
          slug: app.slug,
          expires_at: iso(app.expires_at),
          urls: deploymentUrls(settings, app, deployment),
          ...missing,
        },
        201,
      );
    },
  );
}
