import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import { changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor } from "../../kit/webhooks/events/event-actor";
import { appEventFields, findApp } from "../apps/app";
import { auditedDeployment, deploymentEventFields, findDeploymentById } from "../deployments/deployment";
import { declareBlobs, type FileList } from "../files/blob";
import { requestCleanup, TOUCH_MS } from "../files/clean-up";
import { appOriginChange, sendOrigins } from "../origins/origin";
import type { HostingServices } from "../services";
import { addLiveEvent, listMissing, makeLive, supersede, switchApp } from "./activation.store";
import { goneLive } from "./gone-live";

/** Maximum number of missing hashes that a response lists. */
export const MAX_MISSING = 1000;

/** How a deployment goes live. */
export type Activation = {
  type: "hosting.deployment.succeeded" | "hosting.deployment.rolled_back";
  /** the states from which it may go live */
  statuses: DeploymentRow["status"][];
  /** the lease that the caller must still hold; null without one */
  lease: string | null;
  /** the files that the company must have */
  files: FileList;
  /** columns that the import of an archive or the rules of the files determine; null keeps them */
  warnings: DeploymentRow["warnings"] | null;
  fileCount: number | null;
  totalBytes: number | null;
  bytesNew: number | null;
};

/** The state after an activation. `isDone`: this call changed what is live. */
export type Activated = {
  isDone: boolean;
  /** null when it was deleted meanwhile */
  deployment: DeploymentRow | null;
  app: AppRow | null;
  missing: string[];
};

/**
 * Makes a deployment live in one batch with its event: ends the deployment that was live before and points the app at the new
 * one. Changes nothing when the deployment is in another state or a file is missing.
 */
export async function activate(
  services: HostingServices,
  app: AppRow,
  deployment: DeploymentRow,
  caller: Actor,
  { type, files, ...activation }: Activation,
): Promise<Activated> {
  const { id, company_id: companyId } = deployment;
  const now = services.clock.now();
  const [eventId, change] = [uuid(), uuid()];
  const key = { id, appId: app.id, now, change };
  const hashes = files.map(([sha256]) => sha256);
  const verb = type === "hosting.deployment.succeeded" ? "finalized" : "rolled_back";
  const data = storableData({
    ...appEventFields(app),
    ...deploymentEventFields(services, app, deployment, "active"),
    previous_deployment_id: null,
  });
  // The clean-up keeps the files of an old draft no longer, so they are declared again.
  const isOld = files.length > 0 && deployment.created_at < now - TOUCH_MS;
  const origin = appOriginChange(services, app);
  const results = await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    {
      declared: isOld ? declareBlobs({ companyId, deploymentId: id, files, now, touchedBefore: now - TOUCH_MS }) : null,
      live: followedBy(
        makeLive({ ...key, companyId, hashes, ...activation }),
        changeEntry({ ...auditedDeployment(caller, companyId, id, verb, now), changes: { app: app.id } }),
      ),
      event: addLiveEvent({ ...key, eventId, companyId, type, data, ...eventActor(caller) }),
      superseded: supersede(key),
      switched: switchApp(key),
      origin: origin.statement,
      cleanUp: requestCleanup({ companyId, dueAt: now, now }),
      missing: listMissing({ id, change, companyId, hashes, limit: MAX_MISSING }),
      deployment: findDeploymentById({ id, companyId }),
      app: findApp({ companyId, app: app.id }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  sendOrigins(services, companyId, origin.keys);
  const isDone = results.deployment.first?.lease_token === change;
  const state = { deployment: results.deployment.first, app: results.app.first };
  if (isDone && state.deployment !== null && state.app !== null) {
    goneLive(services, state.deployment);
  }
  return { ...state, isDone, missing: results.missing.rows.map(({ sha256 }) => sha256) };
}
