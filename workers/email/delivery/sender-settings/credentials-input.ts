import { base64ToBytes } from "../../../kit/crypto/encoding";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import type { CredentialContext, ProviderCredentials, TransportDefinition } from "../providers/types";

const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;
const SECRET_PREFIX = "whsec_";

/**
 * Returns the credentials of `PUT /api/v1/provider` with known keys only. Returns null when `credentials` is missing and
 * `isOptional` is true; the caller then keeps the stored credentials. Throws 400 for invalid credentials.
 */
export async function readCredentialsInput(
  transport: TransportDefinition,
  value: unknown,
  isOptional: boolean,
  context: CredentialContext,
): Promise<ProviderCredentials | null> {
  if (value === undefined) {
    if (isOptional) return null;
    throw invalid({ credentials: ["required"] });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid({ credentials: ["invalid"] });
  return { ...(await transport.validate(value as Record<string, unknown>, context)), kind: transport.name };
}

/** A change of the webhook secret. The replaced secret remains valid for `overlapMs`. */
export type WebhookChange = { kind: "keep" } | { kind: "clear" } | { kind: "set"; secret: string; overlapMs: number };

/** Reads the webhook secret of `PUT /api/v1/provider`. A missing or empty secret keeps the stored one; null clears it. */
export function readWebhookChange(body: Record<string, unknown>): WebhookChange {
  const { webhook_secret: secret, webhook_overlap_hours: hours = DEFAULT_OVERLAP_HOURS } = body;
  if (typeof hours !== "number" || !Number.isInteger(hours)) throw invalid({ webhook_overlap_hours: ["invalid"] });
  if (hours < 0 || hours > MAX_OVERLAP_HOURS) throw invalid({ webhook_overlap_hours: ["out_of_range"] });
  if (secret === undefined || secret === "") return { kind: "keep" };
  if (secret === null) return { kind: "clear" };
  if (typeof secret !== "string" || !isWebhookSecret(secret)) throw invalid({ webhook_secret: ["invalid"] });
  return { kind: "set", secret, overlapMs: hours * HOUR_MS };
}

/**
 * Returns whether a webhook secret has 1 to 256 characters. The part after `whsec_` must be strict base64 of at least one byte,
 * because verification decodes it.
 */
function isWebhookSecret(secret: string): boolean {
  if ([...secret].length > 256) return false;
  if (!secret.startsWith(SECRET_PREFIX)) return true;
  const encoded = secret.slice(SECRET_PREFIX.length);
  if (encoded === "" || encoded.length % 4 !== 0) return false;
  try {
    base64ToBytes(encoded);
    return true;
  } catch {
    // base64ToBytes throws only when the text is not base64.
    return false;
  }
}
