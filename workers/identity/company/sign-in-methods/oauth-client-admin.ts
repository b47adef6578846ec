import type { ClientConfig, OAuthClientRow } from "../../../../db/identity/schema";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import type { Caller } from "../../caller/credentials/caller";
import { Problem } from "../../problem";
import { changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { configOf, sealSecret } from "./oauth-client";
import { presentOauthClient } from "./oauth-client.present";
import { changeClient, deleteClient, findClientOfProvider, insertClient } from "./oauth-client.store";
import {
  type ClientBody,
  type ClientChange,
  CONFIG_NAMES,
  readProviderFields,
  readProviderId,
  requireIssuer,
  requireSameProvider,
  requireValidSecret,
  SECRET_NAMES,
} from "./oauth-client-input";

/** Maximum number of clients of a company. Sign-in pages list all of them. */
const MAX_CLIENTS = 100;

/** The services, the request, its caller and the company whose clients change. */
type Change = { services: IdentityServices; request: Request; caller: Caller; companyId: number };

/**
 * Adds a client and returns its row. Throws 409 `oauth_client_duplicate_provider` when the company already has a client with
 * this provider id, and `limit_reached` when it has MAX_CLIENTS clients.
 */
export async function addClient(change: Change, body: ClientBody): Promise<OAuthClientRow> {
  const { services, companyId } = change;
  const { db, clock } = services;
  const providerId = readProviderId(body);
  const { config, secret } = readProviderFields(body.provider, body, true);
  await requireValidSecret(body.provider, secret);
  if (config.issuer) await requireIssuer(services, config.issuer);
  const id = uuid();
  const sealed = secret === null ? null : await sealSecret(services, { id, company_id: companyId }, secret);
  const { provider, label = "", client_id: clientId, is_active: isActive = true } = body;
  const columns = { companyId, id, provider, providerId, label, clientId, config: withoutNulls(config) };
  const { present } = await db.batch({
    inserted: followedBy(
      insertClient({ ...columns, secret: sealed, isActive, now: clock.now(), max: MAX_CLIENTS }),
      await auditClient(change, "created", { id, provider_id: providerId }),
    ),
    present: findClientOfProvider({ companyId, providerId }),
  });
  const row = present.first;
  if (!row) throw new Problem("limit_reached");
  if (row.id !== id) throw new Problem("oauth_client_duplicate_provider");
  return row;
}

/**
 * Stores the fields that the body has and returns the row. A secret that is left out is kept. Writes nothing when no value
 * differs and no secret is given. Throws 404 when the client was deleted meanwhile.
 */
export async function editClient(change: Change, row: OAuthClientRow, body: ClientChange): Promise<OAuthClientRow> {
  const { services, companyId } = change;
  const { db, clock } = services;
  requireSameProvider(row, body);
  const { config, secret } = readProviderFields(row.provider, body, false);
  await requireValidSecret(row.provider, secret);
  const { label, client_id, is_active } = body;
  const changedFields = namesOfChanged(row, body, config);
  if (changedFields.length === 0) return row;
  // Discovery runs only for a changed issuer, so other fields can be changed while the provider is unavailable.
  if (config.issuer && config.issuer !== configOf(row).issuer) await requireIssuer(services, config.issuer);
  const sealed = secret === null ? null : await sealSecret(services, row, secret);
  const newValues = { label: label ?? null, clientId: client_id ?? null, isActive: is_active ?? null };
  const changed = changeClient({ companyId, id: row.id, ...newValues, config, secret: sealed, now: clock.now() });
  const after = await db.run(followedBy(changed, await auditClient(change, "updated", row, changedFields)));
  if (!after.first) throw new Problem("not_found");
  return after.first;
}

/** Deletes a client. Its pending sign-ins fail with `oauth_client_unavailable`. */
export async function removeClient(change: Change, row: OAuthClientRow): Promise<void> {
  const { services, companyId } = change;
  const entry = await auditClient(change, "deleted", row);
  await services.db.run(followedBy(deleteClient({ companyId, id: row.id }), entry));
}

/**
 * Returns the names of the fields that the change modifies. A secret in the body always counts as changed, because stored
 * secrets are not compared.
 */
function namesOfChanged(row: OAuthClientRow, body: ClientChange, config: Record<string, string | null>): string[] {
  const { label = row.label, client_id = row.client_id, is_active = row.is_active } = body;
  const next = { label, client_id, is_active, config: withoutNulls({ ...configOf(row), ...config }) };
  const [before, after] = [presentOauthClient(row), presentOauthClient({ ...row, ...next })];
  const isChanged = (name: keyof typeof before) => before[name] !== after[name];
  return [
    ...(["label", "client_id", "is_active"] as const).filter(isChanged),
    ...SECRET_NAMES.filter((name) => body[name] !== undefined),
    ...CONFIG_NAMES.filter(isChanged),
  ];
}

function withoutNulls(config: Record<string, string | null>): ClientConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
}

/** Returns the audit entry of a change. The entry has the names of the changed fields, never their values. */
function auditClient(
  change: Change,
  verb: "created" | "updated" | "deleted",
  row: Pick<OAuthClientRow, "id" | "provider_id">,
  changedFields?: string[],
): Promise<Bound> {
  const { services, request, caller, companyId } = change;
  const data = {
    oauth_client_id: row.id,
    provider_id: row.provider_id,
    ...(changedFields ? { changed_fields: changedFields } : {}),
  };
  return changeEntry(services, request, { caller, companyId, type: `identity.oauth_client.${verb}`, data });
}
