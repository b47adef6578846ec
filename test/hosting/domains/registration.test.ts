import { eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { hosting_hostnames } from "../../../db/hosting/schema";
import { freshHostname, passTime, startDomains } from "../../support/hosting/domains";
import { startHosting } from "../../support/hosting/hosting";
import { readRows } from "../../support/webhooks/rows";

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const pendingOf = (hostname: string) => readRows(hosting_hostnames, eq(hosting_hostnames.hostname, hostname));

it("registers a verified domain at Cloudflare, and removes it with the domain", async () => {
  const { cloudflare, read, remove, verify } = await startDomains({ hasProvider: true });
  const hostname = freshHostname();
  const domain = await verify(hostname);
  expect(cloudflare.registered.map((row) => row.hostname)).toEqual([hostname]);
  expect((await read(domain.id)).is_registered).toBe(true);
  await remove(domain.id);
  expect([cloudflare.registered, await pendingOf(hostname)]).toEqual([[], []]);
});

it("adopts a host name that the zone already has", async () => {
  const { cloudflare, read, verify } = await startDomains({ hasProvider: true });
  const hostname = freshHostname();
  cloudflare.registered.push({ id: "longer", hostname: `www.${hostname}` }, { id: "present", hostname });
  const domain = await verify(hostname);
  expect((await read(domain.id)).is_registered).toBe(true);
  expect(cloudflare.registered).toHaveLength(2);
});

it.each([
  ["an error of the server", () => new Response("<html>", { status: 502 })],
  ["a rate limit", () => Response.json({ success: false, errors: [{ code: 971 }] }, { status: 429 })],
  ["a rejection", () => Response.json({ success: false, errors: [null, { code: 1414 }] }, { status: 400 })],
  ["an answer without an id", () => Response.json({ success: true, result: { hostname: 7 } }, { status: 500 })],
  ["no connection", () => Promise.reject(new TypeError("connection refused"))],
])("repeats a registration and a removal after %s", async (_name, failure) => {
  const { cloudflare, read, remove, sweep, verify } = await startDomains({ hasProvider: true });
  const hostname = freshHostname();
  cloudflare.failWith(failure);
  const domain = await verify(hostname);
  expect(await read(domain.id)).toMatchObject({ state: "verified", is_registered: false });
  expect(await pendingOf(hostname)).toMatchObject([{ attempts: 1, lease_until: 0 }]);
  cloudflare.failWith(null);
  passTime(2 * MINUTE_MS);
  await sweep();
  expect((await read(domain.id)).is_registered).toBe(true);
  cloudflare.failWith(failure);
  expect((await remove(domain.id)).status).toBe(204);
  expect(cloudflare.registered).toHaveLength(1);
  cloudflare.failWith(null);
  passTime(4 * MINUTE_MS);
  await sweep();
  expect([cloudflare.registered, await pendingOf(hostname)]).toEqual([[], []]);
});

it("registers domains that were verified before the provider was configured", async () => {
  const before = await startDomains();
  const hostname = freshHostname();
  const domain = await before.verify(hostname);
  expect(domain.is_registered).toBe(null);
  const { cloudflare, sweep } = await startDomains({ hasProvider: true, companyId: before.companyId });
  cloudflare.setRecord(`_platform-hosting.${hostname}`, domain.records[0]?.value ?? "");
  passTime(25 * 60 * MINUTE_MS);
  await sweep();
  expect(cloudflare.registered.map((row) => row.hostname)).toContain(hostname);
});

it("calls nothing without a token, and refuses a token without a zone", async () => {
  const { cloudflare, verify } = await startDomains();
  expect((await verify(freshHostname())).state).toBe("verified");
  expect(cloudflare.calls).toEqual([]);
  const misconfigured = await startHosting({ vars: { CLOUDFLARE_API_TOKEN: "x" } });
  expect((await misconfigured.call("/hosting/v1/health")).status).toBe(503);
});
