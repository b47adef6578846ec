import * as ipaddr from "ipaddr.js";

/** Names that never resolve to a public host. */
const PRIVATE_NAME_PATTERN = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
/** IPv6 prefixes that embed an IPv4 address, and the byte offset of that address, which is then checked as IPv4. */
const EMBEDDED_IPV4 = [
  ["::ffff:0:0/96", 12],
  ["64:ff9b::/96", 12],
  ["2002::/16", 2],
  ["::/96", 12],
] as const;
/** All IPv4 ranges that are not public. */
const REFUSED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** The public range of IPv6; REFUSED_IPV6 lists its exceptions. */
const PUBLIC_IPV6 = "2000::/3";
const REFUSED_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"];

type Ranges = ReturnType<typeof readRanges>;
let ranges: Ranges | undefined;

/** Returns the parsed ranges; parses them at the first check. */
function rangesOnce(): Ranges {
  ranges ??= readRanges();
  return ranges;
}

function readRanges() {
  return {
    embedded: EMBEDDED_IPV4.map(([range, offset]) => ({ range: ipaddr.IPv6.parseCIDR(range), offset })),
    refusedIpv4: REFUSED_IPV4.map((range) => ipaddr.IPv4.parseCIDR(range)),
    publicIpv6: ipaddr.IPv6.parseCIDR(PUBLIC_IPV6),
    refusedIpv6: REFUSED_IPV6.map((range) => ipaddr.IPv6.parseCIDR(range)),
  };
}

/** Characters that a host must not contain: the URL parser would drop them or start another part of the URL. */
const NO_HOST_PATTERN = /[\s\p{Cc}@/\\?#]|^\[.*[^\]]$/u;

/**
 * The result of a host check. `host` is the checked host as the URL parser writes it, without a trailing dot. Connect only
 * to that spelling. `unresolved` means that the name has no address, or that the resolver did not respond.
 */
export type HostCheck = { ok: true; host: string } | { ok: false; reason: "not_public" | "unresolved" };

/**
 * Returns whether a canonical IP address is a public unicast address. An IPv4 address embedded in IPv6 is checked as
 * IPv4. Anything that is not an IP address is not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) return isPublicIpv4(ipaddr.IPv4.parse(ip));
  // An address with a zone ("fe80::1%eth0") is valid on one link only.
  if (!ipaddr.IPv6.isValid(ip) || ip.includes("%")) return false;
  const address = ipaddr.IPv6.parse(ip);
  const { embedded, publicIpv6, refusedIpv6 } = rangesOnce();
  for (const { range, offset } of embedded) {
    if (address.match(range)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4)));
  }
  return address.match(publicIpv6) && !refusedIpv6.some((range) => address.match(range));
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return !rangesOnce().refusedIpv4.some((range) => address.match(range));
}

/**
 * Checks the host of an outbound request. An address is checked directly. A name is checked by every address that
 * `resolve` returns, and is rejected when one of them is not public. When `resolve` throws, the result is `unresolved`.
 */
export async function checkPublicHost(host: string, resolve: (name: string) => Promise<string[]>): Promise<HostCheck> {
  if (NO_HOST_PATTERN.test(host)) return { ok: false, reason: "not_public" };
  // The URL parser converts decimal, octal, hex, short and full-width forms to the address that a connection would use.
  const url = URL.parse(`http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`);
  if (!url) return { ok: false, reason: "not_public" };
  const name = url.hostname.replace(/\.+$/, "");
  const literal = name.startsWith("[") ? name.slice(1, -1) : name;
  if (ipaddr.isValid(literal)) {
    return isPublicAddress(literal) ? { ok: true, host: name } : { ok: false, reason: "not_public" };
  }
  // Single labels and underscores belong to private networks.
  if (!name.includes(".") || name.includes("_") || PRIVATE_NAME_PATTERN.test(name)) {
    return { ok: false, reason: "not_public" };
  }
  let addresses: string[];
  try {
    addresses = await resolve(name);
  } catch {
    return { ok: false, reason: "unresolved" };
  }
  if (addresses.length === 0) return { ok: false, reason: "unresolved" };
  return addresses.every(isPublicAddress) ? { ok: true, host: name } : { ok: false, reason: "not_public" };
}
