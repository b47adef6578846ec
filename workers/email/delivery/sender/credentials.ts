import type { CompanyProviderRow } from "../../../../db/email/rows";
import { hmacHex } from "../../../kit/crypto/hash";
import { type KeyRing, open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";
import type { ProviderCredentials } from "../providers/types";
import { findTransport, transports } from "../transports/catalog";

/** Keys that open and recognise credentials. */
export type SenderKeys = Pick<EmailKeys, "credentials" | "peppers">;

const BULLETS = "••••";

/** The additional data of `company_providers.credentials_enc`. */
export function credentialsAad(companyId: number, sealId: string): string {
  return `email:company_providers:credentials_enc:${companyId}:${sealId}`;
}

/** HMAC (64 hex) that shows whether two credentials are the same, without showing them. */
export function fingerprintCredentials(credentials: ProviderCredentials, keys: SenderKeys): Promise<string> {
  const { kind } = credentials;
  const parts = transports[kind].identityFields.map((field) => credentials[field]);
  return hmacHex(keys.peppers[0] ?? new Uint8Array(), JSON.stringify(["credentials", kind, ...parts]));
}

/** `••••` and the last 4 characters of a secret; only the bullets below 8 characters. */
export function hintOf(secret: string): string {
  const characters = [...secret];
  return characters.length < 8 ? BULLETS : `${BULLETS}${characters.slice(-4).join("")}`;
}

/** The columns of new credentials of the row: sealed, with a hint of key or password, and their fingerprint. */
export async function sealCredentials(
  credentials: ProviderCredentials,
  { companyId, sealId }: { companyId: number; sealId: string },
  keys: SenderKeys,
): Promise<Pick<CompanyProviderRow, "credentials_enc" | "credentials_hint" | "fingerprint">> {
  const { kind: _kind, ...values } = credentials;
  return {
    credentials_enc: await seal(JSON.stringify(values), keys.credentials, credentialsAad(companyId, sealId)),
    credentials_hint: hintOf(String(credentials[transports[credentials.kind].secretField] ?? "")),
    fingerprint: await fingerprintCredentials(credentials, keys),
  };
}

/** The credentials of a row, or null when they do not open or are not complete. */
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
