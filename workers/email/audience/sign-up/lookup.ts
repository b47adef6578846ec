import { createVerifiedKeys } from "../../../kit/auth/verified-keys";
import { hmacHex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { SECOND_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";

// Public keys and tokens that exist, and network addresses that asked for too many others.
const known = createVerifiedKeys<true>();
const refused = createVerifiedKeys<number>();

/** Returns the limiter name of the client's network address. It contains a hash instead of the address. */
export async function clientName({ keys }: Pick<EmailServices, "keys">, request: Request): Promise<string> {
  const { peppers } = await keys();
  const hash = await hmacHex(peppers[0] ?? new Uint8Array(), `ip\n${clientIpKey(request)}`);
  return `ip:${hash.slice(0, 32)}`;
}

const rateLimited = (seconds: number) =>
  new Problem("rate_limited", { headers: { "retry-after": String(Math.max(1, Math.ceil(seconds))) } });

/**
 * Returns the row that a public key or token names, or null. Counts unknown names per network address: above the limit
 * (`EMAIL_WRONG_KEY_RATE_LIMIT`), an address gets 429 `rate_limited` for them without a read. Names that this isolate has found are
 * never refused.
 */
export async function findLimited<Row>(
  services: EmailServices,
  request: Request,
  name: string,
  read: () => Promise<Row | null>,
): Promise<Row | null> {
  const now = services.clock.now();
  const client = await clientName(services, request);
  const refusedUntil = known.get(name, now) === null ? refused.get(client, now) : null;
  if (refusedUntil !== null && refusedUntil > now) throw rateLimited((refusedUntil - now) / SECOND_MS);
  const row = await read();
  if (row !== null) {
    known.add(name, true, now);
    return row;
  }
  known.delete(name);
  const counters = toCounters("unknown-name", services.settings.rates.wrongKey);
  const decision = await services.limiter.reserve(client, counters);
  if (decision.ok) return null;
  // Requests without a network address, as in development, share one name.
  if (clientIpKey(request) !== "unknown") refused.add(client, now + decision.retryAfterMs, now);
  throw rateLimited(toRetryAfterSeconds(decision));
}
