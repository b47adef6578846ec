import type { FieldErrors } from "../../../../schemas/errors";
import { base64ToBytes } from "../../../kit/crypto/encoding";
import { checkPublicHost } from "../../../kit/net/public-address";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailSettings } from "../../settings";
import { isVendor, type ProviderCredentials } from "../sender/credentials";

export type CredentialSettings = Pick<EmailSettings, "debug">;

const MAX_SECRET_LENGTH = 512;
const DEFAULT_PORT = 587;
const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;
const SECRET_PREFIX = "whsec_";
const VISIBLE_ASCII = /^[!-~]{1,512}$/;

/**
 * The credentials of `PUT /api/v1/provider` with their known keys only, or null to keep the stored ones, which a missing
 * key does as long as the provider stays.
 */
export async function readCredentialsInput(
  provider: "api" | "smtp",
  value: unknown,
  mayKeep: boolean,
  settings: CredentialSettings,
  resolve: (name: string) => Promise<string[]>,
): Promise<ProviderCredentials | null> {
  if (value === undefined) {
    if (mayKeep) return null;
    throw invalid({ credentials: ["required"] });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid({ credentials: ["invalid"] });
  const given = value as Record<string, unknown>;
  if (provider === "api") return { kind: "api", api_key: readApiKey(given.api_key) };
  const relay = readRelay(given, settings);
  return { kind: "smtp", host: await readHost(given.host, resolve), ...relay };
}

function readApiKey(value: unknown): string {
  if (isMissing(value)) throw invalid({ "credentials.api_key": ["required"] });
  if (typeof value !== "string" || !VISIBLE_ASCII.test(value)) throw invalid({ "credentials.api_key": ["invalid"] });
  return value;
}

type Relay = Omit<Extract<ProviderCredentials, { kind: "smtp" }>, "kind" | "host">;

/** Everything of a relay but its host. */
function readRelay(given: Record<string, unknown>, { debug }: CredentialSettings): Relay {
  const fields: FieldErrors = {};
  const port = given.port ?? DEFAULT_PORT;
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) {
    fields["credentials.port"] = ["invalid"];
  } else if (port === 25 && !debug) {
    fields["credentials.port"] = ["not_allowed"];
  }
  const use_tls = readFlag(given, "use_tls", fields);
  const use_ssl = readFlag(given, "use_ssl", fields);
  // Without any TLS, mail and password would cross the network in clear text.
  if (Object.keys(fields).length === 0 && !use_tls && !use_ssl && !debug) fields["credentials.use_tls"] = ["required"];
  const username = readSecret(given, "username", fields);
  const password = readSecret(given, "password", fields);
  if (username !== "" && isMissing(given.password)) fields["credentials.password"] = ["required"];
  if (password !== "" && isMissing(given.username)) fields["credentials.username"] = ["required"];
  const { vendor } = given;
  if (vendor !== undefined && !isVendor(vendor)) fields["credentials.vendor"] = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  // `use_ssl` wins over `use_tls`.
  return {
    port: port as number,
    username,
    password,
    use_tls: use_tls && !use_ssl,
    use_ssl,
    ...(isVendor(vendor) ? { vendor } : {}),
  };
}

/** A name that does not resolve is refused here, where somebody can correct it. */
async function readHost(value: unknown, resolve: (name: string) => Promise<string[]>): Promise<string> {
  if (isMissing(value)) throw hostRefused("required");
  const host = typeof value === "string" ? value.trim().toLowerCase() : "";
  const check = host === "" || host.length > 253 ? null : await checkPublicHost(host, resolve);
  if (!check?.ok) throw hostRefused("not_public");
  return check.host;
}

function hostRefused(code: "required" | "not_public"): Problem {
  return new Problem("provider_host_not_public", { field_errors: { "credentials.host": [code] } });
}

function readFlag(given: Record<string, unknown>, name: "use_tls" | "use_ssl", fields: FieldErrors): boolean {
  const value = given[name] ?? false;
  if (typeof value === "boolean") return value;
  fields[`credentials.${name}`] = ["invalid"];
  return false;
}

function readSecret(given: Record<string, unknown>, name: "username" | "password", fields: FieldErrors): string {
  const value = given[name] ?? "";
  if (typeof value === "string" && value.length <= MAX_SECRET_LENGTH && !/\p{Cc}/u.test(value)) return value;
  fields[`credentials.${name}`] = [typeof value === "string" && !/\p{Cc}/u.test(value) ? "too_long" : "invalid"];
  return "";
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** What becomes of the webhook secret; a replaced one stays valid for `overlapMs`. */
export type WebhookChange = { kind: "keep" } | { kind: "clear" } | { kind: "set"; secret: string; overlapMs: number };

/** The webhook secret of `PUT /api/v1/provider`: missing or "" keeps, null clears. */
export function readWebhookChange(body: Record<string, unknown>): WebhookChange {
  const { webhook_secret: secret, webhook_overlap_hours: hours = DEFAULT_OVERLAP_HOURS } = body;
  if (typeof hours !== "number" || !Number.isInteger(hours)) throw invalid({ webhook_overlap_hours: ["invalid"] });
  if (hours < 0 || hours > MAX_OVERLAP_HOURS) throw invalid({ webhook_overlap_hours: ["out_of_range"] });
  if (secret === undefined || secret === "") return { kind: "keep" };
  if (secret === null) return { kind: "clear" };
  if (typeof secret !== "string" || !isWebhookSecret(secret)) throw invalid({ webhook_secret: ["invalid"] });
  return { kind: "set", secret, overlapMs: hours * HOUR_MS };
}

/** 1 to 256 characters; after `whsec_` strict base64 of at least one byte, so that verifying cannot fail later. */
function isWebhookSecret(secret: string): boolean {
  if ([...secret].length > 256) return false;
  if (!secret.startsWith(SECRET_PREFIX)) return true;
  const encoded = secret.slice(SECRET_PREFIX.length);
  if (encoded === "" || encoded.length % 4 !== 0) return false;
  try {
    base64ToBytes(encoded);
    return true;
  } catch {
    // The only thing it throws: a text that is not base64, which is the answer.
    return false;
  }
}
