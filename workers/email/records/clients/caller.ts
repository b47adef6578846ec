import type { ServiceClientRow } from "../../../../db/email/rows";
import { readBearer, unauthorized } from "../../../kit/auth/caller";
import { hmacHex, sha256Hex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { isServiceKey, readServiceClient, type ServiceClient, soleCompanyOf, touchLater } from "./service-client";
import { findActiveClient } from "./service-client.store";

/** Returns the SHA-256 of the bearer token. Throws 401 for a token that is not a service key (`esk_`). */
export async function readKeyHash(request: Request): Promise<string> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  return sha256Hex(bearer);
}

/** Verifies the service key of a request in one round trip and returns its client. Throws 401 or 429 `rate_limited`. */
export async function requireServiceKey(request: Request, services: EmailServices): Promise<ServiceClient> {
  return verifyKey(request, services, await readKeyHash(request));
}

/**
 * Checks the service key of a request and returns its SHA-256 and its only company, if it has exactly one. Call it before the
 * body is read. A key that this isolate has not verified recently is verified in a separate round trip. In both cases the caller
 * must read the row of the key, in the same round trip as its other data, and pass it to `requireActive`. Throws 401 or 429
 * `rate_limited`.
 */
export async function admitKey(
  request: Request,
  services: EmailServices,
): Promise<{ hash: string; soleCompany: number | null }> {
  const hash = await readKeyHash(request);
  const known = services.verifiedKeys.get(hash, services.clock.now());
  if (known !== null) return { hash, ...known };
  return { hash, soleCompany: soleCompanyOf(await verifyKey(request, services, hash)) };
}

/** Returns the client in the row of the service key. Throws 401 or 429 `rate_limited` when no row was found. */
export async function requireActive(
  request: Request,
  services: EmailServices,
  { hash, row }: { hash: string; row: ServiceClientRow | null },
): Promise<ServiceClient> {
  const client = readServiceClient(row);
  if (client === null) {
    services.verifiedKeys.delete(hash);
    throw await rejectUnknownKey(request, services);
  }
  const now = services.clock.now();
  services.verifiedKeys.add(hash, { soleCompany: soleCompanyOf(client) }, now);
  touchLater(services, client, now);
  return client;
}

async function verifyKey(request: Request, services: EmailServices, hash: string): Promise<ServiceClient> {
  const row = await services.platformDb.first(findActiveClient({ hash, now: services.clock.now() }));
  return requireActive(request, services, { hash, row });
}

/**
 * Counts an unknown key for the IP address and returns the 401 error, or 429 `rate_limited` above the limit. Valid keys are not
 * counted, so this limit never rejects them.
 */
async function rejectUnknownKey(request: Request, services: EmailServices): Promise<Problem> {
  const { peppers } = await services.keys();
  const address = await hmacHex(peppers[0] ?? new Uint8Array(), `ip\n${clientIpKey(request)}`);
  const counters = toCounters("wrong-key", services.settings.rates.wrongKey);
  const decision = await services.limiter.reserve(`ip:${address.slice(0, 32)}`, counters);
  if (decision.ok) return unauthorized();
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}
