import type { DeploymentRow } from "../../../db/hosting/schema";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { eventActor } from "../../kit/webhooks/events/event-actor";
import { appEventFields, findApp } from "../apps/app";
import { deploymentEventFields } from "../deployments/deployment";
import { requestCleanup } from "../files/clean-up";
import { artifactKey, manifestKey } from "../files/keys";
import { sendFailureNoticesSoon } from "../notices/failure-notice";
import type { HostingServices } from "../services";
import { ArchiveError } from "../tar/archive-error";
import type { ArtifactMissingError } from "./artifact";
import { addFailedEvent, failImport, releaseFailure } from "./import.store";
import type { ImportLease } from "./lease";

const importer = { kind: "service", userId: null, email: null } as const;

/**
 * Fails an import in one batch with its event and the notice to the owners, then removes the archive and the manifest. The clean-up removes them if this dies, and
 * the files that no other deployment names. The live deployment stays.
 */
export async function endFailed(
  services: HostingServices,
  deployment: DeploymentRow,
  { key }: ImportLease,
  error: ArchiveError | ArtifactMissingError,
): Promise<void> {
  const { id, companyId, token } = key;
  const db = services.dbOf(companyId);
  const app = await db.first(findApp({ companyId, app: deployment.app_id }));
  if (app === null) return;
  const now = services.clock.now();
  const isInvalid = error instanceof ArchiveError;
  const code = isInvalid ? "artifact_extract_failed" : "artifact_missing";
  const reason = isInvalid ? error.message : "The archive is missing. Upload it again.";
  const warnings = [{ file: isInvalid ? error.path : "", line: 0, text: "", reason }];
  const eventId = uuid();
  const data = storableData({
    ...appEventFields(app),
    ...deploymentEventFields(services, app, deployment, "failed"),
    error: code,
  });
  const entry = { actor: actorOf(importer), companyId, action: "deployment.failed", target: `deployment:${id}`, now };
  const { failed } = await batchWithEvents(
    services.webhooks,
    db,
    {
      failed: followedBy(failImport({ ...key, error: code, warnings, now }), changeEntry(entry)),
      event: addFailedEvent({
        eventId,
        companyId,
        type: "hosting.deployment.failed",
        data,
        id,
        token,
        now,
        ...eventActor(importer),
      }),
      cleanUp: requestCleanup({ companyId, dueAt: now, now }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  services.log.info("import rejected", { deployment_id: id, company_id: companyId, error: code });
  if (failed.changes === 0) return;
  sendFailureNoticesSoon(services);
  await services.files.delete([artifactKey(companyId, id), manifestKey(companyId, id)]);
  await db.run(releaseFailure({ id, token }));
}
