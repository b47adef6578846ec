import type { AppRow, DeploymentRow } from "../../../db/hosting/schema";
import type { HostingServices } from "../services";

/** A reaction to a change of what an app serves. It must not throw. */
type LiveListener = (services: HostingServices, live: { app: AppRow; deployment: DeploymentRow }) => void;

const listeners: LiveListener[] = [];

/** Registers a reaction to changes of what an app serves. Call it at module level. */
export function onGoneLive(listener: LiveListener): void {
  listeners.push(listener);
}

/** Reports that a batch made a deployment live. */
export const goneLive: LiveListener = (services, live) => {
  for (const listener of listeners) listener(services, live);
};
