import { hmacHex } from "../../kit/crypto/hash";
import { type KeyRing, open, SealError } from "../../kit/crypto/seal";
import type { EmailKeys } from "../keys";
import type { ApiConfig, SmtpConfig } from "../providers/types";
import type { Lane } from "../services";
import type { EmailSettings } from "../settings";
import type { CompanyProviderRow } from "./company-provider.store";
import type { LaneStateRow } from "./pause.store";

export type Scope = "company" | "platform";

/** The settings that decide about senders. */
export type SenderSettings = Pick<
  EmailSettings,
  | "fallbackProvider"
  | "platformApi"
  | "relay"
  | "defaultFrom"
  | "bulkFrom"
  | "allowCompanySmtp"
  | "platformCompanyIds"
  | "apiTimeoutMs"
  | "smtpTimeoutMs"
>;

/** Keys that open and recognise credentials. */
export type SenderKeys = Pick<EmailKeys, "credentials" | "peppers">;

/** Who really sends: the From, the credentials and why (email details 3.6). `fingerprint` is that of the credentials. */
export type Sender = {
  scope: Scope;
  provider: "api" | "smtp";
  from: { name: string; address: string };
  replyTo?: string;
  config: ({ kind: "api" } & ApiConfig) | ({ kind: "smtp" } & SmtpConfig);
  fingerprint: string;
  reason: string;
};

export type SenderRefusal =
  | "platform_sender_not_allowed"
  | "company_smtp_disabled"
  | "provider_not_configured"
  | "bulk_sender_required";

export type SenderChoice = { ok: true; sender: Sender } | { ok: false; code: SenderRefusal };

export type SenderInput = {
  lane: Lane;
  companyId: number;
  usePlatformSender: boolean;
  providerRow: CompanyProviderRow | null;
};

/** The credentials of a provider row as they are sealed: `api_key`, or the six keys of a relay (Document 2, provider). */
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
    };

/** The additional data of `company_providers.credentials_enc` (email details 15.1). */
export function credentialsAad(companyId: number, sealId: string): string {
  return `email:company_providers:credentials_enc:${companyId}:${sealId}`;
}

/** HMAC (64 hex) that tells whether two credentials are the same, without telling them (email details 5.5). */
export function fingerprintCredentials(credentials: ProviderCredentials, keys: SenderKeys): Promise<string> {
  const { kind } = credentials;
  const parts =
    kind === "api"
      ? [credentials.api_key]
      : [credentials.host, credentials.port, credentials.username, credentials.password];
  return hmacHex(keys.peppers[0] ?? new Uint8Array(), JSON.stringify(["credentials", kind, ...parts]));
}

/** Who sends a message that is being accepted (email details 3.6). */
export async function chooseSender(
  input: SenderInput,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  const { lane, companyId, usePlatformSender, providerRow } = input;
  if (usePlatformSender) return platformSender(lane, settings, keys, "platform_requested");
  const isPlatformCompany = settings.platformCompanyIds.has(companyId);
  if (providerRow !== null) {
    const choice = await companySender(lane, providerRow, settings, keys);
    if (choice.ok) return choice;
    if (lane !== "auth") {
      if (choice.code === "company_smtp_disabled") return choice;
      if (choice.code === "bulk_sender_required" && !isPlatformCompany) return choice;
    }
  }
  if (lane !== "auth" && !isPlatformCompany) return { ok: false, code: "platform_sender_not_allowed" };
  return platformSender(lane, settings, keys, isPlatformCompany ? "platform_company" : "fallback");
}

/** The company's own sender; `provider_not_configured` when its row is incomplete or does not open. */
export async function companySender(
  lane: Lane,
  row: CompanyProviderRow,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  if (row.provider === "smtp" && !settings.allowCompanySmtp) return { ok: false, code: "company_smtp_disabled" };
  const credentials = await openCredentials(row, keys.credentials);
  const config = credentials === null ? null : companyConfig(credentials, settings);
  if (config === null || row.from_email === "") return { ok: false, code: "provider_not_configured" };
  const address = lane === "bulk" ? row.bulk_from_email : row.from_email;
  if (address === "") return { ok: false, code: "bulk_sender_required" };
  return {
    ok: true,
    sender: {
      scope: "company",
      provider: row.provider,
      from: { name: row.from_name, address },
      ...(row.reply_to === "" ? {} : { replyTo: row.reply_to }),
      config,
      fingerprint: row.fingerprint,
      reason: "company_provider",
    },
  };
}

/** The platform's sender by `EMAIL_FALLBACK_PROVIDER`, with the platform From of the lane. */
export async function platformSender(
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
  reason = "fallback",
): Promise<SenderChoice> {
  const sender = await platformSenderBy(settings.fallbackProvider, lane, settings, keys, reason);
  return sender === null ? { ok: false, code: "provider_not_configured" } : { ok: true, sender };
}

/**
 * The fingerprint of the platform's credentials in force, "" without any: pauses by other ones are over (email details
 * 5.5). The From differs by lane, the credentials do not.
 */
export async function fingerprintPlatform(settings: SenderSettings, keys: SenderKeys): Promise<string> {
  const platform = await platformSender("auth", settings, keys);
  return platform.ok ? platform.sender.fingerprint : "";
}

/**
 * Where a message moves when its first sender does not take it (email details 5.3): company to platform, platform `api`
 * to the platform relay and the reverse; null when there is nothing to move to.
 */
export async function otherSender(
  first: Pick<Sender, "scope" | "provider">,
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<Sender | null> {
  if (first.scope === "company") {
    return platformSenderBy(settings.fallbackProvider, lane, settings, keys, "other_sender");
  }
  return platformSenderBy(first.provider === "api" ? "smtp" : "api", lane, settings, keys, "other_sender");
}

/** Whether an address is a platform From, in any case (email details 6.1, check 4). */
export function isPlatformAddress(address: string, settings: SenderSettings): boolean {
  const platform = [settings.defaultFrom, settings.bulkFrom].map((from) => from.address.toLowerCase());
  return address !== "" && platform.includes(address.toLowerCase());
}

/** The credentials of a row, or null when they do not open or are not complete. */
async function openCredentials(row: CompanyProviderRow, keys: KeyRing): Promise<ProviderCredentials | null> {
  try {
    const opened: unknown = JSON.parse(
      await open(row.credentials_enc, keys, credentialsAad(row.company_id, row.seal_id)),
    );
    return readCredentials(row.provider, opened);
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function readCredentials(kind: "api" | "smtp", value: unknown): ProviderCredentials | null {
  if (typeof value !== "object" || value === null) return null;
  if (kind === "api") {
    const { api_key } = value as { api_key?: unknown };
    return typeof api_key === "string" && api_key !== "" ? { kind, api_key } : null;
  }
  const { host, port, username, password, use_tls, use_ssl } = value as Record<string, unknown>;
  if (typeof host !== "string" || host === "" || typeof port !== "number") return null;
  return {
    kind,
    host,
    port,
    username: typeof username === "string" ? username : "",
    password: typeof password === "string" ? password : "",
    use_tls: use_tls === true,
    use_ssl: use_ssl === true,
  };
}

function companyConfig(credentials: ProviderCredentials, settings: SenderSettings): Sender["config"] | null {
  if (credentials.kind === "api") {
    const { apiTimeoutMs: timeoutMs } = settings;
    const { baseUrl } = settings.platformApi;
    return baseUrl === null ? null : { kind: "api", baseUrl, apiKey: credentials.api_key, timeoutMs };
  }
  const { host, port, username, password, use_tls: useTls, use_ssl: useSsl } = credentials;
  const timeoutMs = settings.smtpTimeoutMs;
  return { kind: "smtp", host, port, username, password, useTls, useSsl, timeoutMs, checkPublicHost: true };
}

async function platformSenderBy(
  provider: "api" | "smtp" | "none",
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
  reason: string,
): Promise<Sender | null> {
  const from = lane === "bulk" ? settings.bulkFrom : settings.defaultFrom;
  const platform = platformConfig(provider, settings);
  if (platform === null) return null;
  const fingerprint = await fingerprintCredentials(platform.credentials, keys);
  return { scope: "platform", provider: platform.config.kind, from, config: platform.config, fingerprint, reason };
}

function platformConfig(
  provider: "api" | "smtp" | "none",
  settings: SenderSettings,
): { config: Sender["config"]; credentials: ProviderCredentials } | null {
  if (provider === "api") {
    const { apiKey, baseUrl } = settings.platformApi;
    if (apiKey === "" || baseUrl === null) return null;
    return {
      config: { kind: "api", baseUrl, apiKey, timeoutMs: settings.apiTimeoutMs },
      credentials: { kind: "api", api_key: apiKey },
    };
  }
  const { relay } = settings;
  if (provider === "none" || relay.host === "") return null;
  const { host, port, username, password, useTls: use_tls, useSsl: use_ssl } = relay;
  return {
    // The relay is the operator's own: its host is not checked as public (5.4).
    config: { kind: "smtp", ...relay, timeoutMs: settings.smtpTimeoutMs, checkPublicHost: false },
    credentials: { kind: "smtp", host, port, username, password, use_tls, use_ssl },
  };
}

/**
 * The pause that holds a message back, or null: one for everybody, or one of this company for the sender's scope. A
 * pause by refused credentials counts only while those are in force (email details 5.5).
 */
export function findPause(
  pauses: readonly LaneStateRow[],
  sender: Pick<Sender, "scope" | "fingerprint"> | null,
): LaneStateRow | null {
  const holds = (row: LaneStateRow) =>
    row.paused === 1 &&
    (row.company_id === 0 ||
      (row.scope === sender?.scope && (row.fingerprint === null || row.fingerprint === sender.fingerprint)));
  return pauses.find(holds) ?? null;
}
