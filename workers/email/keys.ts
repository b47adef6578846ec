import { deriveKey } from "../kit/crypto/hkdf";
import { importKeyRing, type KeyRing } from "../kit/crypto/seal";
import { oncePerIsolateAsync } from "../kit/settings/settings";
import { importWebhookKeys } from "../kit/webhooks/settings";
import type { EmailBindings } from "./bindings";
import { settingsOf } from "./settings";

/** The imported keys. In `peppers` and `fingerprints`, the current key comes first; the previous key only verifies. */
export type EmailKeys = {
  /** encrypts variables and addresses of messages, addresses of rules, and event data */
  variables: KeyRing;
  /** encrypts secrets and Authorization values of webhook subscriptions */
  webhooks: KeyRing;
  /** encrypts credentials and secrets of company providers, and secrets of callbacks */
  credentials: KeyRing;
  /** hash addresses and sign unsubscribe links */
  peppers: readonly Uint8Array[];
  /** HMAC keys for the fingerprints of idempotent requests */
  fingerprints: readonly Uint8Array[];
};

/** Imports the keys of the settings once per isolate. */
export const keysOf = oncePerIsolateAsync(async (env: EmailBindings): Promise<EmailKeys> => {
  const { rawKeys, webhooks: webhookSettings } = settingsOf(env);
  const peppers = rawKeys.pepperPrevious === null ? [rawKeys.pepper] : [rawKeys.pepper, rawKeys.pepperPrevious];
  const [variables, credentials, webhooks, fingerprints] = await Promise.all([
    importKeyRing(rawKeys.variables, rawKeys.variablesPrevious),
    importKeyRing(rawKeys.credentials, rawKeys.credentialsPrevious),
    importWebhookKeys(webhookSettings),
    Promise.all(peppers.map((pepper) => deriveKey(pepper, "email/idempotency"))),
  ]);
  return { variables, credentials, webhooks, peppers, fingerprints };
});
