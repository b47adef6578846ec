import { importKeyRing, type KeyRing } from "../crypto/seal";
import { base64Key, baseUrl, flag, integer, listOf, seconds, text, url } from "../settings/setting-types";
import { requiredUnlessDebug, type SettingsOf, type SettingsTable } from "../settings/settings";

/** The key that seals secrets in development when none is set. A deployment must have its own key. */
const DEVELOPMENT_KEY = btoa("development key of webhook rules");

/** Settings of webhooks. */
export const webhookTable = {
  leaseMs: {
    name: "ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS",
    type: seconds(60, 900),
    default: "120",
    meaning: "Lease of a delivery claimed by a retry run; it is longer than any attempt",
  },
  /** the total time of one attempt */
  timeoutMs: {
    name: "ACTIONS_WEBHOOK_TIMEOUT_SECONDS",
    type: seconds(1, 30),
    default: "5",
    meaning: "Timeout of one attempt",
  },
  /** the number of parallel attempts in one invocation */
  workers: {
    name: "ACTIONS_WEBHOOK_DISPATCH_WORKERS",
    type: integer(1, 6),
    default: "4",
    meaning: "Concurrent attempts in one invocation",
  },
  allowPrivate: {
    name: "ACTIONS_WEBHOOK_ALLOW_PRIVATE",
    type: flag,
    default: "false",
    meaning: "Allow webhooks to private addresses",
  },
  maxAttempts: {
    name: "ACTIONS_OUTBOX_MAX_ATTEMPTS",
    type: integer(1, 8),
    default: "8",
    meaning: "Maximum attempts of a delivery",
  },
  perRule: {
    name: "ACTIONS_MAX_IN_FLIGHT_PER_RULE",
    type: integer(1, 50),
    default: "8",
    meaning: "Maximum concurrent deliveries of one subscription",
  },
  perHost: {
    name: "ACTIONS_MAX_IN_FLIGHT_PER_HOST",
    type: integer(1, 50),
    default: "16",
    meaning: "Maximum concurrent deliveries to one host",
  },
  /** the number of helper messages that a retry run sends */
  fanout: {
    name: "ACTIONS_RETRY_FANOUT",
    type: integer(0, 50),
    default: "2",
    meaning: "Number of extra invocations that help a `retry_webhooks` run when its first claim is full",
  },
  encryptionKey: {
    name: "ACTIONS_ENCRYPTION_KEY",
    type: base64Key,
    default: requiredUnlessDebug(DEVELOPMENT_KEY, "a fixed, public key"),
    secret: "random bytes",
    meaning: "Encrypts secrets and Authorization values of webhook subscriptions",
  },
  previousEncryptionKeys: {
    name: "ACTIONS_ENCRYPTION_PREVIOUS_KEYS",
    type: listOf(base64Key),
    default: "",
    secret: "given",
    meaning: "Previous keys, still used to decrypt",
  },
  dnsResolverUrl: {
    name: "ACTIONS_DNS_RESOLVER_URL",
    type: url,
    default: "https://cloudflare-dns.com/dns-query",
    meaning:
      "DNS over HTTPS resolver, used to check before each request to a webhook or sign-in provider that its host is public",
  },
  /** whether the response waits for the first attempt */
  isSync: {
    name: "ACTIONS_WEBHOOK_SYNC_DELIVERY",
    type: flag,
    default: "false",
    meaning: "For tests: make the first attempts before the response",
  },
} as const satisfies SettingsTable;

/** The settings of requests from other services to the email service. */
export const emailPostTable = {
  url: {
    name: "EMAIL_SERVICE_URL",
    type: baseUrl,
    meaning:
      "URL of the email service, used when the service is not bound. For mail, identity uses this URL even when the service is bound",
  },
  /** when blank, nothing is posted */
  key: {
    name: "EMAIL_SERVICE_API_KEY",
    type: text,
    default: "",
    secret: "service key",
    meaning: "Service key for the email service; without this key, no mail and no events are sent to that service",
  },
  allowPrivate: {
    name: "EMAIL_SERVICE_ALLOW_PRIVATE",
    type: flag,
    default: "false",
    meaning: "Allow a private address in `EMAIL_SERVICE_URL`",
  },
  consoleUrl: {
    name: "CONSOLE_URL",
    type: baseUrl,
    meaning:
      "URL of the administration: the origin of the shell and its `adminPathname`, such as `https://app.example.com/admin`. Mails about events link to its pages; without it, they have no link",
  },
} as const satisfies SettingsTable;

/** The settings of webhooks and email posts; times are in milliseconds. */
export type WebhookSettings = SettingsOf<typeof webhookTable> & { email: SettingsOf<typeof emailPostTable> };

/** Imports the keys that seal secrets and Authorization values of subscriptions; call it once per isolate. */
export function importWebhookKeys(settings: WebhookSettings): Promise<KeyRing> {
  return importKeyRing(settings.encryptionKey, settings.previousEncryptionKeys);
}
