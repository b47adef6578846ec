import { importKeyRing, type KeyRing } from "../crypto/seal";
import { base64Key, baseUrl, flag, integer, listOf, seconds, text, url } from "../settings/setting-types";
import { requiredUnlessDebug, type SettingsOf, type SettingsTable } from "../settings/settings";

/** What seals secrets in development when no key is set; a deployment must have its own. */
const DEVELOPMENT_KEY = btoa("development key of webhook rules");

/** Webhooks. */
export const webhookTable = {
  leaseMs: {
    name: "ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS",
    type: seconds(60, 900),
    default: "120",
    meaning: "Lease of a delivery that a retry run claims, longer than an attempt",
  },
  /** total time of one attempt */
  timeoutMs: {
    name: "ACTIONS_WEBHOOK_TIMEOUT_SECONDS",
    type: seconds(1, 30),
    default: "5",
    meaning: "Whole time of one attempt",
  },
  /** attempts in parallel in one invocation */
  workers: {
    name: "ACTIONS_WEBHOOK_DISPATCH_WORKERS",
    type: integer(1, 6),
    default: "4",
    meaning: "Attempts beside each other in one invocation",
  },
  allowPrivate: {
    name: "ACTIONS_WEBHOOK_ALLOW_PRIVATE",
    type: flag,
    default: "false",
    meaning: "Webhooks may go to private addresses",
  },
  maxAttempts: {
    name: "ACTIONS_OUTBOX_MAX_ATTEMPTS",
    type: integer(1, 8),
    default: "8",
    meaning: "Attempts of a delivery",
  },
  perRule: {
    name: "ACTIONS_MAX_IN_FLIGHT_PER_RULE",
    type: integer(1, 50),
    default: "8",
    meaning: "Deliveries of one rule under way at once",
  },
  perHost: {
    name: "ACTIONS_MAX_IN_FLIGHT_PER_HOST",
    type: integer(1, 50),
    default: "16",
    meaning: "Deliveries to one host under way at once",
  },
  /** helper messages of a retry run */
  fanout: {
    name: "ACTIONS_RETRY_FANOUT",
    type: integer(0, 50),
    default: "2",
    meaning: "Helpers of a run of `retry_webhooks`",
  },
  encryptionKey: {
    name: "ACTIONS_ENCRYPTION_KEY",
    type: base64Key,
    default: requiredUnlessDebug(DEVELOPMENT_KEY, "one that everybody knows"),
    secret: "random bytes",
    meaning: "Seals secrets and Authorization values of webhook rules",
  },
  previousEncryptionKeys: {
    name: "ACTIONS_ENCRYPTION_PREVIOUS_KEYS",
    type: listOf(base64Key),
    default: "",
    secret: "given",
    meaning: "The keys before, still read",
  },
  dnsResolverUrl: {
    name: "ACTIONS_DNS_RESOLVER_URL",
    type: url,
    default: "https://cloudflare-dns.com/dns-query",
    meaning: "DNS over HTTPS, asked before each call of a webhook or sign-in provider whether its host is public",
  },
  /** the first attempt ends before the answer */
  isSync: {
    name: "ACTIONS_WEBHOOK_SYNC_DELIVERY",
    type: flag,
    default: "false",
    meaning: "For tests: first attempts end before the answer",
  },
} as const satisfies SettingsTable;

/** Calls of the email service by its siblings. */
export const emailPostTable = {
  url: {
    name: "EMAIL_SERVICE_URL",
    type: baseUrl,
    meaning: "Where the email service is when it is not bound; identity's mails go there even when it is",
  },
  /** blank: nothing is posted */
  key: {
    name: "EMAIL_SERVICE_API_KEY",
    type: text,
    default: "",
    secret: "service key",
    meaning: "Key for the email service; without it no mail leaves and no event is handed over",
  },
  allowPrivate: {
    name: "EMAIL_SERVICE_ALLOW_PRIVATE",
    type: flag,
    default: "false",
    meaning: "`EMAIL_SERVICE_URL` may be a private address",
  },
} as const satisfies SettingsTable;

/** Settings of webhooks and of what else becomes of events; times in milliseconds. */
export type WebhookSettings = SettingsOf<typeof webhookTable> & { email: SettingsOf<typeof emailPostTable> };

/** The keys that seal secrets and Authorization values of rules; import them once in an isolate. */
export function importWebhookKeys(settings: WebhookSettings): Promise<KeyRing> {
  return importKeyRing(settings.encryptionKey, settings.previousEncryptionKeys);
}
