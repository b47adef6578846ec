import type { ServiceClientRow } from "../../../../db/email/rows";
import { readBearer, unauthorized } from "../../../kit/auth/caller";
import { hmacHex, sha256Hex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { isServiceKey, readServiceClient, type ServiceClient, touchLater } from "./service-client";
import { findActiveClient } from "./service-client.store";

/** The SHA-256 of the `esk_` bearer of a request; 401 for anything else. */
export async function readKeyHash(request: Request): Promise<string> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  return sha256Hex(bearer);
}

/** The service client of a request by its key, verified live in one round trip; 401, 429 `rate_limited`. */
export async function requireServiceKey(request: Request, services: EmailServices): Promise<ServiceClient> {
  return verifyKey(request, services, await readKeyHash(request));
}

/**
 * The SHA-256 of a key that this isolate found active lately, or finds active now in a round trip of its own; 401, 429
 * `rate_limited`. Only then is it worth reading the body. The facts of the request are read together with the row of the
 * key, which `requireActive` has to judge.
 */
export async function admitKey(request: Request, services: EmailServices): Promise<string> {
  const hash = await readKeyHash(request);
  if (!services.provenKeys.has(hash, services.clock.now())) await verifyKey(request, services, hash);
  return hash;
}

/** The client of the row that was read for the key of this request; 401, 429 `rate_limited` when there is none. */
export async function requireActive(
  request: Request,
  services: EmailServices,
  { hash, row }: { hash: string; row: ServiceClientRow | null },
): Promise<ServiceClient> {
  const client = readServiceClient(row);
  if (client === null) {
    services.provenKeys.delete(hash);
    throw await rejectUnknownKey(request, services);
  }
  const now = services.clock.now();
  services.provenKeys.add(hash, now);
  touchLater(services, client, now);
  return client;
}

async function verifyKey(request: Request, services: EmailServices, hash: string): Promise<ServiceClient> {
  const row = await services.platformDb.first(findActiveClient({ hash, now: services.clock.now() }));
  return requireActive(request, services, { hash, row });
}

/** Counts an unknown key on its network address. Only unknown keys are counted, so a valid one is never refused by it. */
async function rejectUnknownKey(request: Request, services: EmailServices): Promise<Problem> {
  const { peppers } = await services.keys();
  const address = await hmacHex(peppers[0] ?? new Uint8Array(), `ip\n${clientIpKey(request)}`);
  const counters = toCounters("wrong-key", services.settings.rates.wrongKey);
  const decision = await services.limiter.reserve(`ip:${address.slice(0, 32)}`, counters);
  if (decision.ok) return unauthorized();
  return new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}
