import { deriveKey } from "../kit/crypto/hkdf";
import { importKeyRing, type KeyRing } from "../kit/crypto/seal";
import { oncePerIsolateAsync } from "../kit/settings/settings";
import { importWebhookKeys } from "../kit/webhooks/settings";
import type { EmailBindings } from "./bindings";
import { settingsOf } from "./settings";

/** Keys of an isolate. Lists hold the present key first, then the one that only verifies. */
export type EmailKeys = {
  /** variables and addresses of messages, and what events tell of them */
  variables: KeyRing;
  /** secrets and Authorization values of webhook rules */
  webhooks: KeyRing;
  /** credentials and secrets of company providers, and of callbacks */
  credentials: KeyRing;
  /** address hashes and unsubscribe signatures */
  peppers: readonly Uint8Array[];
  /** fingerprints of idempotent requests */
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
