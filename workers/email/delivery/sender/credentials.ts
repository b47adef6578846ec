import type { CompanyProviderRow } from "../../../../db/email/rows";
import { hmacHex } from "../../../kit/crypto/hash";
import { type KeyRing, open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";
import type { Credentials, PlatformTransportDefinition, ProviderCredentials } from "../providers/types";
import { findTransport, transports } from "../transports/catalog";

/** Keys that decrypt and fingerprint credentials. */
export type SenderKeys = Pick<EmailKeys, "credentials" | "peppers">;

const BULLETS = "••••";

/** Returns the additional authenticated data of `company_providers.credentials_enc`. */
export function credentialsAad(companyId: number, sealId: string): string {
  return `email:company_providers:credentials_enc:${companyId}:${sealId}`;
}

/** Returns an HMAC (64 hex characters) of credentials. Two HMACs can be compared without decrypting the credentials. */
export function fingerprintCredentials(
  { name, identityFields }: PlatformTransportDefinition,
  credentials: Credentials,
  keys: SenderKeys,
): Promise<string> {
  const parts = identityFields.map((field) => credentials[field]);
  return hmacHex(keys.peppers[0] ?? new Uint8Array(), JSON.stringify(["credentials", name, ...parts]));
}

/** Returns `••••` and the last 4 characters of a secret, or `••••` alone when it has fewer than 8. */
export function hintOf(secret: string): string {
  const characters = [...secret];
  return characters.length < 8 ? BULLETS : `${BULLETS}${characters.slice(-4).join("")}`;
}

/** Returns the columns of new credentials: the encrypted values, the hint of the secret, and the fingerprint. */
export async function sealCredentials(
  credentials: ProviderCredentials,
  { companyId, sealId }: { companyId: number; sealId: string },
  keys: SenderKeys,
): Promise<Pick<CompanyProviderRow, "credentials_enc" | "credentials_hint" | "fingerprint">> {
  const { kind: _kind, ...values } = credentials;
  return {
    credentials_enc: await seal(JSON.stringify(values), keys.credentials, credentialsAad(companyId, sealId)),
    credentials_hint: hintOf(String(credentials[transports[credentials.kind].secretField] ?? "")),
    fingerprint: await fingerprintCredentials(transports[credentials.kind], credentials, keys),
  };
}

/** Returns the credentials of a row, or null when they cannot be decrypted or are incomplete. */
export async function openCredentials(row: CompanyProviderRow, keys: KeyRing): Promise<ProviderCredentials | null> {
  try {
    const opened: unknown = JSON.parse(
      await open(row.credentials_enc, keys, credentialsAad(row.company_id, row.seal_id)),
    );
    const transport = findTransport(row.provider);
    if (transport === null || typeof opened !== "object" || opened === null) return null;
    const credentials = transport.parse(opened as Record<string, unknown>);
    return credentials === null ? null : { ...credentials, kind: transport.name };
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}
