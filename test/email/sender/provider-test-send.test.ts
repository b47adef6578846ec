import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { messages } from "../../../db/email/schema";
import { problemOf } from "../../support/email/admin";
import {
  API_KEY,
  apiProvider,
  invalidFields,
  PROVIDER_PATH,
  startProvider,
} from "../../support/email/company-provider";
import { countRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

/** Records requests to the mail API and responds to them. */
function stubMailApi(respond: () => Response) {
  const calls: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    calls.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body)) });
    return respond();
  });
  return calls;
}

it("sends a test with the company's credentials, to the caller by default", async () => {
  const { email, owner, put } = await startProvider();
  await put({ ...apiProvider, from_name: "Aster" });
  const calls = stubMailApi(() => Response.json({ id: "p-1" }));
  const post = (headers: Record<string, string> = {}) =>
    email.call(`${PROVIDER_PATH}/test-send`, { method: "POST", bearer: owner, headers });
  const response = await post();
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: "sent",
    provider: "api",
    provider_message_id: "p-1",
    sender: { scope: "company", from_email: "hello@aster.example.com" },
  });
  await post({ "accept-language": "fr" });
  expect(calls.map(({ body }) => body.subject)).toEqual(["Test message", "Message de test"]);
  expect(calls[0]?.body).toMatchObject({ from: '"Aster" <hello@aster.example.com>', to: ["owner@example.com"] });
  expect(calls[0]?.headers.get("authorization")).toBe(`Bearer ${API_KEY}`);
  expect(calls[0]?.headers.get("idempotency-key")).not.toBe(calls[1]?.headers.get("idempotency-key"));
});

it("rejects a test through the platform except for platform companies, whose test returns the sender", async () => {
  const { email, staff, companyId } = await startProvider();
  const calls = stubMailApi(() => Response.json({ id: "p-2" }));
  const json = { to: "Someone@Example.org" };
  const post = (bindings = {}) =>
    email.call(`${PROVIDER_PATH}/test-send?company_id=${companyId}`, { bearer: staff, json, bindings });
  expect(await problemOf(await post())).toEqual([409, "provider_not_configured"]);
  expect(calls).toEqual([]);
  const response = await post({ EMAIL_PLATFORM_COMPANY_IDS: String(companyId) });
  expect(await response.json()).toMatchObject({
    status: "sent",
    sender: { scope: "platform", from_email: "no-reply@platform.example.com" },
  });
  expect(calls[0]?.body).toMatchObject({
    from: '"Platform" <no-reply@platform.example.com>',
    to: ["Someone@example.org"],
  });
});

it("lets owners send a test only to their own address", async () => {
  const { email, owner, put } = await startProvider();
  await put(apiProvider);
  stubMailApi(() => Response.json({ id: "p-3" }));
  const post = (json: unknown) => email.call(`${PROVIDER_PATH}/test-send`, { bearer: owner, json });
  expect(await problemOf(await post({ to: "" }))).toEqual(invalidFields({ to: ["required"] }));
  expect(await problemOf(await post({ to: "x" }))).toEqual(invalidFields({ to: ["invalid_format"] }));
  expect(await problemOf(await post({ to: 1 }))).toEqual(invalidFields({ to: ["invalid_format"] }));
  expect(await problemOf(await post({ to: "other@example.com" }))).toEqual([403, "forbidden"]);
  expect((await post({ to: "OWNER@example.com" })).status).toBe(200);
});

it("returns the provider's rejection with its code, without a pause", async () => {
  const { email, owner, put, show, companyId } = await startProvider();
  await put(apiProvider);
  const post = () => email.call(`${PROVIDER_PATH}/test-send`, { method: "POST", bearer: owner });
  const rejection = (code: string) => [502, "provider_test_failed", { provider: [code] }];
  stubMailApi(() => new Response("bad key re_company_key_9876", { status: 401 }));
  expect(await problemOf(await post())).toEqual(rejection("provider_unauthorized"));
  stubMailApi(() => new Response(null, { status: 422 }));
  expect(await problemOf(await post())).toEqual(rejection("provider_rejected"));
  vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("no route")));
  expect(await problemOf(await post())).toEqual(rejection("provider_unreachable"));
  expect(((await show()).lanes as { paused: boolean }[]).some(({ paused }) => paused)).toBe(false);
  expect(await countRows(messages, eq(messages.company_id, companyId))).toBe(0);
});

it("returns 409 when neither company nor platform has credentials", async () => {
  const { email, owner } = await startProvider({ EMAIL_FALLBACK_PROVIDER: "none" });
  const response = await email.call(`${PROVIDER_PATH}/test-send`, { method: "POST", bearer: owner });
  expect(await problemOf(response)).toEqual([409, "provider_not_configured"]);
});

it("allows 10 tests per minute and company, counted before the body is validated", async () => {
  const { email, owner } = await startProvider();
  const post = () => email.call(`${PROVIDER_PATH}/test-send`, { bearer: owner, json: { to: "x" } });
  for (let i = 0; i < 10; i++) expect((await post()).status).toBe(400);
  const rejected = await post();
  expect(await problemOf(rejected)).toEqual([429, "rate_limited"]);
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});
