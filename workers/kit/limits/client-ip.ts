import ipaddr from "ipaddr.js";

/**
 * Returns the client address that a limit counts by: `CF-Connecting-IP`, with IPv4-mapped addresses as IPv4 and IPv6 by
 * its /64, since one subscriber holds a whole /64. Never reads `X-Forwarded-*`. Returns `unknown` without a valid
 * address.
 */
export function clientIpKey(request: Request): string {
  const header = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (!ipaddr.isValid(header)) return "unknown";
  const address = ipaddr.process(header);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const prefix = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(":")}::/64`;
}

/** Returns the client's network that a personal access token stores: IPv4 /24, IPv6 /48; null when unknown. */
export function clientNetwork(request: Request): string | null {
  const header = request.headers.get("CF-Connecting-IP")?.trim() ?? "";
  if (!ipaddr.isValid(header)) return null;
  const address = ipaddr.process(header);
  if (address instanceof ipaddr.IPv4) return `${address.octets.slice(0, 3).join(".")}.0/24`;
  const prefix = address.parts.slice(0, 3).map((part) => part.toString(16));
  return `${prefix.join(":")}::/48`;
}
