/**
 * The expected verdicts about a URL: when it is saved, when it is saved with private targets allowed, and when it is
 * called over https or http.
 */
export type UrlRow = readonly [
  url: string,
  save: string,
  privateSave: string,
  call: "called" | "target" | "not_public" | "unresolved",
];

const everywhere = (code: string, call: UrlRow[3], urls: readonly string[]): UrlRow[] =>
  urls.map((url) => [url, code, code, call]);

const atPort = (port: number) => `https://hooks.example.test:${port}/in`;

/** Ports that the Fetch Standard blocks, and 0. */
export const BLOCKED_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/**
 * URLs with unusual parts other than the host: scheme, user info, port, length, fragment, control characters. The
 * verdict of an accepted URL is its stored form.
 */
export const URLS: readonly UrlRow[] = [
  ...everywhere("https://hooks.example.test/in", "called", [
    "https://hooks.example.test/in",
    "https://hooks.example.test/in#part",
    "https://hooks.example.test/in#",
    "HTTPS://HOOKS.example.TEST:443/in",
    "https:hooks.example.test/in",
    "https:\\\\hooks.example.test\\in",
    "https:////hooks.example.test/in",
    "  https://hooks.example.test/in \n",
    "https://hooks.exa\tmple.te\nst/i\rn",
    "\u0000\u001fhttps://hooks.example.test/in",
    "https://hooks.example.test/a/../in",
  ]),
  ...everywhere("https://hooks.example.test/@me", "called", ["https://hooks.example.test/@me"]),
  ...everywhere("https://hooks.example.test/?to=@me", "called", ["https://hooks.example.test?to=@me"]),
  ...everywhere("http://hooks.example.test/", "called", [
    "http://hooks.example.test:80",
    "http://hooks.example.test/#x",
  ]),
  ...[443, 8443, 8080, 80, 3000, 10081, 65535].map((port): UrlRow => {
    const stored = port === 443 ? "https://hooks.example.test/in" : atPort(port);
    return [atPort(port), stored, stored, "called"];
  }),
  ...everywhere("invalid", "target", [
    "ftp://hooks.example.test/",
    "file:///etc/passwd",
    "gopher://hooks.example.test/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "ws://hooks.example.test/",
    "wss://hooks.example.test/",
    "blob:https://hooks.example.test/1",
    "mailto:a@example.test",
    "hooks.example.test",
    "//hooks.example.test/",
    "https://",
    "https:///",
    "http:// /",
    "httpss://hooks.example.test/",
    "https//hooks.example.test/",
    "https://[::1/",
    "https://a b/",
    "ftp://u:p@x.test/",
    "https://hooks.example.test:65536/",
    "https://hooks.example.test:-1/",
    "https://hooks.example.test:8o/",
    `https://hooks.example.test/${"a".repeat(2048)}`,
    `https://hooks.example.test/${"é".repeat(1000)}`,
  ]),
  ...everywhere("credentials", "target", [
    "https://user@hooks.example.test/",
    "https://user:secret@hooks.example.test/",
    "https://:secret@hooks.example.test/",
    "https://hooks.example.test@10.0.0.1/",
    "https://10.0.0.1@hooks.example.test/",
    "https://a%40b@hooks.example.test/",
    "https://a@b@hooks.example.test/",
    "http:user@hooks.example.test/",
    "https:\\\\user@hooks.example.test\\",
    "https://user@[::1]/",
    "https://us\ter@hooks.example.test/",
    "https://%20@hooks.example.test/",
  ]),
  // Empty user info is rejected when the URL is saved. It is harmless in a call, because the parsed URL omits it.
  ["https://@hooks.example.test/", "credentials", "credentials", "called"],
  ["https://:@hooks.example.test/", "credentials", "credentials", "called"],
  ["https://@10.0.0.1/", "credentials", "credentials", "not_public"],
  ["", "required", "required", "target"],
  ["  \n", "required", "required", "target"],
  // Private targets are accepted where they are allowed, including single labels and underscores.
  ["https://10.0.0.1/in", "not_public", "https://10.0.0.1/in", "not_public"],
  ["https://0x7f.1:8080/in", "not_public", "https://127.0.0.1:8080/in", "not_public"],
  ["http://[::ffff:127.0.0.1]/", "not_public", "http://[::ffff:7f00:1]/", "not_public"],
  ["http://localhost:3000/", "not_public", "http://localhost:3000/", "not_public"],
  ["http://receiver/in", "not_public", "http://receiver/in", "not_public"],
  ["http://my_receiver:8080/in", "not_public", "http://my_receiver:8080/in", "not_public"],
  ["https://a_b.example.test/", "not_public", "https://a_b.example.test/", "not_public"],
  ["https://metadata.example.test/", "not_public", "https://metadata.example.test/", "not_public"],
  ["https://mixed4.example.test/", "not_public", "https://mixed4.example.test/", "not_public"],
  ["https://10.0.0.1#@hooks.example.test/", "not_public", "https://10.0.0.1/", "not_public"],
  ["https://10.0.0.1\\@hooks.example.test/", "not_public", "https://10.0.0.1/@hooks.example.test/", "not_public"],
  ["https://10.0.0.1?@hooks.example.test/", "not_public", "https://10.0.0.1/?@hooks.example.test/", "not_public"],
  // These names have no address now; each attempt resolves them again.
  ["https://unknown.example.test/", "https://unknown.example.test/", "https://unknown.example.test/", "unresolved"],
  ["https://silent.example.test/", "https://silent.example.test/", "https://silent.example.test/", "unresolved"],
];
