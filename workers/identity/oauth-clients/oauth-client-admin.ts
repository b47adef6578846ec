import { uuid } from "../../kit/ids";
import { Problem } from "../../kit/problem";
import { noteChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import type { IdentityServices } from "../services";
import { configOf, sealSecret } from "./oauth-client";
import { presentOauthClient } from "./oauth-client.present";
import type { OAuthClientRow } from "./oauth-client.store";
import { changeClient, deleteClient, findClientOfProvider, insertClient } from "./oauth-client-admin.store";
import {
  type ClientBody,
  type ClientChange,
  configNames,
  readProviderFields,
  readProviderId,
  requireIssuer,
  requireSameProvider,
  requireSecret,
  secretNames,
} from "./oauth-client-input";

/** Clients of a company; sign-in pages list them all, so their number has an end. */
const MAX_CLIENTS = 100;

/** Who changes the clients of which company. */
type Change = { services: IdentityServices; request: Request; caller: Caller; companyId: number };

/** Adds a client; 409 `oauth_client_duplicate_provider` when the company has one of that provider id (details 7.6). */
export async function addClient(change: Change, body: ClientBody): Promise<OAuthClientRow> {
  const { services, companyId } = change;
  const { db, clock } = services;
  const providerId = readProviderId(body);
  const { config, secret } = readProviderFields(body.provider, body, true);
  await requireSecret(body.provider, secret);
  if (config.issuer) await requireIssuer(services, config.issuer);
  const id = uuid();
  const sealed = secret === null ? null : await sealSecret(services, { id, company_id: companyId }, secret);
  const given = JSON.stringify(Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null)));
  const { provider, label = "", client_id, is_active = true } = body;
  const place = [companyId, id, provider, providerId] as const;
  const [, , present] = await db.batch<[unknown, unknown, OAuthClientRow]>([
    insertClient.bind(db, ...place, label, client_id, given, sealed, is_active, clock.now(), MAX_CLIENTS),
    await noteClient(change, "created", { id, provider_id: providerId }),
    findClientOfProvider.bind(db, companyId, providerId),
  ]);
  const row = present.results[0];
  if (!row) throw new Problem("limit_reached");
  if (row.id !== id) throw new Problem("oauth_client_duplicate_provider");
  return row;
}

/**
 * Changes what the body names; a secret that is left out stays (details 7.6). Nothing is written when nothing would be
 * another.
 */
export async function editClient(change: Change, row: OAuthClientRow, body: ClientChange): Promise<OAuthClientRow> {
  const { services, companyId } = change;
  const { db, clock } = services;
  requireSameProvider(row, body);
  const { config, secret } = readProviderFields(row.provider, body, false);
  await requireSecret(row.provider, secret);
  const { label, client_id, is_active } = body;
  const changedFields = namesOfChanged(row, body, config);
  if (changedFields.length === 0) return row;
  // An issuer that stays was checked when it was set: another field can be changed while the provider is away.
  if (config.issuer && config.issuer !== configOf(row).issuer) await requireIssuer(services, config.issuer);
  const sealed = secret === null ? null : await sealSecret(services, row, secret);
  const values = [label ?? null, client_id ?? null, JSON.stringify(config), sealed, is_active ?? null] as const;
  const [changed] = await db.batch<[OAuthClientRow]>([
    changeClient.bind(db, companyId, row.id, ...values, clock.now()),
    await noteClient(change, "updated", row, changedFields),
  ]);
  const after = changed.results[0];
  if (!after) throw new Problem("not_found");
  return after;
}

/** Takes a client away; sign-ins that are under way by it end with `oauth_client_unavailable`. */
export async function removeClient(change: Change, row: OAuthClientRow): Promise<void> {
  const { db } = change.services;
  await db.batch([deleteClient.bind(db, change.companyId, row.id), await noteClient(change, "deleted", row)]);
}

/** The fields that would be answered otherwise, and a secret that is given: what it was is not compared. */
function namesOfChanged(row: OAuthClientRow, body: ClientChange, config: Record<string, string | null>): string[] {
  const { label = row.label, client_id = row.client_id, is_active = row.is_active === 1 } = body;
  const merged = Object.entries({ ...configOf(row), ...config }).filter(([, value]) => value !== null);
  const next = { label, client_id, is_active: Number(is_active), config: JSON.stringify(Object.fromEntries(merged)) };
  const [before, after] = [presentOauthClient(row), presentOauthClient({ ...row, ...next })];
  const isOther = (name: keyof typeof before) => before[name] !== after[name];
  return [
    ...(["label", "client_id", "is_active"] as const).filter(isOther),
    ...secretNames.filter((name) => body[name] !== undefined),
    ...configNames.filter(isOther),
  ];
}

/** The audit entry names fields, never their values. */
function noteClient(
  change: Change,
  verb: "created" | "updated" | "deleted",
  row: Pick<OAuthClientRow, "id" | "provider_id">,
  changedFields?: string[],
): Promise<D1PreparedStatement> {
  const { services, request, caller, companyId } = change;
  const data = {
    oauth_client_id: row.id,
    provider_id: row.provider_id,
    ...(changedFields ? { changed_fields: changedFields } : {}),
  };
  return noteChange(services, request, { caller, companyId, type: `identity.oauth_client.${verb}`, data });
}
