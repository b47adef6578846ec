import type { AppRow } from "../../../db/hosting/schema";
import type { PublicApp } from "../../../schemas/hosting/app";
import { iso } from "../../kit/time";
import type { HostingSettings } from "../settings";
import { appUrl } from "./address";

/** Returns the function that makes the API representation of an app; `urls` is present once a deployment is live. */
export const presentApp =
  (settings: Pick<HostingSettings, "apps">) =>
  (row: AppRow): PublicApp => ({
    id: row.id,
    name: row.name,
    slug: row.slug,
    company_id: row.company_id,
    display_name: row.display_name,
    public_deployments: row.public_deployments,
    expires_at: iso(row.expires_at),
    current_deployment_id: row.current_deployment_id,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    ...(row.current_deployment_id === null ? {} : { urls: { url: appUrl(settings, row) } }),
  });
