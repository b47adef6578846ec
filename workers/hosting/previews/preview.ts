import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import { DAY_MS } from "../../kit/time";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { findAccess, requireAccess } from "../access/access";
import { appStatements, findAppBySlug, newSlug } from "../apps/app";
import {
  createDeployment,
  deploymentStatements,
  type MissingFiles,
  type NewDeployment,
} from "../deployments/deployment";
import { Problem } from "../problem";
import type { HostingServices } from "../services";

type CreatedPreview = { app: AppRow; deployment: DeploymentRow; missing: MissingFiles | null };

/**
 * Checks the access of the company and returns the preview that a request names by its slug: undefined when it names none, null
 * when there is no such app. Throws 403 `hosting_access_denied`.
 */
export async function openPreview(
  services: HostingServices,
  companyId: number,
  slug: unknown,
): Promise<AppRow | null | undefined> {
  const isNamed = typeof slug === "string";
  const { access, app } = await services.dbOf(companyId).batch({
    access: findAccess({ companyId }),
    app: isNamed ? findAppBySlug({ companyId, slug }) : null,
  });
  requireAccess(services, access.first);
  return isNamed ? (app?.first ?? null) : undefined;
}

/** Creates a preview with its first deployment in one batch. Throws 403 `app_quota_exceeded`. */
export async function createPreview(
  services: HostingServices,
  companyId: number,
  caller: UserActor,
  { display_name, deployment: input }: { display_name: string | undefined; deployment: NewDeployment },
): Promise<CreatedPreview> {
  const slug = newSlug();
  const lifetimeMs = services.settings.limits.previewDays * DAY_MS;
  const preview = { name: `preview-${slug}`, slug, display_name: display_name ?? `Preview ${slug}`, lifetimeMs };
  const app = appStatements(services, companyId, caller, preview);
  const target = { ...preview, id: app.id, company_id: companyId, expires_at: app.expiresAt };
  const deployment = deploymentStatements(services, target, caller, input);
  const results = await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    { ...app.statements, ...deployment.statements },
    [app.eventKey, deployment.eventKey],
  );
  const stored = app.requireStored(results.storedApp.first);
  return { app: stored, ...(await deployment.finish(results)) };
}

/**
 * Creates another deployment of a preview. Throws 404 `preview_not_found`, 403 `preview_forbidden` for the preview of another
 * user, and 409 `preview_expired`.
 */
export async function deployToPreview(
  services: HostingServices,
  app: AppRow | null,
  caller: UserActor,
  input: NewDeployment,
): Promise<CreatedPreview> {
  if (app === null || app.expires_at === null) throw new Problem("preview_not_found");
  if (app.owner_id !== caller.userId) throw new Problem("preview_forbidden");
  return { app, ...(await createDeployment(services, app, caller, input)) };
}
