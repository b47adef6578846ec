import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { action_rules } from "../../../db/kit/webhooks";
import { createNetwork } from "../../support/net/network";
import { eventType, setUpWebhooks, storeDelivery } from "../../support/webhooks/api";
import { countRows, insertEvent } from "../../support/webhooks/rows";

beforeEach(() => {
  createNetwork();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const rule = { name: "Bot", event_type: eventType, url: "https://hooks.example.com/x" };

/** Returns a request to every webhook route, with rows of a company. Each write has the status that an owner gets. */
async function everyCall(set: Awaited<ReturnType<typeof setUpWebhooks>>) {
  const { company, createRule } = set;
  const { id } = await createRule();
  const [deletable, tested] = [await createRule(), await createRule()];
  const second = await createRule();
  const delivery = await storeDelivery({ company_id: company.id, rule_id: id, status: "dead" });
  const envelope = JSON.stringify({ id: "e", type: eventType, time: "", company: { id: company.id }, data: {} });
  const event = await insertEvent({ company_id: company.id, event_type: eventType, envelope, created_at: Date.now() });
  const reads = [
    ["GET", "/events"],
    ["GET", "/rules"],
    ["GET", `/rules/${id}`],
    ["GET", "/deliveries"],
    ["GET", `/deliveries/${delivery.id}`],
    ["GET", "/event-log"],
    ["GET", "/event-log/types"],
    ["GET", "/event-log/retention"],
    ["GET", `/event-log/${event.id}`],
  ] as const;
  const writes = [
    ["POST", "/rules", rule, 201],
    ["PATCH", `/rules/${id}`, { name: "New" }, 200],
    ["POST", `/rules/${id}/rotate-secret`, undefined, 200],
    ["POST", `/rules/${tested.id}/send-test`, undefined, 200],
    ["POST", `/rules/${second.id}/requeue`, undefined, 200],
    ["POST", `/deliveries/${delivery.id}/requeue`, undefined, 200],
    ["POST", `/event-log/${event.id}/replay`, { action_rule_id: second.id }, 201],
    ["DELETE", `/rules/${deletable.id}`, undefined, 204],
  ] as const;
  return { reads, writes, event: event.id };
}

/** Returns whether the path contains a row's id. */
const isOfRow = (path: string) => /\/\d|\/[0-9a-f]{8}-/.test(path);

it("rejects missing credentials, members, and owners of other companies before any other check", async () => {
  const set = await setUpWebhooks();
  const { company, code, member, foreign } = set;
  const { reads, writes } = await everyCall(set);
  for (const [method, path, body] of [...reads, ...writes] as readonly (readonly [
    string,
    string,
    unknown?,
    number?,
  ])[]) {
    const request = `${method} ${path}`;
    expect(await code(method, path, body, null), request).toEqual([401, "unauthorized"]);
    expect(await code(method, path, body, "nonsense"), request).toEqual([401, "token_invalid"]);
    expect(await code(method, path, body, member.token), request).toEqual([403, "forbidden"]);
    expect(await code(method, `${path}?company_id=${company.id}`, body, foreign.token), request).toEqual([
      403,
      "company_mismatch",
    ]);
    expect(await code(method, `${path}?company_id=x`, body, foreign.token), request).toEqual([
      400,
      "validation_failed",
      { company_id: ["invalid"] },
    ]);
    if (!isOfRow(path)) continue;
    expect(await code(method, path, body, foreign.token), request).toEqual([404, "not_found"]);
    // The service looks up the row before it validates the body.
    if (body) expect(await code(method, path, "{", foreign.token), request).toEqual([404, "not_found"]);
  }
  expect(await countRows(action_rules, eq(action_rules.company_id, company.id))).toBe(4);
});

it("admits the owner, and the owner's read-only token for reads", async () => {
  const set = await setUpWebhooks();
  const { call, code, pat } = set;
  const { reads, writes } = await everyCall(set);
  const [readOnly, full] = [await pat(true), await pat(false)];
  for (const [method, path] of reads) {
    expect((await call(method, path)).status, path).toBe(200);
    expect((await call(method, path, undefined, readOnly)).status, path).toBe(200);
  }
  for (const [method, path, body, status] of writes) {
    expect(await code(method, path, body, readOnly), path).toEqual([403, "pat_read_only"]);
    expect((await call(method, path, body, full)).status, path).toBe(status);
  }
});

it("admits staff to every company, with and without company_id, and returns only rows of that company", async () => {
  const set = await setUpWebhooks();
  const { company, other, call, code, staff } = set;
  const { reads, writes, event } = await everyCall(set);
  for (const [method, path] of reads) {
    expect((await call(method, `${path}?company_id=${company.id}`, undefined, staff.token)).status, path).toBe(200);
    // An event is found within its company, so staff must name the company.
    const isEvent = path === `/event-log/${event}`;
    expect((await call(method, path, undefined, staff.token)).status, path).toBe(isEvent ? 404 : 200);
    if (isOfRow(path)) {
      expect(await code(method, `${path}?company_id=${other.id}`, undefined, staff.token), path).toEqual([
        404,
        "not_found",
      ]);
    }
    expect(await code(method, `${path}?company_id=99999999`, undefined, staff.token), path).toEqual([404, "not_found"]);
  }
  for (const [method, path, body, status] of writes) {
    if (isOfRow(path)) {
      expect(await code(method, `${path}?company_id=${other.id}`, body, staff.token), path).toEqual([404, "not_found"]);
    }
    const inBody = body && { ...body, company_id: company.id };
    const at = inBody ? path : `${path}?company_id=${company.id}`;
    const response = await call(method, at, inBody, staff.token);
    expect(response.status, path).toBe(status);
    if (path === "/rules") expect(response.body.company_id).toBe(company.id);
  }
});

it("reads the company from the query, then from the body, and rejects two different companies", async () => {
  const { company, other, code } = await setUpWebhooks();
  expect(await code("POST", `/rules?company_id=${company.id}`, { ...rule, company_id: other.id })).toEqual([
    400,
    "validation_failed",
    { company_id: ["mismatch"] },
  ]);
  expect(await code("POST", "/rules", { ...rule, company_id: other.id })).toEqual([403, "company_mismatch"]);
  expect(await code("POST", "/rules", { ...rule, company_id: "x" })).toEqual([
    400,
    "validation_failed",
    { company_id: ["invalid"] },
  ]);
});

it("rejects unknown paths, invalid bodies and other media types", async () => {
  const { code, createRule, call } = await setUpWebhooks();
  const { id } = await createRule();
  for (const bad of ["0", "-1", "1.0", "abc", "%00", String(2 ** 60)]) {
    expect(await code("GET", `/rules/${bad}`)).toEqual([404, "not_found"]);
    expect(await code("GET", `/event-log/${bad}`)).toEqual([404, "not_found"]);
    expect(await code("GET", `/deliveries/${bad}`)).toEqual([404, "not_found"]);
    expect(await code("POST", `/deliveries/${bad}/requeue`)).toEqual([404, "not_found"]);
  }
  expect(await code("POST", "/rules", "{")).toEqual([400, "validation_failed", { body: ["invalid"] }]);
  expect(await code("POST", "/rules", "[]")).toEqual([400, "validation_failed", { body: ["invalid"] }]);
  expect(await code("PATCH", `/rules/${id}`, "")).toEqual([400, "validation_failed", { body: ["invalid"] }]);
  expect(await code("POST", "/rules", { ...rule, description: "x".repeat(70_000) })).toEqual([
    413,
    "payload_too_large",
  ]);
  expect((await call("PUT", `/rules/${id}`)).headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH");
});
