import { issuerTable } from "../kit/auth/issuer";
import { jobTable, readJobSettings } from "../kit/jobs/settings";
import { mutationRate, serviceTable } from "../kit/service-settings";
import {
  base64Key,
  baseUrl,
  flag,
  hours,
  integer,
  listOf,
  longBase64Key,
  rate,
  seconds,
  url,
} from "../kit/settings/setting-types";
import {
  oncePerIsolate,
  readSettings,
  required,
  requiredUnlessDebug,
  SettingError,
  type SettingsTable,
  sameAs,
} from "../kit/settings/settings";
import { webhookTable } from "../kit/webhooks/settings";
import type { EmailBindings } from "./bindings";
import { LOOPBACK, linkHosts, perHour } from "./setting-types";
import { newsletterTable } from "./settings/newsletters";
import { findPlatformTransport, senderTable } from "./settings/sender";
import { watchTable } from "./settings/watch";

/** The settings of the email service. */
export const settingsTable = {
  ...serviceTable,
  jobs: jobTable,
  webhooks: webhookTable,
  identity: issuerTable,

  publicBaseUrl: {
    name: "PUBLIC_BASE_URL",
    type: baseUrl,
    default: required,
    meaning: "Public base URL of email, for unsubscribe links",
  },
  emailPublicUrl: {
    name: "EMAIL_PUBLIC_URL",
    type: baseUrl,
    default: sameAs("PUBLIC_BASE_URL"),
    meaning: "Base URL of images in mail",
  },
  authLinkHosts: {
    name: "EMAIL_AUTH_LINK_HOSTS",
    type: linkHosts,
    default: requiredUnlessDebug(LOOPBACK.join(",")),
    meaning:
      "Allowed hosts of links in sign-in mail, such as `identity.example.com`; a host without a port allows every port",
  },

  ...senderTable,

  idempotencyMs: {
    name: "EMAIL_IDEMPOTENCY_HOURS",
    type: hours(1, 8760),
    default: "24",
    meaning: "Time for which idempotency keys are stored",
  },
  messageRetentionDays: {
    name: "EMAIL_MESSAGE_RETENTION_DAYS",
    type: integer(1, 3650),
    default: "30",
    meaning: "Retention of final messages",
  },
  authMaxTtlSeconds: {
    name: "EMAIL_AUTH_MAX_TTL_SECONDS",
    type: integer(1, 86_400),
    default: "300",
    meaning: "Maximum time for which the delivery of a sign-in mail is attempted",
  },
  maxRecipients: {
    name: "EMAIL_MAX_RECIPIENTS",
    type: integer(1, 50),
    default: "50",
    meaning: "Maximum recipients of one request",
  },
  broadcastMaxRecipients: {
    name: "EMAIL_BROADCAST_MAX_RECIPIENTS",
    type: integer(1, 100_000),
    default: "10000",
    meaning: "Maximum recipients of one broadcast",
  },
  maxBatchItems: {
    name: "EMAIL_MAX_BATCH_ITEMS",
    type: integer(1, 500),
    default: "500",
    meaning: "Maximum messages of one batch request",
  },
  maxVariablesBytes: {
    name: "EMAIL_MAX_VARIABLES_BYTES",
    type: integer(1, 8192),
    default: "8192",
    meaning: "Maximum size of the variables of one message, as JSON in bytes",
  },
  maxAttachments: {
    name: "EMAIL_MAX_ATTACHMENTS",
    type: integer(0, 10),
    default: "10",
    meaning: "Maximum attachments of one request",
  },
  maxAttachmentBytes: {
    name: "EMAIL_MAX_ATTACHMENT_BYTES",
    type: integer(0, 5_242_880),
    default: "5242880",
    meaning: "Maximum size of the attachments of one request together, in bytes",
  },
  maxDocumentBytes: {
    name: "EMAIL_MAX_DOCUMENT_BYTES",
    type: integer(1, 524_288),
    default: "524288",
    meaning: "Maximum size of one editor document, as JSON in bytes",
  },
  /** A limit of 0 disables the rate limit, because `toCounters` omits it. */
  rates: {
    companyAuth: {
      limit: {
        name: "EMAIL_COMPANY_AUTH_LIMIT",
        type: integer(0, 1_000_000),
        default: "30",
        meaning: "Sign-in mails per company within `EMAIL_COMPANY_AUTH_WINDOW_SECONDS`; 0: no limit",
      },
      windowMs: {
        name: "EMAIL_COMPANY_AUTH_WINDOW_SECONDS",
        type: seconds(1, 86_400),
        default: "60",
        meaning: "Length of the window in which `EMAIL_COMPANY_AUTH_LIMIT` counts",
      },
    },
    recipientAuth: {
      limit: {
        name: "EMAIL_RECIPIENT_AUTH_LIMIT",
        type: integer(0, 1_000_000),
        default: "5",
        meaning: "Sign-in mails per company and recipient within `EMAIL_RECIPIENT_AUTH_WINDOW_SECONDS`; 0: no limit",
      },
      windowMs: {
        name: "EMAIL_RECIPIENT_AUTH_WINDOW_SECONDS",
        type: seconds(1, 86_400),
        default: "600",
        meaning: "Length of the window in which `EMAIL_RECIPIENT_AUTH_LIMIT` counts",
      },
    },
    companyTransactional: {
      name: "EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR",
      type: perHour,
      default: "1000",
      meaning: "Transactional mails per company and hour; 0: no limit",
    },
    recipientTransactional: {
      name: "EMAIL_RECIPIENT_TRANSACTIONAL_PER_HOUR",
      type: perHour,
      default: "0",
      meaning: "Transactional mails per company, recipient and hour; 0: no limit",
    },
    mutation: mutationRate,
    wrongKey: {
      name: "EMAIL_WRONG_KEY_RATE_LIMIT",
      type: rate,
      default: "60/min",
      meaning: "Requests with an unknown service key, per network address; valid keys are never limited by it",
    },
  },

  bulkRates: {
    company: {
      name: "EMAIL_BULK_RATE_PER_SECOND",
      type: integer(0, 10_000),
      default: "10",
      meaning: "Bulk mails per company and second; 0: no limit",
    },
    sender: {
      name: "EMAIL_BULK_SENDER_RATE_PER_SECOND",
      type: integer(0, 10_000),
      default: "50",
      meaning: "Bulk mails per second of all companies in `EMAIL_PLATFORM_COMPANY_IDS` together; 0: no limit",
    },
  },

  leaseMs: {
    auth: {
      name: "EMAIL_AUTH_SEND_LEASE_SECONDS",
      type: seconds(10, 600),
      default: "30",
      meaning: "Lease of a claimed sign-in mail; the attempt must end 5 seconds before the lease ends",
    },
    other: {
      name: "EMAIL_SEND_LEASE_SECONDS",
      type: seconds(10, 600),
      default: "120",
      meaning: "Lease of any other claimed mail; the attempt must end 5 seconds before the lease ends",
    },
  },
  apiTimeoutMs: {
    name: "EMAIL_API_TIMEOUT_SECONDS",
    type: seconds(1, 60),
    default: "10",
    meaning: "Timeout of a request to a mail API",
  },
  smtpTimeoutMs: {
    name: "EMAIL_SMTP_TIMEOUT_SECONDS",
    type: seconds(1, 60),
    default: "15",
    meaning: "Timeout of each step of an SMTP conversation",
  },
  newsletters: newsletterTable,
  watch: watchTable,
  dnsResolverUrl: {
    name: "EMAIL_DNS_RESOLVER_URL",
    type: url,
    default: sameAs("ACTIONS_DNS_RESOLVER_URL"),
    meaning:
      "DNS over HTTPS resolver, used to check before each connection to a company's provider that its host is public",
  },
  deliverSync: {
    name: "EMAIL_DELIVER_SYNC",
    type: flag,
    default: "false",
    meaning: "For tests: send mail before the response",
  },

  /** raw bytes; keys.ts imports them once per isolate */
  rawKeys: {
    variables: {
      name: "EMAIL_VARIABLES_KEY",
      type: base64Key,
      default: required,
      secret: "random bytes",
      meaning: "Encrypts message variables and event data about messages",
    },
    variablesPrevious: {
      name: "EMAIL_VARIABLES_PREVIOUS_KEYS",
      type: listOf(base64Key),
      default: "",
      secret: "given",
      meaning: "Previous values of `EMAIL_VARIABLES_KEY`, which still decrypt stored values",
    },
    credentials: {
      name: "EMAIL_CREDENTIALS_KEY",
      type: base64Key,
      default: required,
      secret: "random bytes",
      meaning: "Encrypts credentials of companies' providers",
    },
    credentialsPrevious: {
      name: "EMAIL_CREDENTIALS_PREVIOUS_KEYS",
      type: listOf(base64Key),
      default: "",
      secret: "given",
      meaning: "Previous values of `EMAIL_CREDENTIALS_KEY`, which still decrypt stored values",
    },
    pepper: {
      name: "EMAIL_HASH_PEPPER",
      type: longBase64Key,
      default: required,
      secret: "random bytes",
      meaning: "Pepper that hashes addresses and signs unsubscribe links",
    },
    pepperPrevious: {
      name: "EMAIL_HASH_PEPPER_PREVIOUS",
      type: longBase64Key,
      secret: "given",
      meaning: "Previous value of `EMAIL_HASH_PEPPER`, with which stored hashes are still found",
    },
  },
} as const satisfies SettingsTable;

/** Returns the settings, with times in ms. Throws a SettingError for an invalid setting, or a DeploymentError. */
export const settingsOf = oncePerIsolate((env: EmailBindings) => {
  const jobs = readJobSettings(env, { queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] });
  const settings = readSettings(settingsTable, env);
  const { platformApi, watch, debug } = settings;
  if (platformApi.apiKey !== "" && platformApi.baseUrl === null) {
    const { name, type } = settingsTable.platformApi.baseUrl;
    throw new SettingError(name, `${type({ debug }).description}`);
  }
  if (watch.webhookUrl !== null && watch.webhookSecret === null) {
    const { name, type } = settingsTable.watch.webhookSecret;
    throw new SettingError(name, `${type({ debug }).description}`);
  }
  // The email service does not forward its events to itself.
  return {
    ...settings,
    jobs,
    platformTransport: findPlatformTransport(settings),
    sendEmail: env.SEND_EMAIL ?? null,
    webhooks: { ...settings.webhooks, email: { url: null, key: "", allowPrivate: false, consoleUrl: null } },
  };
});

export type EmailSettings = ReturnType<typeof settingsOf>;
