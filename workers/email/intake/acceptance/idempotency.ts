import type { SendRequestRow } from "../../../../db/email/rows";
import { hmacHex, sha256Hex, timingSafeEqual } from "../../../kit/crypto/hash";
import type { JsonObject } from "../../../kit/json";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import type { Locked } from "../limits/limits";
import { findReplay, findRequest } from "./idempotency.store";

/** The idempotency key of a request, with its fingerprints. */
export type Idempotency = {
  key: string;
  path: string;
  /** HMACs of the path and the canonical body without the key, one per HMAC key. The first one is stored. */
  fingerprints: readonly string[];
  /** unix ms; older requests with the key are ignored */
  windowStart: number;
  /** name of the lock among the counters of the company: a hash of service and key */
  lock: string;
};

/** A request of a service for a company, with its idempotency key or null. */
type RepeatableRequest = {
  service: string;
  companyId: number;
  idempotency: Idempotency | null;
};

/**
 * Waits in ms between the checks of whether the concurrent request is stored. The sum of the waits exceeds the duration of a
 * lock.
 */
const WAITS_MS = [25, 50, 100, 200, 400, 800, 1600, 2500];

/** Returns the idempotency key of a request with its fingerprints. */
export async function idempotencyOf(
  request: { service: string; path: string; body: JsonObject; key: string; windowStart: number },
  keys: EmailKeys,
): Promise<Idempotency> {
  const { service, path, body, key, windowStart } = request;
  const { idempotency_key: _key, ...rest } = body;
  const text = `${path}\n${canonicalJson(rest)}`;
  const [lock, ...fingerprints] = await Promise.all([
    sha256Hex(`${service}\n${key}`),
    ...keys.fingerprints.map((fingerprintKey) => hmacHex(fingerprintKey, text)),
  ]);
  return { key, path, fingerprints, windowStart, lock };
}

/**
 * Statement: the stored request with this idempotency key, unless it is older than the idempotency window. It runs in the round
 * trip that verifies the service key.
 */
export const selectReplay = findReplay;

/** Returns the fingerprint to store, which uses the current HMAC key. */
export const storedFingerprint = ({ fingerprints }: Idempotency): string => fingerprints[0] ?? "";

/** Throws 409 `idempotency_conflict` unless the stored request had the same body. */
export function checkFingerprint(stored: string, { fingerprints }: Idempotency): void {
  if (!fingerprints.some((fingerprint) => timingSafeEqual(fingerprint, stored))) {
    throw new Problem("idempotency_conflict");
  }
}

/**
 * Calls `reserve`, which takes the lock of the idempotency key. While another call holds the lock, waits and retries. Returns
 * the result of `reserve`, or the request that the other call stored. Throws 409 `idempotency_conflict` when the stored
 * request has another body, and 503 after a timeout.
 */
export async function acquireIdempotencyLock<T extends object>(
  services: EmailServices,
  request: RepeatableRequest,
  reserve: () => Promise<T | Locked>,
): Promise<{ acquired: T } | { winner: SendRequestRow }> {
  const first = await reserve();
  if (first !== "locked") return { acquired: first };
  for (const wait of WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const winner = await findWinner(services, request);
    if (winner !== null) return { winner };
    const retried = await reserve();
    if (retried !== "locked") return { acquired: retried };
  }
  throw new Problem("service_unavailable", { headers: { "retry-after": "1" } });
}

async function findWinner({ dbOf }: EmailServices, request: RepeatableRequest): Promise<SendRequestRow | null> {
  const { service, companyId, idempotency } = request;
  if (idempotency === null) return null;
  const row = await dbOf(companyId).first(findRequest({ service, companyId, key: idempotency.key }));
  if (row === null || row.created_at <= idempotency.windowStart) return null;
  checkFingerprint(row.fingerprint, idempotency);
  return row;
}

/** Returns compact JSON with the keys of every object sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
