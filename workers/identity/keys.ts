import { calculateJwkThumbprint, exportJWK, importPKCS8, importSPKI } from "jose";
import { deriveKey } from "../kit/crypto/hkdf";
import { importKeyRing, type KeyRing } from "../kit/crypto/seal";
import { oncePerIsolateAsync, SettingError } from "../kit/settings/settings";
import { importWebhookKeys } from "../kit/webhooks/settings";
import type { IdentityBindings } from "./bindings";
import { settingsOf, settingsTable } from "./settings";

/** A public signing key of the JWKS. */
type PublicKey = { kid: string; key: CryptoKey; n: string; e: string };

/**
 * The keys of identity. The HMAC keys `refresh`, `codes` and `sessionEnds` are lists. The first key of a list signs. All
 * keys of the list verify, including the one from SECRET_KEY_PREVIOUS.
 */
export type IdentityKeys = {
  signing: { kid: string; key: CryptoKey };
  verifying: PublicKey[];
  refresh: Uint8Array[];
  codes: Uint8Array[];
  sessionEnds: Uint8Array[];
  hashes: Uint8Array;
  /** seals values that must not be stored in plain text: mail variables, provider secrets, sign-ins in progress */
  sealing: KeyRing;
  /** seals secrets and Authorization values of webhook rules */
  webhooks: KeyRing;
};

/** Length of a 2048-bit modulus in base64url characters. */
const MIN_MODULUS_LENGTH = 342;

async function readPublicKey(key: CryptoKey): Promise<PublicKey> {
  const { kty, n, e } = await exportJWK(key);
  if (kty !== "RSA" || !n || !e || n.length < MIN_MODULUS_LENGTH)
    throw new TypeError("not an RSA key of 2048 bits or more");
  return { kid: await calculateJwkThumbprint({ kty, n, e }), key, n, e };
}

/** Returns the signing key and its public key, which is the same JWK without the private members. */
async function readSigningKey(pem: string): Promise<{ signing: CryptoKey; verifying: PublicKey }> {
  try {
    const signing = await importPKCS8(pem, "RS256", { extractable: true });
    const { n, e } = await exportJWK(signing);
    const jwk = { kty: "RSA", alg: "RS256", ...(n ? { n } : {}), ...(e ? { e } : {}) };
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const verifying = await crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]);
    return { signing, verifying: await readPublicKey(verifying) };
  } catch {
    // The cause could contain the key, so it is not attached.
    throw new SettingError(settingsTable.privateKeyPem.name, "an RSA key of 2048 bits or more in PKCS#8 PEM");
  }
}

async function readPreviousKey(pem: string): Promise<PublicKey> {
  try {
    return await readPublicKey(await importSPKI(pem, "RS256", { extractable: true }));
  } catch {
    throw new SettingError(
      settingsTable.previousPublicKeyPem.name,
      "an RSA public key of 2048 bits or more in SPKI PEM",
    );
  }
}

/** Derives the keys from the settings, once per isolate: the RSA key pair, and one HKDF sub-key per purpose. */
export const keysOf = oncePerIsolateAsync(async (env: IdentityBindings): Promise<IdentityKeys> => {
  const settings = settingsOf(env);
  const secrets = [settings.secretKey, settings.previousSecretKey].filter((secret) => secret !== "");
  const derive = (label: string) => Promise.all(secrets.map((secret) => deriveKey(secret, `identity/${label}`)));
  const { signing, verifying } = await readSigningKey(settings.privateKeyPem);
  const previous = settings.previousPublicKeyPem ? [await readPreviousKey(settings.previousPublicKeyPem)] : [];
  const [refresh, codes, sessionEnds, hashes, encryption] = await Promise.all([
    derive("refresh-tokens"),
    derive("sign-in-codes"),
    derive("session-ends"),
    deriveKey(settings.secretKey, "identity/hashes"),
    derive("encryption"),
  ]);
  const [current, ...older] = encryption;
  if (!current) throw new SettingError(settingsTable.secretKey.name, "at least 32 bytes");
  return {
    signing: { kid: verifying.kid, key: signing },
    verifying: [verifying, ...previous],
    refresh,
    codes,
    sessionEnds,
    hashes,
    sealing: await importKeyRing(current, older),
    webhooks: await importWebhookKeys(settings.webhooks),
  };
});
