import { jobTable, readJobSettings } from "../kit/jobs/settings";
import { mutationRate, serviceTable } from "../kit/service-settings";
import { baseUrl, choice, duration, flag, rate, schemaOf, seconds, text } from "../kit/settings/setting-types";
import {
  oncePerIsolate,
  readSettings,
  required,
  type SettingsTable,
  type SettingType,
  sameAs,
} from "../kit/settings/settings";
import { emailPostTable, webhookTable } from "../kit/webhooks/settings";
import type { IdentityBindings } from "./bindings";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Maximum lifetime of a personal access token: 100 years. The expiry after a much longer one would not be a valid date. */
const MAX_PAT_MS = 36_525 * DAY_MS;

/** The environment variables of identity. */
export const settingsTable = {
  ...serviceTable,
  jobs: jobTable,
  webhooks: { ...webhookTable, email: emailPostTable },

  issuer: {
    name: "JWT_ISSUER",
    type: baseUrl,
    default: required,
    meaning: "Public base URL of identity: `iss` of tokens and base of links in mail",
  },
  audience: { name: "JWT_AUDIENCE", type: text, default: "platform", meaning: "`aud` of tokens" },
  privateKeyPem: {
    name: "JWT_PRIVATE_KEY",
    type: pem("an RSA key in PKCS#8 PEM"),
    default: required,
    secret: "RSA key",
    meaning: "Private key that signs tokens, 2048 bits or more; line breaks may be `\\n`",
  },
  previousPublicKeyPem: {
    name: "JWT_PREVIOUS_PUBLIC_KEY",
    type: pem("an RSA public key in SPKI PEM"),
    default: "",
    meaning: "Public key of the previous signing key, whose tokens are still accepted",
  },
  secretKey: {
    name: "SECRET_KEY",
    type: longText,
    default: required,
    secret: "random bytes",
    meaning:
      "Secret from which the keys for refresh tokens, sign-in codes, session-end tokens, hashes and encrypted values are derived",
  },
  previousSecretKey: {
    name: "SECRET_KEY_PREVIOUS",
    type: longText,
    default: "",
    secret: "given",
    meaning: "Previous value of `SECRET_KEY`, which still verifies and decrypts",
  },

  accessTokenMs: {
    name: "JWT_ACCESS_TOKEN_LIFETIME",
    type: duration({ min: MINUTE_MS, max: HOUR_MS }),
    default: "5m",
    meaning: "Lifetime of an access token",
  },
  refreshIdleMs: {
    name: "JWT_REFRESH_TOKEN_LIFETIME",
    type: duration(),
    default: "7d",
    meaning: "Idle time after which a session ends",
  },
  sessionAbsoluteMs: {
    name: "SESSION_ABSOLUTE_LIFETIME",
    type: duration(),
    default: "90d",
    meaning: "Maximum lifetime of a session",
  },
  refreshGraceMs: {
    name: "REFRESH_GRACE_SECONDS",
    type: seconds(0, 300),
    default: "30",
    meaning: "Time for which the previous refresh token is still accepted",
  },
  patMs: {
    name: "PERSONAL_ACCESS_TOKEN_LIFETIME",
    type: duration({ max: MAX_PAT_MS }),
    default: "30d",
    meaning: "Maximum lifetime of a personal access token",
  },
  invitationMs: {
    name: "INVITATION_LIFETIME",
    type: duration(),
    default: "14d",
    meaning: "Time for which an invitation can be accepted",
  },
  scimEnabled: {
    name: "SCIM_ENABLED",
    type: flag,
    default: "true",
    meaning: "Enables directory sync (SCIM) for all companies",
  },
  accountDeleteMaxAuthAgeMs: {
    name: "ACCOUNT_DELETE_MAX_AUTH_AGE",
    type: duration(),
    default: "5m",
    meaning: "Maximum age of the sign-in of a user who deletes their account",
  },

  tokenDelivery: {
    name: "OAUTH_TOKEN_DELIVERY",
    type: choice("code", "fragment"),
    default: "code",
    meaning: "How tokens are delivered to a browser",
  },
  authCodeMs: {
    name: "OAUTH_SESSION_CODE_TTL_SECONDS",
    type: seconds(30, 600),
    default: "120",
    meaning: "Lifetime of the auth code that an application redeems for tokens",
  },
  magicLinkEnabled: {
    name: "MAGIC_LINK_ENABLED",
    type: flag,
    default: "true",
    meaning: "Enables magic links for all companies",
  },
  magicLinkMs: {
    name: "MAGIC_LINK_TTL_SECONDS",
    type: seconds(60, 86_400),
    default: "1800",
    meaning: "Lifetime of a magic link",
  },
  signInCode: {
    name: "MAGIC_LINK_SIGN_IN_CODE",
    type: flag,
    default: "true",
    meaning: "The mail with the link also contains a code that users can type instead of opening the link",
  },

  emailServiceUrl: emailPostTable.url,
  emailServiceKey: emailPostTable.key,
  emailTimeoutMs: {
    name: "EMAIL_SERVICE_TIMEOUT_SECONDS",
    type: duration(),
    default: "5",
    meaning: "Timeout of a request to the email service",
  },
  /** resolves the hosts of sign-in providers; the same setting as for webhooks */
  dnsResolverUrl: webhookTable.dnsResolverUrl,

  /** a null rate disables the limit */
  rates: {
    magicLink: {
      name: "AUTH_RATE_LIMIT_MAGIC_LINK",
      type: rate,
      default: "10/min",
      meaning: "Link requests per network address, per user and per company",
    },
    magicLinkUser: {
      name: "AUTH_RATE_LIMIT_MAGIC_LINK_PERSON",
      type: rate,
      default: sameAs("AUTH_RATE_LIMIT_MAGIC_LINK"),
      meaning:
        "Link requests per user in a company; should equal the limit of the email service (`EMAIL_RECIPIENT_AUTH_LIMIT`). `5/10min` in the shipped `wrangler.toml`",
    },
    magicLinkCompany: {
      name: "AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY",
      type: rate,
      default: sameAs("AUTH_RATE_LIMIT_MAGIC_LINK"),
      meaning: "Link requests per company; `600/min` in the shipped `wrangler.toml`",
    },
    magicLinkEmail: {
      name: "AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL",
      type: rate,
      default: "120/h",
      meaning: "Link requests per mail address, across all companies",
    },
    verify: {
      name: "AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY",
      type: rate,
      default: "120/min",
      meaning: "Attempts to use a link or code, per network address",
    },
    oauth: {
      name: "AUTH_RATE_LIMIT_OAUTH",
      type: rate,
      default: "120/min",
      meaning: "Requests to the sign-in page, provider callback and code exchange, per network address",
    },
    refresh: {
      name: "AUTH_RATE_LIMIT_TOKEN_REFRESH",
      type: rate,
      default: "300/min",
      meaning: "Refreshes and sign-outs, per network address",
    },
    settings: {
      name: "AUTH_RATE_LIMIT_SETTINGS",
      type: rate,
      default: "300/min",
      meaning: "Reads of a company's sign-in methods, per network address",
    },
    pat: {
      name: "AUTH_RATE_LIMIT_PAT",
      type: rate,
      default: "60/min",
      meaning: "Changes of personal access tokens, per user",
    },
    invitation: {
      name: "AUTH_RATE_LIMIT_INVITATION",
      type: rate,
      default: "1000/h",
      meaning: "Invitations per company",
    },
    scim: {
      name: "AUTH_RATE_LIMIT_SCIM",
      type: rate,
      default: "1800/min",
      meaning: "SCIM requests per token, and requests with a wrong token per network address",
    },
    mutation: mutationRate,
  },
} as const satisfies SettingsTable;

/**
 * Returns the settings of identity, with times in milliseconds. Throws a SettingError that names the invalid setting, or a
 * DeploymentError.
 */
export const settingsOf = oncePerIsolate((env: IdentityBindings) => {
  const jobs = readJobSettings(env, { queues: [env.SERVICE_QUEUE, env.WEBHOOKS_QUEUE] });
  return { ...readSettings(settingsTable, env), jobs };
});

export type IdentitySettings = ReturnType<typeof settingsOf>;

/**
 * Returns a setting type for PEM text with real line breaks or `\n`, quoted or not. keys.ts checks that the text is the
 * `allowed` key.
 */
function pem(allowed: string): SettingType<string> {
  return () => schemaOf(allowed, (value) => value.replace(/^["']|["']$/g, "").replaceAll("\\n", "\n"), allowed);
}

/** Returns a setting type for text that is empty or has at least 32 bytes. */
function longText(): ReturnType<SettingType<string>> {
  const allowed = "at least 32 bytes";
  const isLong = (value: string) => new TextEncoder().encode(value).length >= 32;
  return schemaOf(allowed, (value) => (value === "" || isLong(value) ? value : undefined), allowed);
}
