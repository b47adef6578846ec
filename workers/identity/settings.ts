import { readJobSettings } from "../kit/jobs/settings";
import { parseOperatorKey } from "../kit/management/operator";
import {
  oncePerIsolate,
  parseBoolean,
  parseChoice,
  parseDuration,
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
import type { IdentityBindings } from "./bindings";

const rateDefaults = {
  AUTH_RATE_LIMIT_MAGIC_LINK: "10/min",
  AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "120/h",
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "120/min",
  AUTH_RATE_LIMIT_OAUTH: "120/min",
  AUTH_RATE_LIMIT_TOKEN_REFRESH: "300/min",
  AUTH_RATE_LIMIT_SETTINGS: "300/min",
  AUTH_RATE_LIMIT_PAT: "60/min",
  API_MUTATION_RATE_LIMIT: "300/min",
} as const;

/** A hundred years: ends beyond it are no dates. */
const maxPatMs = 36_525 * 86_400_000;

const keyRule = "at least 32 bytes";

/** Settings of identity, times in milliseconds (identity details 1.4 and 14). Throws a SettingError that names the bad one. */
export const settingsOf = oncePerIsolate((env: IdentityBindings) => {
  const debug = parseBoolean("DEBUG", withDefault(env.DEBUG, "false"));
  // First of all, because without a broker nothing is answered, health included.
  const jobs = readJobSettings(env, { debug, queues: [env.SERVICE_QUEUE, env.WEBHOOKS_QUEUE] });
  const rate = (name: keyof typeof rateDefaults, fallback: string = rateDefaults[name]): Rate | null =>
    parseRate(name, withDefault(env[name], fallback), { debug });
  const secret = requireLength("SECRET_KEY", required("SECRET_KEY", env.SECRET_KEY, keyRule));
  const magicLink = withDefault(env.AUTH_RATE_LIMIT_MAGIC_LINK, rateDefaults.AUTH_RATE_LIMIT_MAGIC_LINK);
  const emailUrl = settingText(env.EMAIL_SERVICE_URL);
  return {
    debug,
    jobs,
    issuer: parseUrlBase("JWT_ISSUER", required("JWT_ISSUER", env.JWT_ISSUER), { debug }),
    audience: withDefault(env.JWT_AUDIENCE, "platform"),
    privateKeyPem: readPem(required("JWT_PRIVATE_KEY", env.JWT_PRIVATE_KEY, "an RSA key in PKCS#8 PEM")),
    previousPublicKeyPem: readPem(settingText(env.JWT_PREVIOUS_PUBLIC_KEY)),
    secretKey: secret,
    previousSecretKey: requireLength("SECRET_KEY_PREVIOUS", settingText(env.SECRET_KEY_PREVIOUS)),
    accessTokenMs: parseDuration("JWT_ACCESS_TOKEN_LIFETIME", withDefault(env.JWT_ACCESS_TOKEN_LIFETIME, "5m"), {
      min: 60_000,
      max: 3_600_000,
    }),
    refreshIdleMs: parseDuration("JWT_REFRESH_TOKEN_LIFETIME", withDefault(env.JWT_REFRESH_TOKEN_LIFETIME, "7d")),
    sessionAbsoluteMs: parseDuration("SESSION_ABSOLUTE_LIFETIME", withDefault(env.SESSION_ABSOLUTE_LIFETIME, "90d")),
    refreshGraceMs:
      parseInteger("REFRESH_GRACE_SECONDS", withDefault(env.REFRESH_GRACE_SECONDS, "30"), { min: 0, max: 300 }) * 1000,
    patMs: parseDuration("PERSONAL_ACCESS_TOKEN_LIFETIME", withDefault(env.PERSONAL_ACCESS_TOKEN_LIFETIME, "30d"), {
      max: maxPatMs,
    }),
    tokenDelivery: parseChoice("OAUTH_TOKEN_DELIVERY", withDefault(env.OAUTH_TOKEN_DELIVERY, "code"), [
      "code",
      "fragment",
    ]),
    authCodeMs:
      parseInteger("OAUTH_SESSION_CODE_TTL_SECONDS", withDefault(env.OAUTH_SESSION_CODE_TTL_SECONDS, "120"), {
        min: 30,
        max: 600,
      }) * 1000,
    magicLinkEnabled: parseBoolean("MAGIC_LINK_ENABLED", withDefault(env.MAGIC_LINK_ENABLED, "true")),
    magicLinkMs:
      parseInteger("MAGIC_LINK_TTL_SECONDS", withDefault(env.MAGIC_LINK_TTL_SECONDS, "1800"), {
        min: 60,
        max: 86_400,
      }) * 1000,
    signInCode: parseBoolean("MAGIC_LINK_SIGN_IN_CODE", withDefault(env.MAGIC_LINK_SIGN_IN_CODE, "true")),
    emailServiceUrl: emailUrl === "" ? null : parseUrlBase("EMAIL_SERVICE_URL", emailUrl, { debug }),
    emailServiceKey: settingText(env.EMAIL_SERVICE_API_KEY),
    emailTimeoutMs: parseDuration("EMAIL_SERVICE_TIMEOUT_SECONDS", withDefault(env.EMAIL_SERVICE_TIMEOUT_SECONDS, "5")),
    accountDeleteMaxAuthAgeMs: parseDuration(
      "ACCOUNT_DELETE_MAX_AUTH_AGE",
      withDefault(env.ACCOUNT_DELETE_MAX_AUTH_AGE, "5m"),
    ),
    eventRetentionDays: parseInteger("EVENT_LOG_RETENTION_DAYS", withDefault(env.EVENT_LOG_RETENTION_DAYS, "7"), {
      min: 1,
      max: 3650,
    }),
    dnsResolverUrl: withDefault(env.ACTIONS_DNS_RESOLVER_URL, "https://cloudflare-dns.com/dns-query"),
    actions: parseActionsSettings(env, { debug }),
    corsAllowedOrigins: parseList(env.CORS_ALLOWED_ORIGINS),
    operatorKey: parseOperatorKey(env.OPERATOR_KEY),
    rates: {
      magicLink: rate("AUTH_RATE_LIMIT_MAGIC_LINK"),
      magicLinkCompany: parseRate(
        "AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY",
        withDefault(env.AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY, magicLink),
        { debug },
      ),
      magicLinkEmail: rate("AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL"),
      verify: rate("AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY"),
      oauth: rate("AUTH_RATE_LIMIT_OAUTH"),
      refresh: rate("AUTH_RATE_LIMIT_TOKEN_REFRESH"),
      settings: rate("AUTH_RATE_LIMIT_SETTINGS"),
      pat: rate("AUTH_RATE_LIMIT_PAT"),
      mutation: rate("API_MUTATION_RATE_LIMIT"),
    },
  };
});

export type IdentitySettings = ReturnType<typeof settingsOf>;

/** A key of 32 bytes or more, or none. */
function requireLength(name: string, key: string): string {
  if (key !== "" && new TextEncoder().encode(key).length < 32) throw new SettingError(name, keyRule);
  return key;
}

/** PEM with real line breaks or `\n`, quoted or not (details 1.4). */
function readPem(raw: string): string {
  return raw.replace(/^["']|["']$/g, "").replaceAll("\\n", "\n");
}
