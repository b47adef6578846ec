import type { ClientConfig, OAuthClientRow } from "../../../../db/identity/schema";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { Bound } from "../../../kit/db/statement";
import type { IdentityServices } from "../../services";
import { providers } from "../../sign-in/oauth-providers/catalog";
import type { OpenClient } from "../../sign-in/oauth-providers/types";
import { findActiveClients } from "./oauth-client.store";

/** Returns the statement that selects a company's active clients, usable or not, ordered by provider id. */
export function selectActiveClients(companyId: number): Bound<OAuthClientRow> {
  return findActiveClients({ companyId });
}

/** Returns the provider-specific values of a client, without empty ones. */
export function configOf(row: Pick<OAuthClientRow, "config">): ClientConfig {
  return Object.fromEntries(Object.entries(row.config).filter(([, value]) => value));
}

/** Returns whether users can sign in with the client: it is active and has every field that its provider requires. */
export function isUsable(row: OAuthClientRow): boolean {
  const config = configOf(row);
  const hasValue = (name: string) => {
    if (name === "client_id") return row.client_id !== "";
    if (name === "client_secret" || name === "private_key") return row.secret_sealed !== null;
    return name in config;
  };
  const { fields } = providers[row.provider];
  return row.is_active && fields.every((field) => !field.required || hasValue(field.name));
}

/**
 * Returns the associated data of a sealed secret. It contains company and row id, so a secret copied to another row cannot be
 * opened.
 */
function associatedDataOf(row: { id: string; company_id: number }): string {
  return `identity:oauth_clients:${row.company_id}:${row.id}`;
}

/** Seals a client secret or private key for the column `secret_sealed`. */
export async function sealSecret(
  services: IdentityServices,
  row: { id: string; company_id: number },
  secret: string,
): Promise<string> {
  return seal(secret, (await services.keys()).sealing, associatedDataOf(row));
}

/**
 * Returns the client secret or private key, or null when there is none or it cannot be opened, for example with another
 * SECRET_KEY.
 */
export async function openSecret(services: IdentityServices, row: OAuthClientRow): Promise<string | null> {
  if (row.secret_sealed === null) return null;
  try {
    return await open(row.secret_sealed, (await services.keys()).sealing, associatedDataOf(row));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    services.log.error("cannot open the secret of an OAuth client", { company_id: row.company_id, client: row.id });
    return null;
  }
}

/** Returns a client with its opened secret, or null when the client is not usable or its secret cannot be opened. */
export async function openClient(services: IdentityServices, row: OAuthClientRow): Promise<OpenClient | null> {
  const secret = isUsable(row) ? await openSecret(services, row) : null;
  return secret === null ? null : { clientId: row.client_id, secret, config: configOf(row) };
}
