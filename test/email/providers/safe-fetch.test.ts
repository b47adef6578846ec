import { expect, inject, it } from "vitest";
import { type OutboundError, type SafeFetchOptions, safeFetch } from "../../../workers/kit/net/safe-fetch";

// The rules are proven in test/unit/kit-safe-fetch.test.ts; this is the fetch of the runtime that it works with.
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

async function reasonOf(scenario: string, more: Partial<SafeFetchOptions> = {}): Promise<string> {
  return safeFetch(`${control}/${scenario}/emails`, post, { ...options, ...more }).then(
    (response) => `answered ${response.status}`,
    (error: OutboundError) => error.reason,
  );
}

it("answers, does not follow a redirect, and tells no answer, a late one and a large one apart", async () => {
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
