import type { CompanyProviderRow } from "../../../../db/email/rows";
import { SMTP_VENDORS, type SmtpVendor } from "../../../../schemas/email/provider";
import { hmacHex } from "../../../kit/crypto/hash";
import { type KeyRing, open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";

/** Keys that open and recognise credentials. */
export type SenderKeys = Pick<EmailKeys, "credentials" | "peppers">;

/** The credentials of a provider row as they are sealed: `api_key`, or the six keys of a relay. */
export type ProviderCredentials =
  | { kind: "api"; api_key: string }
  | {
      kind: "smtp";
      host: string;
      port: number;
      username: string;
      password: string;
      use_tls: boolean;
      use_ssl: boolean;
      vendor?: SmtpVendor | "none";
    };

const BULLETS = "••••";

/** Whether a value names a vendor of relays, or that there is none. */
export function isVendor(value: unknown): value is SmtpVendor | "none" {
  return ["none", ...SMTP_VENDORS].some((vendor) => vendor === value);
}

/** The additional data of `company_providers.credentials_enc`. */
export function credentialsAad(companyId: number, sealId: string): string {
  return `email:company_providers:credentials_enc:${companyId}:${sealId}`;
}

/** HMAC (64 hex) that tells whether two credentials are the same, without telling them. */
export function fingerprintCredentials(credentials: ProviderCredentials, keys: SenderKeys): Promise<string> {
  const { kind } = credentials;
  const parts =
    kind === "api"
      ? [credentials.api_key]
      : [credentials.host, credentials.port, credentials.username, credentials.password];
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
    credentials_hint: hintOf(credentials.kind === "api" ? credentials.api_key : credentials.password),
    fingerprint: await fingerprintCredentials(credentials, keys),
  };
}

/** The credentials of a row, or null when they do not open or are not complete. */
export async function openCredentials(row: CompanyProviderRow, keys: KeyRing): Promise<ProviderCredentials | null> {
  try {
    const opened: unknown = JSON.parse(
      await open(row.credentials_enc, keys, credentialsAad(row.company_id, row.seal_id)),
    );
    return parseSealed(row.provider, opened);
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseSealed(kind: "api" | "smtp", value: unknown): ProviderCredentials | null {
  if (typeof value !== "object" || value === null) return null;
  if (kind === "api") {
    const { api_key } = value as { api_key?: unknown };
    return typeof api_key === "string" && api_key !== "" ? { kind, api_key } : null;
  }
  const { host, port, username, password, use_tls, use_ssl, vendor } = value as Record<string, unknown>;
  if (typeof host !== "string" || host === "" || typeof port !== "number") return null;
  return {
    kind,
    host,
    port,
    username: typeof username === "string" ? username : "",
    password: typeof password === "string" ? password : "",
    use_tls: use_tls === true,
    use_ssl: use_ssl === true,
    ...(isVendor(vendor) ? { vendor } : {}),
  };
}
