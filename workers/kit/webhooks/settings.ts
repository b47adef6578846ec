import { utf8ToBytes } from "../crypto/encoding";
import { importKeyRing, type KeyRing } from "../crypto/seal";
import {
  parseBase64Key,
  parseBoolean,
  parseInteger,
  parseList,
  parseUrlBase,
  required,
  settingText,
  withDefault,
} from "../settings";

type Text = string | undefined;

/** Variables of Actions (details of Document 3, 3.1). */
export type ActionsVariables = {
  ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS?: Text;
  ACTIONS_WEBHOOK_TIMEOUT_SECONDS?: Text;
  ACTIONS_WEBHOOK_DISPATCH_WORKERS?: Text;
  ACTIONS_WEBHOOK_ALLOW_PRIVATE?: Text;
  ACTIONS_OUTBOX_MAX_ATTEMPTS?: Text;
  ACTIONS_MAX_IN_FLIGHT_PER_RULE?: Text;
  ACTIONS_MAX_IN_FLIGHT_PER_HOST?: Text;
  ACTIONS_RETRY_FANOUT?: Text;
  ACTIONS_ENCRYPTION_KEY?: Text;
  ACTIONS_ENCRYPTION_PREVIOUS_KEYS?: Text;
  ACTIONS_DNS_RESOLVER_URL?: Text;
  ACTIONS_WEBHOOK_SYNC_DELIVERY?: Text;
  EMAIL_SERVICE_URL?: Text;
  EMAIL_SERVICE_API_KEY?: Text;
  EMAIL_SERVICE_ALLOW_PRIVATE?: Text;
};

/** Settings of Actions; times in milliseconds. */
export type ActionsSettings = {
  leaseMs: number;
  /** total time of one attempt */
  timeoutMs: number;
  /** attempts in parallel in one invocation */
  workers: number;
  allowPrivate: boolean;
  maxAttempts: number;
  perRule: number;
  perHost: number;
  /** helper messages of a retry run */
  fanout: number;
  encryptionKey: Uint8Array<ArrayBuffer>;
  previousEncryptionKeys: Uint8Array<ArrayBuffer>[];
  dnsResolverUrl: string;
  /** the first attempt ends before the answer; for tests */
  isSync: boolean;
  /** posts to the email service; a blank key turns them off */
  email: { url: string | null; key: string; allowPrivate: boolean };
};

/** What seals secrets in development when no key is set; a deployment must have its own. */
const DEVELOPMENT_KEY = utf8ToBytes("development key of webhook rules");

/** Reads the settings of Actions. Throws a SettingError that names the bad one. */
export function parseActionsSettings(env: ActionsVariables, { debug }: { debug: boolean }): ActionsSettings {
  const integer = (name: keyof ActionsVariables, fallback: number, min: number, max: number) =>
    parseInteger(name, withDefault(env[name], String(fallback)), { min, max });
  const flag = (name: keyof ActionsVariables) => parseBoolean(name, withDefault(env[name], "false"));
  const url = (name: keyof ActionsVariables) => {
    const text = settingText(env[name]);
    return text === "" ? null : parseUrlBase(name, text, { debug });
  };
  const key = settingText(env.ACTIONS_ENCRYPTION_KEY);
  if (!debug) required("ACTIONS_ENCRYPTION_KEY", key, "base64 of 32 bytes");
  return {
    leaseMs: integer("ACTIONS_WEBHOOK_RETRY_LEASE_SECONDS", 120, 60, 900) * 1000,
    timeoutMs: integer("ACTIONS_WEBHOOK_TIMEOUT_SECONDS", 5, 1, 30) * 1000,
    workers: integer("ACTIONS_WEBHOOK_DISPATCH_WORKERS", 4, 1, 6),
    allowPrivate: flag("ACTIONS_WEBHOOK_ALLOW_PRIVATE"),
    maxAttempts: integer("ACTIONS_OUTBOX_MAX_ATTEMPTS", 8, 1, 8),
    perRule: integer("ACTIONS_MAX_IN_FLIGHT_PER_RULE", 8, 1, 50),
    perHost: integer("ACTIONS_MAX_IN_FLIGHT_PER_HOST", 16, 1, 50),
    fanout: integer("ACTIONS_RETRY_FANOUT", 2, 0, 50),
    encryptionKey: key === "" ? DEVELOPMENT_KEY : parseBase64Key("ACTIONS_ENCRYPTION_KEY", key),
    previousEncryptionKeys: parseList(env.ACTIONS_ENCRYPTION_PREVIOUS_KEYS).map((previous) =>
      parseBase64Key("ACTIONS_ENCRYPTION_PREVIOUS_KEYS", previous),
    ),
    dnsResolverUrl: withDefault(env.ACTIONS_DNS_RESOLVER_URL, "https://cloudflare-dns.com/dns-query"),
    isSync: flag("ACTIONS_WEBHOOK_SYNC_DELIVERY"),
    email: {
      url: url("EMAIL_SERVICE_URL"),
      key: settingText(env.EMAIL_SERVICE_API_KEY),
      allowPrivate: flag("EMAIL_SERVICE_ALLOW_PRIVATE"),
    },
  };
}

/** The keys that seal secrets and Authorization values of rules; import them once in an isolate. */
export function importActionsKeys(settings: ActionsSettings): Promise<KeyRing> {
  return importKeyRing(settings.encryptionKey, settings.previousEncryptionKeys);
}
