/** The verdict about the host of an outbound request; `malformed` is not a host at all. */
export type Verdict = "public" | "not_public" | "unresolved" | "malformed";

/**
 * A host as written, its verdict and, for a public host, the host of the connection (by default the host as written).
 */
export type HostRow = readonly [host: string, verdict: Verdict, connected?: string];

const PUBLIC4 = "93.184.216.34";
const PUBLIC6 = "2606:2800:220:1:248:1893:25c8:1946";
const LONG_LABEL = "a".repeat(64);
const LONG_NAME = `${"abcdefghi.".repeat(30)}example.test`;

/** The addresses of the names in the tables. For `null` the resolver does not respond. Other names do not exist. */
export const ZONE: Readonly<Record<string, readonly string[] | null>> = {
  "hooks.example.test": [PUBLIC4, PUBLIC6],
  "only4.example.test": [PUBLIC4],
  "only6.example.test": [PUBLIC6],
  "many.example.test": ["8.8.8.8", "8.8.4.4", "1.1.1.1"],
  "xn--bcher-kva.example.test": [PUBLIC4],
  "xn--r8jz45g.example.test": [PUBLIC4],
  "localhost.example.test": [PUBLIC4],
  "notlocal.example.test": [PUBLIC4],
  "mylocalhost.test": [PUBLIC4],
  "internal.example.test": [PUBLIC4],
  "home.arpa.example.test": [PUBLIC4],
  "arpa.example.test": [PUBLIC4],
  "10.0.0.1.example.test": [PUBLIC4],
  "127.0.0.1.nip.test": ["127.0.0.1"],
  "loop4.example.test": ["127.0.0.1"],
  "loop6.example.test": ["::1"],
  "mixed4.example.test": [PUBLIC4, "10.0.0.7"],
  "mixed-first.example.test": ["10.0.0.7", PUBLIC4],
  "mixed6.example.test": [PUBLIC4, "fd00::7"],
  "mixed46.example.test": ["192.168.0.9", PUBLIC6],
  "mapped.example.test": ["::ffff:10.0.0.1"],
  "nat64.example.test": ["64:ff9b::a9fe:a9fe"],
  "sixtofour.example.test": ["2002:7f00:1::"],
  "metadata.example.test": ["169.254.169.254"],
  "cgnat.example.test": ["100.64.0.1"],
  "zoned.example.test": ["fe80::1%eth0"],
  "zoned-public.example.test": ["2606:2800:220:1::1%eth0"],
  "garbage.example.test": ["not an address"],
  "octal.example.test": ["010.0.0.1"],
  "zero.example.test": ["0.0.0.0"],
  "empty.example.test": [],
  "silent.example.test": null,
};

const inRange = (verdict: Verdict, hosts: readonly string[]): HostRow[] => hosts.map((host) => [host, verdict]);

/** First and last address of each non-public range, and the public addresses next to it. */
const RANGES: HostRow[] = [
  ...inRange("not_public", ["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255"]),
  ...inRange("not_public", ["127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254"]),
  ...inRange("not_public", ["169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255"]),
  ...inRange("not_public", ["192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255", "192.168.0.0"]),
  ...inRange("not_public", ["192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255"]),
  ...inRange("not_public", ["203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0"]),
  ...inRange("not_public", ["255.255.255.254", "255.255.255.255"]),
  ...inRange("public", ["1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"]),
  ...inRange("public", ["128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"]),
  ...inRange("public", ["191.255.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0"]),
  ...inRange("public", ["192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255"]),
  ...inRange("public", ["198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255"]),
  ...inRange("not_public", ["[::]", "[::1]", "[1::]", "[100::1]", "[1fff:ffff::1]", "[4000::]", "[5f00::1]"]),
  ...inRange("not_public", ["[2001::]", "[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]", "[2001:db8::]", "[3fff::]"]),
  ...inRange("not_public", ["[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]", "[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]"]),
  ...inRange("not_public", ["[fc00::1]", "[fd00::7]", "[fdff::1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[ff02::1]"]),
  ...inRange("not_public", ["[ff0e::1]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]"]),
  ...inRange("public", ["[2000::]", "[2001:200::]", "[2001:db7:ffff::1]", "[2001:db9::]", "[2003::1]"]),
  ...inRange("public", ["[3ffe:ffff::1]", "[3fff:1000::]", `[${PUBLIC6}]`, "[2a00:1450:4001:81b::200e]"]),
];

/** IPv4 embedded in IPv6: mapped, compatible, NAT64, 6to4; Teredo and translated forms are never public. */
const EMBEDDED: HostRow[] = [
  ["[::ffff:127.0.0.1]", "not_public"],
  ["[::ffff:7f00:1]", "not_public"],
  ["[0:0:0:0:0:ffff:10.0.0.1]", "not_public"],
  ["[::FFFF:A9FE:A9FE]", "not_public"],
  ["[::ffff:100.64.0.1]", "not_public"],
  ["[::ffff:0:0]", "not_public"],
  ["[::ffff:8.8.8.8]", "public", "[::ffff:808:808]"],
  ["[::127.0.0.1]", "not_public"],
  ["[::10.0.0.1]", "not_public"],
  ["[::a9fe:a9fe]", "not_public"],
  ["[::8.8.8.8]", "public", "[::808:808]"],
  ["[64:ff9b::127.0.0.1]", "not_public"],
  ["[64:ff9b::a00:1]", "not_public"],
  ["[64:ff9b::c0a8:101]", "not_public"],
  ["[64:ff9b::8.8.8.8]", "public", "[64:ff9b::808:808]"],
  ["[64:ff9b:1::8.8.8.8]", "not_public"],
  ["[64:ff9b:0:1::8.8.8.8]", "not_public"],
  ["[2002:7f00:1::]", "not_public"],
  ["[2002:a00:1::1]", "not_public"],
  ["[2002:a9fe:a9fe::]", "not_public"],
  ["[2002:e000:1::]", "not_public"],
  ["[2002:808:808::1]", "public"],
  ["[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "not_public"],
  ["[2001:0:808:808::1]", "not_public"],
  ["[::ffff:0:8.8.8.8]", "not_public"],
];

/** All spellings of an address that the URL parser normalizes. */
const ADDRESS_FORMS: HostRow[] = [
  ...inRange("not_public", ["2130706433", "017700000001", "0x7f000001", "0X7F000001", "0x7F.1", "127.1", "127.0.1"]),
  ...inRange("not_public", ["0177.0.0.1", "0177.0x0.0.1", "0x7f.0.0.0x1", "127.0.0.01", "0", "0x"]),
  ...inRange("not_public", ["0x0", "00", "0.0", "3232235777", "0xc0a80101", "030052000401", "192.168.257"]),
  ...inRange("not_public", ["2852039166", "0xa9fea9fe", "169.254.43518", "0251.0376.0251.0376", "0xA9.0xFE.0xA9.0xFE"]),
  ...inRange("not_public", [
    "10.1",
    "012.1",
    "0xa.1",
    "10.0.1",
    "172.1048577",
    "4294967295",
    "0xffffffff",
    "1681915905",
  ]),
  ...inRange("not_public", ["127.0.0.1.", "127.1.", "0x7f000001.", "2130706433."]),
  ...inRange("not_public", [
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "１２７。０。０。１",
    "127．0．0．1",
    "127｡0｡0｡1",
    "⑩.⓪.⓪.①",
  ]),
  ...inRange("not_public", [
    "⁰ˣ⁷ᶠ⁰⁰⁰⁰⁰¹",
    "𝟙𝟚𝟟.𝟘.𝟘.𝟙",
    "₁₂₇.₀.₀.₁",
    "０ｘ７ｆ.１",
    "127.0.0.\u00ad1",
    "127.0.0.1\u200b",
    "1\u206027.1",
  ]),
  ...inRange("not_public", [
    "%31%32%37.0.0.1",
    "127%2e0%2E0%2e1",
    "%30x7f000001",
    "%EF%BC%91%EF%BC%92%EF%BC%97.1",
    "127.0.0.1%2e",
  ]),
  ...inRange("not_public", ["[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[0::1]"]),
  ...inRange("not_public", ["[FE80::1]", "[FD00:0:0::7]"]),
  ["134744072", "public", "8.8.8.8"],
  ["0x08080808", "public", "8.8.8.8"],
  ["8.8.2056", "public", "8.8.8.8"],
  ["010.8.8.8", "public", "8.8.8.8"],
  ["0000127.0.0.1", "public", "87.0.0.1"],
  ["８.８.８.８", "public", "8.8.8.8"],
  ["⑧.⑧.⑧.⑧", "public", "8.8.8.8"],
  ["%38.8.8.8", "public", "8.8.8.8"],
  ["8.8.8.8.", "public", "8.8.8.8"],
  ["[2606:2800:0220:0001:0248:1893:25C8:1946]", "public", `[${PUBLIC6}]`],
  ["[2a00:0:0:0:0:0:0:1]", "public", "[2a00::1]"],
];

/** Reserved names in every spelling, and similar names. */
const NAMES: HostRow[] = [
  ...inRange("not_public", ["localhost", "LOCALHOST", "LocalHost.", "localhost..", "a.localhost", "a.b.localhost."]),
  ...inRange("not_public", [
    "printer.local",
    "PRINTER.LOCAL.",
    "_ipp._tcp.local",
    "local",
    "x.internal",
    "x.internal..",
  ]),
  ...inRange("not_public", ["metadata.google.internal", "internal", "home.arpa", "nas.home.arpa", "NAS.Home.Arpa."]),
  ...inRange("not_public", [
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌｏｃａｌｈｏｓｔ",
    "𝓵𝓸𝓬𝓪𝓵𝓱𝓸𝓼𝓽",
    "ℓocalhost",
    "local\u00adhost",
    "a。localhost",
    "a．internal",
  ]),
  ...inRange("not_public", [
    "%6cocalhost",
    "%6C%6F%63%61%6C%68%6F%73%74",
    "a%2elocalhost",
    "x.ⓘnternal",
    "nas.home｡arpa",
  ]),
  ...inRange("not_public", [
    "intranet",
    "db",
    "intranet.",
    "kubernetes",
    "xn--bcher-kva",
    "a_b.example.test",
    "_dmarc.example.test",
  ]),
  ["my_service", "not_public"],
  ["hooks.example.test", "public"],
  ["HOOKS.Example.TEST", "public", "hooks.example.test"],
  ["hooks.example.test.", "public", "hooks.example.test"],
  ["ⓗⓞⓞⓚⓢ.example.test", "public", "hooks.example.test"],
  ["ｈｏｏｋｓ。example｡test", "public", "hooks.example.test"],
  ["hoo\u00adks.example.test", "public", "hooks.example.test"],
  ["h%6Foks.example.test", "public", "hooks.example.test"],
  ["bücher.example.test", "public", "xn--bcher-kva.example.test"],
  ["BÜCHER.example.test", "public", "xn--bcher-kva.example.test"],
  ["xn--bcher-kva.example.test", "public"],
  ["例え.example.test", "public", "xn--r8jz45g.example.test"],
  ["localhost.example.test", "public"],
  ["notlocal.example.test", "public"],
  ["mylocalhost.test", "public"],
  ["internal.example.test", "public"],
  ["home.arpa.example.test", "public"],
  ["arpa.example.test", "public"],
  ["10.0.0.1.example.test", "public"],
  ["only4.example.test", "public"],
  ["only6.example.test", "public"],
  ["many.example.test", "public"],
];

/** Names whose verdict depends on the resolver's response. */
const RESOLVED: HostRow[] = [
  ...inRange("not_public", ["127.0.0.1.nip.test", "loop4.example.test", "loop6.example.test", "mixed4.example.test"]),
  ...inRange("not_public", ["mixed-first.example.test", "mixed6.example.test", "mixed46.example.test"]),
  ...inRange("not_public", [
    "MIXED4.example.test.",
    "ⓜixed4.example.test",
    "mapped.example.test",
    "nat64.example.test",
  ]),
  ...inRange("not_public", [
    "sixtofour.example.test",
    "metadata.example.test",
    "cgnat.example.test",
    "zoned.example.test",
    "zoned-public.example.test",
  ]),
  ...inRange("not_public", ["garbage.example.test", "octal.example.test", "zero.example.test"]),
  ...inRange("unresolved", ["unknown.example.test", "empty.example.test", "silent.example.test", "a..example.test"]),
  ...inRange("unresolved", [`${LONG_LABEL}.example.test`, LONG_NAME]),
];

/** Texts that are not a host: the URL parser rejects them. */
const MALFORMED: HostRow[] = inRange("malformed", [
  "256.0.0.1",
  "1.2.3.4.5",
  "127.0.0.1.2",
  "0x100000000",
  "4294967296",
  "1.2.3.256",
  "127.0.0.08",
  "hooks.1",
  "1e3.2",
  "[::1",
  "[::1%eth0]",
  "[fe80::1%25eth0]",
  "[::ffff:1.2.3]",
  "[1::2::3]",
  "[:1]",
  "[::g]",
  "[127.0.0.1]",
  "[]",
  "a b",
  "a\u0000b.test",
  "a%00b.test",
  "a%20b.test",
  "a%2fb.test",
  "a%40b.test",
  "a%3a80.test",
  "a<b.test",
  "a^b.test",
  "a|b.test",
  "\u00ad",
  "a\u007fb.test",
  "%",
  "%zz.test",
  "a%0ab.test",
  "[::1]x",
]);

/** All hosts, by group. */
export const HOSTS: Readonly<Record<string, readonly HostRow[]>> = {
  ranges: RANGES,
  "IPv4 inside IPv6": EMBEDDED,
  spellings: ADDRESS_FORMS,
  names: NAMES,
  "names by their addresses": RESOLVED,
  "no hosts": MALFORMED,
};

/** Texts that the URL parser would split or correct, so they must not be accepted as hosts of mail servers. */
export const NO_MAIL_HOSTS: readonly string[] = [
  "hooks.example.test:25",
  "hooks.example.test:80",
  "hooks.example.test:",
  "8.8.8.8:80",
  `[${PUBLIC6}]:80`,
  "user@hooks.example.test",
  "@hooks.example.test",
  "hooks.example.test/",
  "hooks.example.test/x",
  "/hooks.example.test",
  "hooks.example.test?",
  "hooks.example.test?x",
  "hooks.example.test#",
  "hooks.example.test#x",
  "hooks.example.test\\",
  "hooks.exa\tmple.test",
  "hooks.exa\nmple.test",
  "hooks.exa\rmple.test",
  "smtp://hooks.example.test",
  "8.8 .8.8",
  "hooks.example.test\r\nRSET",
  "fe80::1%eth0",
  "::1",
  "::ffff:10.0.0.1",
  "fd00::7",
  "127.0.0.1\u0000",
  ".",
  "..",
];

/** Returns the addresses of a name in the tables. Throws when the resolver does not respond. */
export async function resolveInZone(name: string): Promise<string[]> {
  const addresses = ZONE[name];
  if (addresses === null) throw new Error("the resolver does not answer");
  return [...(addresses ?? [])];
}
