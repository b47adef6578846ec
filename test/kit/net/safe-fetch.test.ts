import { describe, expect, inject, it } from "vitest";
import { type OutboundError, type SafeFetchOptions, safeFetch } from "../../../workers/kit/net/safe-fetch";
import { readRecord } from "../../support/email/provider-fixtures";
import { beforeTimer, endedByLimit, expectNoWait, timed } from "../../support/wall-clock";

// test/unit/kit/net/safe-fetch.test.ts tests the rules; these tests use the runtime's fetch.
const { control } = inject("mailServers");
const options: SafeFetchOptions = {
  fetch: (input, init) => fetch(input, init),
  resolve: async () => [],
  timeoutMs: 2000,
  maxBytes: 64 * 1024,
  allowHttp: true,
  allowPrivate: true,
};
const post = { method: "POST", body: "{}" };

async function reasonOf(scenario: string, overrides: Partial<SafeFetchOptions> = {}): Promise<string> {
  return safeFetch(`${control}/${scenario}/emails`, post, { ...options, ...overrides }).then(
    (response) => `answered ${response.status}`,
    (error: OutboundError) => error.reason,
  );
}

it("returns the response, follows no redirect, and distinguishes missing, late and large responses", async () => {
  const response = await safeFetch(`${control}/ok/emails`, post, options);
  expect([response.status, await response.json()]).toEqual([200, { id: "provider-id-1" }]);
  expect(await reasonOf("redirect")).toBe("answered 307");
  expect(await reasonOf("reset")).toBe("connection");
  expect(await reasonOf("huge")).toBe("too_large");
  expect(await reasonOf("silent", { timeoutMs: 200 })).toBe("timeout");
  expect(await reasonOf("stalledbody", { timeoutMs: 200 })).toBe("timeout");
  expect(await reasonOf("stalledbody", { timeoutMs: 200, body: "cut" })).toBe("answered 200");
  const cut = await safeFetch(`${control}/huge/emails`, post, { ...options, body: "cut", maxBytes: 512 });
  expect((await cut.text()).length).toBe(512);
});

describe("safeFetch with receivers that misbehave", () => {
  it.each(["silent", "stalledbody", "dripbody", "dripheaders"])(
    "ends after its total timeout: %s",
    async (scenario) => {
      expect(await endedByLimit(400, () => reasonOf(scenario, { timeoutMs: 400 }))).toBe("timeout");
    },
  );

  it("keeps the status received before a dripping body, and returns none while headers drip", async () => {
    const dripped = () => reasonOf("dripbody", { timeoutMs: 400, body: "cut" });
    expect(await endedByLimit(400, dripped)).toBe("answered 200");
    expect(await reasonOf("dripheaders", { timeoutMs: 400, body: "cut" })).toBe("timeout");
  });

  it("stops waiting once a dripping body has sent the requested bytes", async () => {
    const [reason, took] = await timed(() => reasonOf("dripbody", { timeoutMs: 15_000, maxBytes: 5, body: "cut" }));
    expect(reason).toBe("answered 200");
    expectNoWait(took);
  });

  it("includes the time of the resolver in the timeout", async () => {
    const slow = async () => {
      expect(await reasonOf("silent", { timeoutMs: 350 })).toBe("timeout");
      return ["93.184.216.34"];
    };
    // All requests go to the local receiver regardless of the name, so that the address check can stay on.
    const wire: typeof fetch = (_input, init) => fetch(`${control}/dripbody/emails`, init);
    const call = () =>
      safeFetch("https://hooks.example.test/", post, {
        ...options,
        fetch: wire,
        resolve: slow,
        allowPrivate: false,
        timeoutMs: 600,
      }).catch((error: OutboundError) => error.reason);
    expect(await beforeTimer(900, call)).toBe("timeout");
  });

  it("limits the size of the decoded body, and keeps the received part of a body that breaks off", async () => {
    expect(await reasonOf("bomb")).toBe("too_large");
    const cut = await safeFetch(`${control}/bomb/emails`, post, { ...options, body: "cut", maxBytes: 512 });
    expect(await cut.text()).toBe("y".repeat(512));
    const broken = await safeFetch(`${control}/cut/emails`, post, { ...options, body: "cut" });
    expect([broken.status, await broken.text()]).toEqual([500, "half"]);
    expect(await reasonOf("cut")).toBe("connection");
  });

  it.each([301, 302, 303, 307, 308])("returns a %i response unchanged without another request", async (status) => {
    const key = crypto.randomUUID();
    const request = { ...post, headers: { "Idempotency-Key": key } };
    const response = await safeFetch(`${control}/to-${status}/emails`, request, options);
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      status,
      "/ok/emails",
      "moved",
    ]);
    const requests = await readRecord<{ path: string }[]>(`api:${key}`);
    expect(requests?.map(({ path }) => path)).toEqual([`/to-${status}/emails`]);
  });

  it("does not follow a redirect of a public host to a private address", async () => {
    expect(await reasonOf("metadata")).toBe("answered 302");
  });
});
