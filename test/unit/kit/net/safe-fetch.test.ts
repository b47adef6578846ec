import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OutboundError, type SafeFetchOptions, safeFetch } from "../../../../workers/kit/net/safe-fetch";

const routes: Record<string, (response: ServerResponse) => void> = {
  "/ok": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}'),
  "/empty": (response) => response.writeHead(204).end(),
  "/moved": (response) => response.writeHead(302, { location: "/ok" }).end("gone"),
  "/long": (response) => response.writeHead(200).end("x".repeat(5000)),
  "/bomb": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("y".repeat(5000))),
  "/packed": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed")),
  "/drip": (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  },
  "/broken": (response) => {
    response.writeHead(500, { "content-length": "100" });
    response.write("half");
    setTimeout(() => response.destroy(), 30);
  },
  "/silent": () => undefined,
};
let server: Server;
let base: string;
let calls: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    routes[request.url ?? ""]?.(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const publicName = async () => ["93.184.216.34"];
const development: SafeFetchOptions = {
  fetch: (input, init) => fetch(input, init),
  resolve: publicName,
  timeoutMs: 2000,
  maxBytes: 1000,
  allowHttp: true,
  allowPrivate: true,
};

/** Returns the options of a deployment, with a network that returns 200 for every request. */
function deployed(overrides: Partial<SafeFetchOptions> = {}) {
  const wire = vi.fn(async () => new Response("reached"));
  return { wire, options: { fetch: wire, resolve: publicName, timeoutMs: 2000, maxBytes: 1000, ...overrides } };
}

async function reasonOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OutboundError)) throw new Error("no OutboundError was thrown", { cause: error });
  return error.reason;
}

describe("the addresses that safeFetch calls", () => {
  it("include a public https address, which is called without fragment, redirects and cache", async () => {
    const { wire, options } = deployed();
    const response = await safeFetch("https://id.example.com/a?b=1#c", { method: "POST", body: "x" }, options);
    expect(await response.text()).toBe("reached");
    expect(wire).toHaveBeenCalledExactlyOnceWith(
      "https://id.example.com/a?b=1",
      expect.objectContaining({ method: "POST", body: "x", redirect: "manual", cache: "no-store" }),
    );
  });

  it.each([
    "http://id.example.com/",
    "ftp://id.example.com/",
    "https://user@id.example.com/",
    "https://user:secret@id.example.com/",
    "https://:secret@id.example.com/",
    `https://id.example.com/${"a".repeat(2048)}`,
    "id.example.com",
    "https://",
    "",
  ])("do not include %.60s, which is rejected before any request", async (target) => {
    const { wire, options } = deployed();
    expect(await reasonOf(safeFetch(target, {}, options))).toBe("target");
    expect(wire).not.toHaveBeenCalled();
  });

  it.each([
    "https://localhost/",
    "https://x.internal/",
    "https://printer.local./",
    "https://127.1/",
    "https://0x7f000001/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::ffff:10.0.0.1]/",
    "https://１２７.0.0.1/",
  ])("do not include %s, which is not public and is rejected before any request", async (target) => {
    const { wire, options } = deployed();
    expect(await reasonOf(safeFetch(target, {}, options))).toBe("not_public");
    expect(wire).not.toHaveBeenCalled();
  });

  it("exclude a name that has a non-public address, has no address, or cannot be resolved", async () => {
    const resolvers: [SafeFetchOptions["resolve"], string][] = [
      [async () => ["93.184.216.34", "10.0.0.7"], "not_public"],
      [async () => [], "unresolved"],
      [async () => Promise.reject(new Error("down")), "unresolved"],
    ];
    for (const [resolve, reason] of resolvers) {
      const { wire, options } = deployed({ resolve });
      expect(await reasonOf(safeFetch("https://id.example.com/", {}, options))).toBe(reason);
      expect(wire).not.toHaveBeenCalled();
    }
  });

  it("are resolved again for each request", async () => {
    const resolve = vi.fn(publicName);
    const { options } = deployed({ resolve });
    await safeFetch("https://id.example.com/", {}, options);
    await safeFetch("https://id.example.com/", {}, options);
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  it("include http addresses only when enabled, and only with a public host", async () => {
    const { options } = deployed({ allowHttp: true });
    expect((await safeFetch("http://id.example.com/", {}, options)).status).toBe(200);
    expect(await reasonOf(safeFetch("http://127.0.0.1/", {}, options))).toBe("not_public");
  });

  it("are not resolved when private addresses are allowed, but http stays forbidden", async () => {
    const resolve = vi.fn(publicName);
    const { options } = deployed({ allowPrivate: true, resolve });
    expect((await safeFetch("https://10.0.0.7/", {}, options)).status).toBe(200);
    expect(resolve).not.toHaveBeenCalled();
    expect(await reasonOf(safeFetch("http://10.0.0.7/", {}, options))).toBe("target");
  });

  it("do not appear in the error", async () => {
    const { options } = deployed({
      fetch: async () => Promise.reject(new Error("no route to id.example.com?token=t")),
    });
    await expect(safeFetch("https://id.example.com/?token=t", {}, options)).rejects.toThrow(
      /^outbound call failed: connection$/,
    );
  });
});

describe("the response of safeFetch", () => {
  it("contains status, headers and body", async () => {
    const response = await safeFetch(`${base}/ok`, {}, development);
    expect([response.status, response.headers.get("content-type"), await response.json()]).toEqual([
      200,
      "application/json",
      { ok: true },
    ]);
    expect((await safeFetch(`${base}/empty`, {}, development)).status).toBe(204);
    expect(await (await safeFetch(`${base}/packed`, {}, development)).text()).toBe("packed");
  });

  it("is not followed when it is a redirect", async () => {
    calls = [];
    const response = await safeFetch(`${base}/moved`, {}, development);
    expect([response.status, response.headers.get("location"), calls]).toEqual([302, "/ok", ["GET /moved"]]);
  });

  it("is rejected or truncated when the decoded body exceeds the limit", async () => {
    for (const path of ["/long", "/bomb"]) {
      expect(await reasonOf(safeFetch(base + path, {}, development))).toBe("too_large");
      const cut = await safeFetch(base + path, {}, { ...development, body: "cut", maxBytes: 512 });
      expect((await cut.text()).length).toBe(512);
    }
    const complete = await safeFetch(`${base}/long`, {}, { ...development, maxBytes: 5000 });
    expect((await complete.text()).length).toBe(5000);
  });

  it("ends within its timeout when the receiver is silent, the body drips, or the resolver is silent", async () => {
    const withShortTimeout = { ...development, timeoutMs: 150 };
    expect(await reasonOf(safeFetch(`${base}/silent`, {}, withShortTimeout))).toBe("timeout");
    expect(await reasonOf(safeFetch(`${base}/drip`, {}, withShortTimeout))).toBe("timeout");
    const withSilentResolver = {
      ...withShortTimeout,
      allowPrivate: false,
      resolve: () => new Promise<string[]>(() => undefined),
    };
    expect(await reasonOf(safeFetch("https://id.example.com/", {}, withSilentResolver))).toBe("timeout");
    const withSilentServer = {
      ...deployed({ fetch: () => new Promise<Response>(() => undefined) }).options,
      timeoutMs: 150,
    };
    expect(await reasonOf(safeFetch("https://id.example.com/", {}, withSilentServer))).toBe("timeout");
  });

  it('keeps its status when the body drips or breaks off, with `body: "cut"`', async () => {
    const lenient: SafeFetchOptions = { ...development, timeoutMs: 150, body: "cut" };
    const drip = await safeFetch(`${base}/drip`, {}, lenient);
    expect([drip.status, (await drip.text()).startsWith(".")]).toEqual([200, true]);
    const broken = await safeFetch(`${base}/broken`, {}, { ...lenient, timeoutMs: 2000 });
    expect([broken.status, await broken.text()]).toEqual([500, "half"]);
  });

  it("is missing after a refused connection, a truncated body or an invalid status", async () => {
    expect(await reasonOf(safeFetch("http://127.0.0.1:1/", {}, development))).toBe("connection");
    expect(await reasonOf(safeFetch(`${base}/broken`, {}, development))).toBe("connection");
    const withInvalidStatus = Object.defineProperty(new Response(""), "status", { value: 999 });
    const { options } = deployed({ fetch: async () => withInvalidStatus });
    expect(await reasonOf(safeFetch("https://id.example.com/", {}, options))).toBe("connection");
  });
});
