import type { Bound } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { errorName } from "../../kit/log";
import type { HostingServices } from "../services";
import { pendingOrigins, storeAppOrigin, storeNewOrigin } from "./origin.store";
import { type PendingChanges, sendChanges, sendDueChanges } from "./pending-change";

/** Maximum length of a label on identity's allowlist. */
const MAX_LABEL = 150;

/** Maximum number of origins that one minute sweep sends. */
const MAX_ORIGINS = 200;

/** An origin on the redirect allowlist of a company. */
export type OriginKey = { origin: string; company_id: number };

type AppOrigin = { company_id: number; slug: string; display_name: string };

const changes: PendingChanges<OriginKey, OriginRow> = {
  name: "redirect origin",
  statements: pendingOrigins,
  send: async ({ identity }, _db, { origin: base_url, company_id, label, is_wanted }) => {
    const result = await identity.rpc.setHostingRedirect({ company_id, base_url, label, is_wanted });
    return result.ok ? null : result.reason;
  },
};
type OriginRow = OriginKey & {
  label: string;
  is_wanted: boolean;
  change_id: string;
  attempts: number;
  lease_until: number;
};

/** Returns the origin of a host as browsers send it. */
export const originOf = (scheme: string, host: string): string => new URL(`${scheme}://${host}`).origin;

type Context = Pick<HostingServices, "clock" | "settings">;
type OriginChange = { statement: Bound | null; keys: OriginKey[] };

/**
 * Returns the statement for the end of a batch that deploys or deletes an app, and the key of its origin: pass it to sendOrigins
 * after the batch. The statement is null in a deployment without apps.
 */
export const appOriginChange = (services: Context, app: AppOrigin): OriginChange =>
  originChangeOf(services, app, storeAppOrigin);

/** Returns the statement like appOriginChange for the batch that creates an app. It stores nothing if the app was not inserted. */
export const newOriginChange = (services: Context, app: AppOrigin): OriginChange =>
  originChangeOf(services, app, storeNewOrigin);

function originChangeOf(
  { clock, settings }: Context,
  { company_id, slug, display_name }: AppOrigin,
  store: typeof storeAppOrigin,
): OriginChange {
  const { domain, scheme } = settings.apps;
  if (domain === null) return { statement: null, keys: [] };
  const origin = originOf(scheme, `${slug}.${domain}`);
  const label = labelOf(display_name);
  const change = { origin, companyId: company_id, label, slug, changeId: uuid(), now: clock.now() };
  return { statement: store(change), keys: [{ origin, company_id }] };
}

/** Returns what surrounds a host name in an origin: the scheme before it, and a port after it unless it is the default one. */
export function originParts({ settings }: Pick<HostingServices, "settings">): { prefix: string; suffix: string } {
  const { domain, scheme } = settings.apps;
  const { port } = new URL(`${scheme}://${domain ?? "localhost"}`);
  return { prefix: `${scheme}://`, suffix: port === "" ? "" : `:${port}` };
}

/** Returns the label of an app on the allowlist: its display name, cut without splitting a surrogate pair. */
export const labelOf = (displayName: string): string => displayName.slice(0, MAX_LABEL).replace(/[\ud800-\udbff]$/, "");

/**
 * Sends stored changes of origins to identity after the response. The minute sweep repeats what is not confirmed, so a failure is
 * only logged.
 */
export function sendOrigins(services: HostingServices, companyId: number, keys: readonly OriginKey[]): void {
  if (keys.length === 0) return;
  const sent = sendChanges(services, services.dbOf(companyId), changes, keys);
  services.waitUntil(sent.catch((error) => services.log.warn("origins were not sent", { error: errorName(error) })));
}

/** Sends the changes of origins that are due. Returns their number. */
export const sendDueOrigins = (services: HostingServices): Promise<number> =>
  sendDueChanges(services, changes, MAX_ORIGINS);
