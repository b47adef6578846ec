import { errorName } from "../../kit/log";
import { hasProvider, pendingHostnames } from "../origins/host";
import { type PendingChanges, sendChanges, sendDueChanges } from "../origins/pending-change";
import type { HostingServices } from "../services";
import { findVerified, storeProviderId } from "./check.store";
import { CloudflareError, cloudflareHostnames } from "./cloudflare";

/** Maximum number of host names that one minute sweep sends. */
const MAX_HOSTNAMES = 40;

type HostnameKey = { hostname: string };
type HostnameRow = HostnameKey & { change_id: string; attempts: number; lease_until: number };

const changes: PendingChanges<HostnameKey, HostnameRow> = {
  name: "host name",
  statements: pendingHostnames,
  send: async ({ settings, fetch }, db, { hostname }) => {
    const provider = cloudflareHostnames(settings, fetch);
    if (provider === null) return "no_provider";
    // The rows decide, so the registration follows the last of several changes.
    const domain = await db.first(findVerified({ hostname }));
    try {
      if (domain === null) await provider.remove(hostname);
      else if (domain.provider_id === null) {
        await db.run(storeProviderId({ hostname, providerId: await provider.register(hostname) }));
      }
      return null;
    } catch (error) {
      if (error instanceof CloudflareError) return error.message;
      throw error;
    }
  },
};

/** Registers a host name at the provider, or removes it, after the response. The minute sweep repeats what fails. */
export function sendHostname(services: HostingServices, companyId: number, hostname: string): void {
  if (!hasProvider(services)) return;
  const sent = sendChanges(services, services.dbOf(companyId), changes, [{ hostname }]);
  services.waitUntil(sent.catch((error) => services.log.warn("host name was not sent", { error: errorName(error) })));
}

/** Sends the host names whose registration is due. Returns their number. */
export const sendDueHostnames = async (services: HostingServices): Promise<number> =>
  hasProvider(services) ? sendDueChanges(services, changes, MAX_HOSTNAMES) : 0;
