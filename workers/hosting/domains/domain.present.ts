import type { AppRow, DomainRow } from "../../../db/hosting/schema";
import type { PublicDomain } from "../../../schemas/hosting/domain";
import { iso } from "../../kit/time";
import { hasProvider, hostOrigin } from "../origins/host";
import type { HostingSettings } from "../settings";
import { PROOF_LABEL } from "./hostname";

/** Returns the value of the TXT record that proves a domain. */
export const proofValue = (token: string): string => `platform-hosting=${token}`;

/** Returns the function that makes the API representation of a domain of an app. */
export const presentDomain =
  (settings: HostingSettings, app: Pick<AppRow, "slug">) =>
  (row: DomainRow): PublicDomain => ({
    id: row.id,
    app_id: row.app_id,
    hostname: row.hostname,
    state: row.state,
    error: row.error as PublicDomain["error"],
    is_registered: hasProvider({ settings }) ? row.provider_id !== null : null,
    records: [
      { type: "TXT", name: `${PROOF_LABEL}.${row.hostname}`, value: proofValue(row.token) },
      { type: "CNAME", name: row.hostname, value: `${app.slug}.${settings.apps.domain?.replace(/:\d+$/, "") ?? ""}` },
    ],
    checked_at: iso(row.checked_at),
    next_check_at: iso(row.next_check_at),
    verified_at: iso(row.verified_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    ...(row.state === "verified" ? { urls: { url: hostOrigin({ settings }, row.hostname) } } : {}),
  });
