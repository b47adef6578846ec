import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { findDeploymentById } from "../deployments/deployment";
import { Problem } from "../problem";
import { finalize as finalizeManifest, type Released } from "../releases/release";
import type { HostingServices } from "../services";
import { enqueueSteps } from "../step-message";
import { runImport } from "./import";
import { startImport } from "./import.store";

/** The time between two looks at an import that a request waits for; it doubles up to the maximum. */
const FIRST_LOOK_MS = 100;
const MAX_LOOK_MS = 1000;

/**
 * Makes a deployment live: by its manifest in this request, or by importing its archive in the queue. Waits for an import at most
 * `waitMs`, and returns the deployment in the state `extracting`, `active` or `failed`. Throws as `finalize` of deployments does.
 */
export async function finalizeDeployment(
  services: HostingServices,
  row: { app: AppRow; deployment: DeploymentRow },
  caller: UserActor,
  waitMs: number,
): Promise<Released> {
  const { app, deployment } = row;
  const { id, company_id: companyId, status } = deployment;
  if (status !== "ready" && status !== "extracting") return finalizeManifest(services, row, caller);
  const { clock } = services;
  const db = services.dbOf(companyId);
  if (status === "ready") {
    const now = clock.now();
    const entry = { actor: actorOf(caller), companyId, action: "deployment.imported", target: `deployment:${id}`, now };
    const { started } = await db.batch({
      started: followedBy(startImport({ id, companyId, now }), changeEntry(entry)),
    });
    if (started.changes === 0) return finalizeDeployment(services, { app, deployment: await reread() }, caller, waitMs);
  }
  const isQueued = services.steps !== null;
  if (isQueued) await enqueueSteps(services, "extract", [{ id, company_id: companyId }]);
  // Without a queue, in development, the import runs beside the request.
  else services.waitUntil(importAll(services, { id, company_id: companyId }));
  const until = clock.now() + waitMs;
  let current = await reread();
  for (let wait = FIRST_LOOK_MS; current.status === "extracting" && clock.now() + wait <= until; ) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    current = await reread();
    wait = Math.min(2 * wait, MAX_LOOK_MS);
  }
  return { app, deployment: current };

  async function reread(): Promise<DeploymentRow> {
    const found = await db.first(findDeploymentById({ id, companyId }));
    if (found === null) throw new Problem("not_found");
    return found;
  }
}

async function importAll(services: HostingServices, row: { id: string; company_id: number }): Promise<void> {
  while (await runImport(services, row));
}
