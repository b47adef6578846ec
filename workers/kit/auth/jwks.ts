import { type CryptoKey, importJWK, type JWK } from "jose";
import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { clock } from "../clock";
import { readBoundedText } from "../net/bounded-text";

/** The verification keys of an issuer, by `kid`. */
export type KeySet = {
  /**
   * Returns the key, or null when the issuer has no key with that id. Throws KeySetError when the key set cannot be
   * read.
   */
  find(kid: string): Promise<CryptoKey | null>;
};

/** The key set could not be read; callers respond 503 `service_unavailable`. */
export class KeySetError extends Error {
  override readonly name = "KeySetError";
}

const CACHE_MS = 900_000;
const REFETCH_MS = 30_000;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 64 * 1024;

const keySetSchema = lazySchema(() =>
  z.object({
    keys: z.array(z.looseObject({ kid: z.string(), kty: z.string(), alg: z.string().optional() })).max(50),
  }),
);

type Cached = { keys: ReadonlyMap<string, CryptoKey>; readAt: number };

/**
 * Creates a key set that is cached for 900 s. An unknown `kid` reloads it at most once per 30 s. The cache holds
 * values, never promises, because a Worker must not await the I/O of another request.
 */
export function createKeySet(read: (init: { signal: AbortSignal; redirect: "manual" }) => Promise<Response>): KeySet {
  let cached: Cached | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;

  async function refresh(now: number): Promise<Cached> {
    try {
      const response = await read({ signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
      if (!response.ok) throw new KeySetError(`the key set request returned HTTP ${response.status}`);
      const { keys } = keySetSchema.unwrap().parse(JSON.parse(await readBoundedText(response, MAX_BYTES)));
      cached = { keys: await importKeys(keys as JWK[]), readAt: now };
      return cached;
    } catch (cause) {
      throw cause instanceof KeySetError ? cause : new KeySetError("the key set cannot be read", { cause });
    }
  }

  return {
    async find(kid) {
      const now = clock.now();
      const current = cached !== null && now - cached.readAt < CACHE_MS ? cached : await refresh(now);
      const key = current.keys.get(kid);
      if (key !== undefined) return key;
      if (now - current.readAt < REFETCH_MS) return null;
      if (now - failedAt < REFETCH_MS)
        throw new KeySetError("the last request for the key set failed less than 30 s ago");
      try {
        return (await refresh(now)).keys.get(kid) ?? null;
      } catch (error) {
        failedAt = now;
        throw error;
      }
    },
  };
}

async function importKeys(keys: JWK[]): Promise<ReadonlyMap<string, CryptoKey>> {
  const imported = new Map<string, CryptoKey>();
  for (const jwk of keys) {
    if (jwk.kty !== "RSA" || jwk.kid === undefined || (jwk.alg !== undefined && jwk.alg !== "RS256")) continue;
    const key = await importJWK(jwk, "RS256");
    if (!(key instanceof Uint8Array)) imported.set(jwk.kid, key);
  }
  return imported;
}
