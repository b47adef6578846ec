import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import type { PublicDeployment } from "../../../schemas/hosting/deployment";
import { iso } from "../../kit/time";
import { appUrl, deploymentUrl } from "../apps/address";
import type { HostingSettings } from "../settings";

/** Returns the addresses of a deployment of an app. */
export const deploymentUrls = (
  settings: Pick<HostingSettings, "apps">,
  app: Pick<AppRow, "slug">,
  row: Pick<DeploymentRow, "address">,
) => ({ url: appUrl(settings, app), deployment_url: deploymentUrl(settings, app, row) });

/** Returns the function that makes the API representation of a deployment of an app. */
export const presentDeployment =
  (settings: Pick<HostingSettings, "apps">, app: Pick<AppRow, "slug" | "expires_at">) =>
  (row: DeploymentRow): PublicDeployment => ({
    id: row.id,
    app_id: row.app_id,
    app_version: row.app_version,
    shell_version: row.shell_version || null,
    status: row.status,
    pinned: row.pinned,
    message: row.message,
    not_found: row.not_found,
    deployed_by_id: row.deployed_by_id,
    artifact_size: row.artifact_size,
    file_count: row.file_count,
    total_bytes: row.total_bytes,
    bytes_new: row.bytes_new,
    error: row.error,
    warnings: row.warnings,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    finalized_at: iso(row.finalized_at),
    ...(row.live_from === null ? {} : { urls: deploymentUrls(settings, app, row) }),
    ...(app.expires_at === null ? {} : { expires_at: iso(app.expires_at) }),
  });
