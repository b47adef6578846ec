import ipaddr from "ipaddr.js";

/**
 * Returns the client address by which requests are limited, from `CF-Connecting-IP`. IPv4-mapped addresses become IPv4.
 * IPv6 addresses are reduced to their /64, because one subscriber holds a whole /64. Never reads `X-Forwarded-*`.
 * Returns `unknown` without a valid address.
 */
export function clientIpKey(request: Request): string {
  const header = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (!ipaddr.isValid(header)) return "unknown";
  const address = ipaddr.process(header);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const prefix = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(":")}::/64`;
}

/**
 * Returns the network of the client as personal access tokens store it (IPv4 /24, IPv6 /48), or null when it is
 * unknown.
 */
export function clientNetwork(request: Request): string | null {
  const header = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (!ipaddr.isValid(header)) return null;
  const address = ipaddr.process(header);
  if (address instanceof ipaddr.IPv4) return `${address.octets.slice(0, 3).join(".")}.0/24`;
  const prefix = address.parts.slice(0, 3).map((part) => part.toString(16));
  return `${prefix.join(":")}::/48`;
}
