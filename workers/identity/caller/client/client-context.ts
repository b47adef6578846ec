import { hmacHex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import type { IdentityServices } from "../../services";

/** Facts about the client's connection, stored with the session and in the audit log. */
export type ClientContext = { userAgent: string; ip: string; country: string | null; city: string | null };

/**
 * Returns the client context of a request. The user agent is cut to 512 characters; country and city come from Cloudflare's
 * `request.cf`.
 */
export function clientContext(request: Request): ClientContext {
  const cf: Record<string, unknown> = { ...(request as { cf?: object }).cf };
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    userAgent: (request.headers.get("user-agent") ?? "").slice(0, 512),
    ip: clientIpKey(request),
    country: text(cf.country),
    city: text(cf.city),
  };
}

/**
 * Returns the HMAC of a client address as 32 hex characters. It is stored instead of the address where requests only need to
 * be grouped by address.
 */
export async function hashIp(services: IdentityServices, ip: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `ip\n${ip}`)).slice(0, 32);
}

/**
 * Returns the data of an audit entry: `details`, and the client's hashed address (never the address itself), user agent and
 * location.
 */
export async function auditFacts(
  services: IdentityServices,
  client: ClientContext,
  details: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return {
    ...details,
    ip_hash: await hashIp(services, client.ip),
    user_agent: client.userAgent,
    client_country: client.country,
    client_city: client.city,
  };
}

/** Returns auditFacts as JSON text for the database. */
export async function auditData(...call: Parameters<typeof auditFacts>): Promise<string> {
  return JSON.stringify(await auditFacts(...call));
}
