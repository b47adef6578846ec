import type { DeploymentRow } from "../../../db/hosting/schema";
import { forgetLookups } from "../live/lookup";
import type { HostingServices } from "../services";
import { enqueueSteps } from "../step-message";

/** Reacts to a batch that made a deployment live: this isolate serves it at once, and the queue compresses its files. */
export function goneLive(services: HostingServices, { id, company_id }: DeploymentRow): void {
  forgetLookups();
  services.waitUntil(enqueueSteps(services, "variants", [{ id, company_id }]));
}
