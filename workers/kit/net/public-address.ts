import * as ipaddr from "ipaddr.js";

/** Names that never lead to a public host (details of Document 3, 4.7, point 2). */
const PRIVATE_NAME_PATTERN = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
/** IPv6 prefixes that carry an IPv4 address, with the byte at which it begins; it is judged as IPv4. */
const EMBEDDED_IPV4: readonly [prefix: string, length: number, at: number][] = [
  ["::ffff:0:0", 96, 12],
  ["64:ff9b::", 96, 12],
  ["2002::", 16, 2],
  ["::", 96, 12],
];
/** Ranges inside 2000::/3 and IPv4 that are not for hosts; the library knows them by other names or not at all. */
const REFUSED_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"];
const REFUSED_IPV4 = ["192.88.99.0/24"];

/** `unresolved`: the name has no address, or the resolver gave no answer. */
export type HostCheck = { ok: true } | { ok: false; reason: "not_public" | "unresolved" };

/**
 * Whether a canonical IP address is a public unicast address (details of Document 3, 4.7, point 2). An IPv4 address
 * inside an IPv6 one is judged as IPv4. What is not an IP address is not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) return isPublicIpv4(ipaddr.IPv4.parse(ip));
  // A zone ("fe80::1%eth0") has a meaning on one link only.
  if (!ipaddr.IPv6.isValid(ip) || ip.includes("%")) return false;
  const address = ipaddr.IPv6.parse(ip);
  for (const [prefix, length, at] of EMBEDDED_IPV4) {
    if (address.match(ipaddr.IPv6.parse(prefix), length)) {
      return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(at, at + 4)));
    }
  }
  if (!address.match(ipaddr.IPv6.parse("2000::"), 3) || address.range() !== "unicast") return false;
  return !REFUSED_IPV6.some((range) => address.match(ipaddr.IPv6.parseCIDR(range)));
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !REFUSED_IPV4.some((range) => address.match(ipaddr.IPv4.parseCIDR(range)));
}

/**
 * Checks the host of an outbound connection: a literal is judged at once, a name by every address that `resolve`
 * answers; one address that is not public refuses the host. A `resolve` that throws counts as no answer.
 */
export async function checkPublicHost(host: string, resolve: (name: string) => Promise<string[]>): Promise<HostCheck> {
  // The URL parser turns decimal, octal, hex, short and full-width forms into the address that a connection would use.
  const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`);
  if (!url || url.host !== url.hostname || url.pathname !== "/" || url.search || url.hash || url.username) {
    return { ok: false, reason: "not_public" };
  }
  const name = url.hostname.replace(/\.$/, "");
  const literal = name.startsWith("[") ? name.slice(1, -1) : name;
  if (ipaddr.isValid(literal)) {
    return isPublicAddress(literal) ? { ok: true } : { ok: false, reason: "not_public" };
  }
  if (!name.includes(".") || PRIVATE_NAME_PATTERN.test(name)) return { ok: false, reason: "not_public" };
  let addresses: string[];
  try {
    addresses = await resolve(name);
  } catch {
    return { ok: false, reason: "unresolved" };
  }
  if (addresses.length === 0) return { ok: false, reason: "unresolved" };
  return addresses.every(isPublicAddress) ? { ok: true } : { ok: false, reason: "not_public" };
}
