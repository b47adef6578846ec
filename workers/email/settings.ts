import { readIssuerSettings } from "../kit/auth/issuer";
import { readJobSettings } from "../kit/jobs/settings";
import { parseOperatorKey } from "../kit/management/operator";
import {
  oncePerIsolate,
  parseBase64Key,
  parseBoolean,
  parseChoice,
  parseInteger,
  parseList,
  parseRate,
  parseUrlBase,
  type Rate,
  required,
  SettingError,
  settingText,
  withDefault,
} from "../kit/settings";
import { parseActionsSettings } from "../kit/webhooks/settings";
import type { EmailBindings } from "./bindings";

const HOUR = 3_600_000;
const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** Settings of email, durations in milliseconds (email details 1.6). Throws a SettingError that names the bad one. */
export const settingsOf = oncePerIsolate((env: EmailBindings) => {
  const debug = parseBoolean("DEBUG", withDefault(env.DEBUG, "false"));
  // First of all, because without a broker nothing is answered, health included.
  const jobs = readJobSettings(env, { debug, queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] });
  const integer = (name: keyof EmailBindings, fallback: number, min: number, max: number) =>
    parseInteger(name, withDefault(env[name], String(fallback)), { min, max });
  const flag = (name: keyof EmailBindings, fallback: boolean) =>
    parseBoolean(name, withDefault(env[name], String(fallback)));
  const urlBase = (name: keyof EmailBindings) => {
    const text = settingText(env[name]);
    return text === "" ? null : parseUrlBase(name, text, { debug });
  };
  const rate = (limit: number, windowSeconds: number): Rate => ({ limit, windowMs: windowSeconds * 1000 });
  const keyList = (name: keyof EmailBindings) => parseList(env[name]).map((entry) => parseBase64Key(name, entry));
  const publicBaseUrl = parseUrlBase("PUBLIC_BASE_URL", required("PUBLIC_BASE_URL", env.PUBLIC_BASE_URL), { debug });
  const previousPepper = settingText(env.EMAIL_HASH_PEPPER_PREVIOUS);
  const defaultFrom = readAddress("DEFAULT_FROM_EMAIL", required("DEFAULT_FROM_EMAIL", env.DEFAULT_FROM_EMAIL));

  return {
    debug,
    jobs,
    // This service posts to no event ingest (email details 11, point 3).
    actions: {
      ...parseActionsSettings(env, { debug }),
      email: { url: null, key: "", allowPrivate: false },
    },
    corsAllowedOrigins: parseList(env.CORS_ALLOWED_ORIGINS),
    publicBaseUrl,
    emailPublicUrl: urlBase("EMAIL_PUBLIC_URL") ?? publicBaseUrl,
    identity: readIssuerSettings(env, { debug }),
    authLinkHosts: readLinkHosts(env.EMAIL_AUTH_LINK_HOSTS, debug),
    fallbackProvider: readFallback(env),
    platformApi: readPlatformApi(env, debug),
    relay: {
      host: settingText(env.EMAIL_HOST),
      port: integer("EMAIL_PORT", 587, 1, 65_535),
      username: settingText(env.EMAIL_HOST_USER),
      password: settingText(env.EMAIL_HOST_PASSWORD),
      useTls: flag("EMAIL_USE_TLS", true),
      useSsl: flag("EMAIL_USE_SSL", false),
    },
    defaultFrom: { name: withDefault(env.DEFAULT_FROM_NAME, "Platform"), address: defaultFrom },
    bulkFrom: {
      name: withDefault(env.BULK_FROM_NAME, "Platform"),
      address: readAddress("BULK_FROM_EMAIL", withDefault(env.BULK_FROM_EMAIL, defaultFrom)),
    },
    allowCompanySmtp: flag("EMAIL_ALLOW_COMPANY_SMTP", false),
    platformCompanyIds: readCompanyIds(env.EMAIL_PLATFORM_COMPANY_IDS),
    deliverSync: flag("EMAIL_DELIVER_SYNC", false),
    idempotencyMs: integer("EMAIL_IDEMPOTENCY_HOURS", 24, 1, 8760) * HOUR,
    authMaxTtlSeconds: integer("EMAIL_AUTH_MAX_TTL_SECONDS", 300, 1, 86_400),
    eventRetentionDays: integer("EVENT_LOG_RETENTION_DAYS", 7, 1, 3650),
    operatorKey: parseOperatorKey(env.OPERATOR_KEY),
    messageRetentionDays: integer("EMAIL_MESSAGE_RETENTION_DAYS", 30, 1, 3650),
    /** A limit of 0 turns the rate off (`toCounters` leaves it out). */
    rates: {
      companyAuth: rate(
        integer("EMAIL_COMPANY_AUTH_LIMIT", 30, 0, 1_000_000),
        integer("EMAIL_COMPANY_AUTH_WINDOW_SECONDS", 60, 1, 86_400),
      ),
      recipientAuth: rate(
        integer("EMAIL_RECIPIENT_AUTH_LIMIT", 5, 0, 1_000_000),
        integer("EMAIL_RECIPIENT_AUTH_WINDOW_SECONDS", 600, 1, 86_400),
      ),
      companyTransactional: rate(integer("EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR", 1000, 0, 1_000_000), 3600),
      recipientTransactional: rate(integer("EMAIL_RECIPIENT_TRANSACTIONAL_PER_HOUR", 0, 0, 1_000_000), 3600),
      mutation: parseRate("API_MUTATION_RATE_LIMIT", withDefault(env.API_MUTATION_RATE_LIMIT, "300/min"), { debug }),
    },
    maxRecipients: integer("EMAIL_MAX_RECIPIENTS", 50, 1, 50),
    maxBatchItems: integer("EMAIL_MAX_BATCH_ITEMS", 500, 1, 500),
    maxVariablesBytes: integer("EMAIL_MAX_VARIABLES_BYTES", 8192, 1, 8192),
    leaseMs: {
      auth: integer("EMAIL_AUTH_SEND_LEASE_SECONDS", 30, 10, 600) * 1000,
      other: integer("EMAIL_SEND_LEASE_SECONDS", 120, 10, 600) * 1000,
    },
    apiTimeoutMs: integer("EMAIL_API_TIMEOUT_SECONDS", 10, 1, 60) * 1000,
    smtpTimeoutMs: integer("EMAIL_SMTP_TIMEOUT_SECONDS", 15, 1, 60) * 1000,
    dnsResolverUrl: withDefault(
      env.EMAIL_DNS_RESOLVER_URL,
      withDefault(env.ACTIONS_DNS_RESOLVER_URL, "https://cloudflare-dns.com/dns-query"),
    ),
    /** Raw 32-byte keys; keys.ts imports them once. */
    rawKeys: {
      variables: parseBase64Key("EMAIL_VARIABLES_KEY", env.EMAIL_VARIABLES_KEY),
      variablesPrevious: keyList("EMAIL_VARIABLES_PREVIOUS_KEYS"),
      credentials: parseBase64Key("EMAIL_CREDENTIALS_KEY", env.EMAIL_CREDENTIALS_KEY),
      credentialsPrevious: keyList("EMAIL_CREDENTIALS_PREVIOUS_KEYS"),
      pepper: parseBase64Key("EMAIL_HASH_PEPPER", env.EMAIL_HASH_PEPPER, { orMore: true }),
      pepperPrevious:
        previousPepper === "" ? null : parseBase64Key("EMAIL_HASH_PEPPER_PREVIOUS", previousPepper, { orMore: true }),
    },
  };
});

export type EmailSettings = ReturnType<typeof settingsOf>;

/** Host entries in lower case; outside debug the loopback hosts are left out (Document 2, "Service settings"). */
function readLinkHosts(raw: unknown, debug: boolean): string[] {
  const text = debug
    ? withDefault(raw, LOOPBACK.join(","))
    : required("EMAIL_AUTH_LINK_HOSTS", raw, "a comma separated list of hosts");
  const hosts = parseList(text).map((entry) => entry.toLowerCase());
  if (!hosts.every((host) => /^(?:[a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?|[0-9a-f:]+)$/.test(host))) {
    throw new SettingError("EMAIL_AUTH_LINK_HOSTS", "hosts with an optional :port, comma separated, no wildcards");
  }
  return debug ? hosts : hosts.filter((host) => !isLoopbackEntry(host));
}

function isLoopbackEntry(entry: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(entry) || entry === "::1";
}

function readFallback(env: EmailBindings): "api" | "smtp" | "none" {
  const smtpOrNone = settingText(env.EMAIL_HOST) === "" ? "none" : "smtp";
  const fallback = settingText(env.PROVIDER_API_KEY) === "" ? smtpOrNone : "api";
  return parseChoice("EMAIL_FALLBACK_PROVIDER", withDefault(env.EMAIL_FALLBACK_PROVIDER, fallback), [
    "api",
    "smtp",
    "none",
  ]);
}

/** The mail API: `baseUrl` is null when unset, which a platform key does not allow. In debug http on loopback passes. */
function readPlatformApi(env: EmailBindings, debug: boolean): { apiKey: string; baseUrl: string | null } {
  const apiKey = settingText(env.PROVIDER_API_KEY);
  const text = settingText(env.PROVIDER_API_URL);
  const allowed = debug ? "an https URL, or http on loopback, without trailing slash" : "an https URL";
  if (text === "") {
    if (apiKey !== "") throw new SettingError("PROVIDER_API_URL", allowed);
    return { apiKey, baseUrl: null };
  }
  const baseUrl = parseUrlBase("PROVIDER_API_URL", text, { debug });
  const url = new URL(baseUrl);
  if (url.protocol === "http:" && !LOOPBACK.includes(url.hostname.replace(/^\[|\]$/g, ""))) {
    throw new SettingError("PROVIDER_API_URL", allowed);
  }
  return { apiKey, baseUrl };
}

function readAddress(name: string, text: string): string {
  if (!/^[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,189}$/.test(text)) throw new SettingError(name, "one bare mail address");
  return text;
}

function readCompanyIds(raw: unknown): ReadonlySet<number> {
  const name = "EMAIL_PLATFORM_COMPANY_IDS";
  return new Set(parseList(raw).map((entry) => parseInteger(name, entry, { min: 1, max: Number.MAX_SAFE_INTEGER })));
}
