import { hmacHex } from "../../../kit/crypto/hash";
import { clientIpKey } from "../../../kit/limits/client-ip";
import type { IdentityServices } from "../../services";

/** What the client's connection tells about itself; kept with the session and in the audit log. */
export type ClientContext = { userAgent: string; ip: string; country: string | null; city: string | null };

/** The client of a request: agent cut to 512 characters, country and city from Cloudflare's request properties. */
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

/** A client address as it is stored where only calls of one address have to be told from those of others. */
export async function hashIp(services: IdentityServices, ip: string): Promise<string> {
  return (await hmacHex((await services.keys()).hashes, `ip\n${ip}`)).slice(0, 32);
}

/** What the audit log keeps of a client: hashed address and device, never the address itself; behind `more`. */
export async function auditFacts(
  services: IdentityServices,
  client: ClientContext,
  more: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return {
    ...more,
    ip_hash: await hashIp(services, client.ip),
    user_agent: client.userAgent,
    client_country: client.country,
    client_city: client.city,
  };
}

/** As auditFacts, as the text that is stored. */
export async function auditData(...call: Parameters<typeof auditFacts>): Promise<string> {
  return JSON.stringify(await auditFacts(...call));
}
