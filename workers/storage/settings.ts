import { issuerTable } from "../kit/auth/issuer";
import { MAX_OBJECT_BYTES } from "../kit/files/part-size";
import { jobTable, readJobSettings } from "../kit/jobs/settings";
import { mutationRate, serviceTable } from "../kit/service-settings";
import { baseUrl, longBase64Key, seconds, size } from "../kit/settings/setting-types";
import { oncePerIsolate, readSettings, requiredUnlessDebug, type SettingsTable } from "../kit/settings/settings";
import { emailPostTable, webhookTable } from "../kit/webhooks/settings";
import type { StorageBindings } from "./bindings";

/** The key that signs URLs in development when no key is set. A deployment must set its own key. */
const DEVELOPMENT_KEY = btoa("development key of signed object URLs");

const MAX_SIGNED_SECONDS = 365 * 24 * 3600;

/** The maximum sizes of objects and request bodies, in bytes. */
const uploadTable = {
  maxBytes: {
    name: "MAX_UPLOAD_BYTES",
    type: size(1, MAX_OBJECT_BYTES),
    default: "5G",
    meaning: "Maximum size of an object; a bucket may have a smaller limit",
  },
  maxSingleBytes: {
    name: "MAX_SINGLE_UPLOAD_BYTES",
    type: size(1),
    default: "95M",
    meaning:
      "Maximum body of one request; larger files are uploaded in parts of 8 to 32 MiB, regardless of this value. Cloudflare accepts " +
      "100 MB on most plans",
  },
} as const satisfies SettingsTable;

/** Initial quotas of a company, in bytes. */
const quotaTable = {
  companyBytes: {
    name: "DEFAULT_COMPANY_QUOTA_BYTES",
    type: size(),
    default: "10G",
    meaning: "Quota of a company until staff or the owner sets another",
  },
  userBytes: {
    name: "DEFAULT_USER_QUOTA_BYTES",
    type: size(),
    default: "0",
    meaning: "Quota of each user in a new company; 0: none",
  },
} as const satisfies SettingsTable;

/** The settings of signed URLs, with lifetimes in milliseconds. */
const signingTable = {
  lifeMs: {
    name: "SIGNED_URL_EXPIRES",
    type: seconds(1, MAX_SIGNED_SECONDS),
    default: "3600",
    meaning: "Default lifetime of a signed URL, in seconds",
  },
  maxLifeMs: {
    name: "SIGNED_URL_MAX_EXPIRES",
    type: seconds(1, MAX_SIGNED_SECONDS),
    default: "604800",
    meaning: "Maximum lifetime of a signed URL, in seconds",
  },
  key: {
    name: "STORAGE_SIGNING_KEY",
    type: longBase64Key,
    default: requiredUnlessDebug(DEVELOPMENT_KEY, "a fixed, public key"),
    secret: "random bytes",
    meaning: "Key that signs URLs",
  },
  previousKey: {
    name: "STORAGE_SIGNING_PREVIOUS_KEY",
    type: longBase64Key,
    secret: "given",
    meaning: "Previous value of `STORAGE_SIGNING_KEY`; URLs signed with it remain valid",
  },
  publicBaseUrl: {
    name: "PUBLIC_BASE_URL",
    type: baseUrl,
    meaning: "Public base URL of storage, for absolute signed URLs; none: the origin of the request",
  },
} as const satisfies SettingsTable;

/** The environment variables of storage. */
export const settingsTable = {
  ...serviceTable,
  uploads: uploadTable,
  quotas: quotaTable,
  signing: signingTable,
  jobs: jobTable,
  webhooks: { ...webhookTable, email: emailPostTable },
  identity: issuerTable,
  rates: { mutation: mutationRate },
} as const satisfies SettingsTable;

/**
 * Returns the settings of storage, with times in milliseconds. Throws a SettingError that names the invalid setting, or a
 * DeploymentError.
 */
export const settingsOf = oncePerIsolate((env: StorageBindings) => {
  const jobs = readJobSettings(env, { queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] });
  return { ...readSettings(settingsTable, env), jobs };
});

export type StorageSettings = ReturnType<typeof settingsOf>;
