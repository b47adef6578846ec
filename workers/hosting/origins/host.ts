import type { Bound } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import type { HostingServices } from "../services";
import {
  deleteAppDomains,
  storeHostname,
  storeHostOrigin,
  storeRemovedHostnames,
  storeRemovedOrigins,
} from "./host.store";
import { labelOf, type OriginKey, originParts } from "./origin";

export { pendingHostnames } from "./host.store";

type Host = { hostname: string; company_id: number; display_name: string };

/** Returns whether the host names of verified domains are registered at a provider. */
export const hasProvider = ({ settings }: Pick<HostingServices, "settings">): boolean =>
  settings.domains.cloudflareToken !== "";

/** Returns the origin of a host name as browsers send it. */
export function hostOrigin(services: Pick<HostingServices, "settings">, hostname: string): string {
  const { prefix, suffix } = originParts(services);
  return `${prefix}${hostname}${suffix}`;
}

/**
 * Returns the statements for the end of a batch that verifies or removes a domain, and the key of its origin: pass it to
 * sendOrigins after the batch. They store that identity must list the origin while the domain is verified, and that the
 * registration of the host name may have to change.
 */
export function hostChange(
  services: Pick<HostingServices, "clock" | "settings">,
  { hostname, company_id, display_name }: Host,
): { statements: Bound[]; key: OriginKey } {
  const origin = hostOrigin(services, hostname);
  const now = services.clock.now();
  const label = labelOf(display_name);
  return {
    statements: [
      storeHostOrigin({ origin, companyId: company_id, label, hostname, changeId: uuid(), now }),
      ...(hasProvider(services) ? [storeHostname({ hostname, changeId: uuid(), now })] : []),
    ],
    key: { origin, company_id },
  };
}

/**
 * Returns the statements that delete the domains of an app, for a batch that deletes the app. Identity and the provider learn
 * about it in the minute sweep.
 */
export function removeAppDomains(
  services: Pick<HostingServices, "clock" | "settings">,
  { id: appId, company_id: companyId }: { id: string; company_id: number },
): Bound[] {
  const now = services.clock.now();
  return [
    storeRemovedOrigins({ appId, ...originParts(services), now }),
    ...(hasProvider(services) ? [storeRemovedHostnames({ appId, now })] : []),
    deleteAppDomains({ appId, companyId }),
  ];
}
