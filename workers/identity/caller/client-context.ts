import { hmacHex } from "../../kit/crypto/hash";
import { clientIpKey } from "../../kit/limits/client-ip";
import type { IdentityServices } from "../services";

/** What the client's connection tells about itself; kept with the session and in the audit log. */
export type ClientContext = { userAgent: string; ip: string; country: string | null; city: string | null };

/** The client of a request: agent cut to 512 characters, country and city from Cloudflare's request properties. */
export function clientContext(request: Request, ip = clientIpKey(request)): ClientContext {
  const cf: Record<string, unknown> = { ...(request as { cf?: object }).cf };
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    userAgent: (request.headers.get("user-agent") ?? "").slice(0, 512),
    ip,
    country: text(cf.country),
    city: text(cf.city),
  };
}

/** Audit data of a sign-in: hashed address and device, never the address itself. */
export async function auditData(
  services: IdentityServices,
  client: ClientContext,
  more: Record<string, unknown>,
): Promise<string> {
  const hash = await hmacHex((await services.keys()).hashes, `ip\n${client.ip}`);
  return JSON.stringify({
    ...more,
    ip_hash: hash.slice(0, 32),
    user_agent: client.userAgent,
    client_country: client.country,
    client_city: client.city,
  });
}
