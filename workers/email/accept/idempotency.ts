import { hmacHex, timingSafeEqual } from "../../kit/crypto/hash";
import { Problem } from "../../kit/problem";
import type { EmailKeys } from "../keys";
import type { Body } from "./fields";

/** The HMACs of path and canonical body, one for each pepper, the present one first (email details 3.4, rule 1). */
export function fingerprintRequest(path: string, body: Body, keys: EmailKeys): Promise<string[]> {
  const { idempotency_key: _key, ...rest } = body;
  const text = `${path}\n${canonicalJson(rest)}`;
  return Promise.all(keys.fingerprints.map((key) => hmacHex(key, text)));
}

/** 409 `idempotency_conflict` unless the stored request had this body. */
export function checkFingerprint(stored: string, fingerprints: readonly string[]): void {
  if (!fingerprints.some((fingerprint) => timingSafeEqual(fingerprint, stored))) {
    throw new Problem("idempotency_conflict");
  }
}

/** Compact JSON with the keys of every object sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
