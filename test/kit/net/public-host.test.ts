import { describe, expect, inject, it } from "vitest";
import { resolveOverHttps } from "../../../workers/kit/net/dns";
import { checkPublicHost, isPublicAddress } from "../../../workers/kit/net/public-address";

const { control } = inject("mailServers");

describe("isPublicAddress", () => {
  it.each([
    "93.184.216.34",
    "1.1.1.1",
    "172.32.0.1",
    "2606:2800:220:1::1",
    "::ffff:93.184.216.34",
    "64:ff9b::5db8:d822",
    "2002:5db8:d822::1",
  ])("treats %s as public", (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00::7",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "4000::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2002:a00:1::1",
    "2002:7f00:1::",
    "::10.0.0.1",
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3.4.5",
    "example.test",
  ])("treats %s as not public", (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });
});

describe("checkPublicHost", () => {
  const resolve = (name: string) => resolveOverHttps(name, `${control}/dns/ok`, fetch);

  it.each([
    ["public.example.test", "public.example.test"],
    ["PUBLIC.example.test.", "public.example.test"],
    ["93.184.216.34", "93.184.216.34"],
    ["[2606:2800:220:1::1]", "[2606:2800:220:1::1]"],
    ["2606:2800:220:1::1", "[2606:2800:220:1::1]"],
  ])("passes %s as %s", async (written, host) => {
    expect(await checkPublicHost(written, resolve)).toEqual({ ok: true, host });
  });

  it.each([
    "mixed.example.test",
    "private6.example.test",
    "localhost",
    "a.localhost",
    "printer.local",
    "x.internal",
    "x.home.arpa",
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "１２７.0.0.1",
    "::1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "intranet",
    "user@public.example.test",
    "public.example.test:25",
    "public.example.test/x",
    "a b",
    "",
    "localhost.",
  ])("rejects %s", async (host) => {
    expect(await checkPublicHost(host, resolve)).toEqual({ ok: false, reason: "not_public" });
  });

  it.each(["ok", "broken", "half", "down"])(
    "reports `unresolved` for an unknown name and for a failed or incomplete DNS response (resolver: %s)",
    async (resolver) => {
      const name = resolver === "ok" ? "unknown.example.test" : "public.example.test";
      const check = await checkPublicHost(name, (host) => resolveOverHttps(host, `${control}/dns/${resolver}`, fetch));
      expect(check).toEqual({ ok: false, reason: "unresolved" });
    },
  );
});

describe("resolveOverHttps", () => {
  it("returns the IPv4 and IPv6 addresses of a name and omits its CNAME records", async () => {
    expect(await resolveOverHttps("public.example.test", `${control}/dns/ok`, fetch)).toEqual([
      "93.184.216.34",
      "2606:2800:220:1:248:1893:25c8:1946",
    ]);
  });

  it("returns no addresses for a name that does not exist, and throws when the resolver fails", async () => {
    expect(await resolveOverHttps("unknown.example.test", `${control}/dns/ok`, fetch)).toEqual([]);
    await expect(resolveOverHttps("public.example.test", `${control}/dns/broken`, fetch)).rejects.toThrow();
    await expect(resolveOverHttps("public.example.test", `${control}/noid`, fetch)).rejects.toThrow();
  });
});
