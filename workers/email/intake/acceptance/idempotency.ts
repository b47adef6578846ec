import type { SendRequestRow } from "../../../../db/email/rows";
import { hmacHex, sha256Hex, timingSafeEqual } from "../../../kit/crypto/hash";
import type { JsonObject } from "../../../kit/json";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import type { Busy } from "../limits/limits";
import { findReplay, findRequest } from "./idempotency.store";

/** A request that may be repeated under its key. */
export type Idempotency = {
  key: string;
  path: string;
  /** HMACs of path and canonical body without the key, one for each pepper; the first one is stored */
  fingerprints: readonly string[];
  /** unix ms; an older use of the key does not count */
  windowStart: number;
  /** the name of the key in the counters of the company: a hash of service and key */
  lock: string;
};

/** A request of a service for a company, whose idempotency key may be in use. */
type RepeatableRequest = {
  service: string;
  companyId: number;
  idempotency: Idempotency | null;
};

/** Waits between looks for the winner, in ms; together longer than a turn may last. */
const WAITS_MS = [25, 50, 100, 200, 400, 800, 1600, 2500];

/** A request under its idempotency key, with the fingerprints by which a repeat of it is recognised. */
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

/** Statement: the stored request of this key in the window, for the round trip that verifies the service key by its hash. */
export const selectReplay = findReplay;

/** The fingerprint that is stored with a request: the one by the present pepper. */
export const storedFingerprint = ({ fingerprints }: Idempotency): string => fingerprints[0] ?? "";

/** 409 `idempotency_conflict` unless the stored request had this body. */
export function checkFingerprint(stored: string, { fingerprints }: Idempotency): void {
  if (!fingerprints.some((fingerprint) => timingSafeEqual(fingerprint, stored))) {
    throw new Problem("idempotency_conflict");
  }
}

/**
 * Reserves when no other call with the same idempotency key is between its reservation and its accept batch; else waits
 * for that call and answers its stored request, 409 `idempotency_conflict` for another body, or takes the turn when the
 * other gave up. 503 when neither happens in time.
 */
export async function acquireIdempotencyLock<T extends object>(
  services: EmailServices,
  request: RepeatableRequest,
  reserve: () => Promise<T | Busy>,
): Promise<{ acquired: T } | { winner: SendRequestRow }> {
  const first = await reserve();
  if (first !== "busy") return { acquired: first };
  for (const wait of WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const winner = await findWinner(services, request);
    if (winner !== null) return { winner };
    const again = await reserve();
    if (again !== "busy") return { acquired: again };
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

/** Compact JSON with the keys of every object sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
