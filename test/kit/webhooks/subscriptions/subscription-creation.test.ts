import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { action_rules } from "../../../../db/kit/webhooks";
import { createNetwork } from "../../../support/net/network";
import { restoreAfterEach } from "../../../support/restore";
import { eventType, ruleFields, ruleUrl, setUpWebhooks } from "../../../support/webhooks/api";
import { findRule, insertNumbered, ruleOf } from "../../../support/webhooks/rows";

let network: ReturnType<typeof createNetwork>;
beforeEach(() => {
  network = createNetwork();
});
restoreAfterEach();

describe("creating a webhook rule", () => {
  it("returns the rule and, only once, a generated secret that is stored encrypted", async () => {
    const { company, call } = await setUpWebhooks();
    const { status, body } = await call("POST", "/rules", ruleFields);
    expect(status).toBe(201);
    const { secret, ...rule } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rule).toEqual({
      id: expect.any(Number),
      company_id: company.id,
      name: "Bot",
      description: "",
      event_type: eventType,
      url: ruleUrl,
      enabled: true,
      action_kind: "webhook",
      config: {
        url: ruleUrl,
        insecure: false,
        has_secret: true,
        secret_hint: String(secret).slice(-4),
        previous_secret_expires_at: null,
        authorization_header_set: false,
        allow_private_urls: false,
      },
      health: "unknown",
      health_reason: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      created_at: rule.updated_at,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await call("GET", `/rules/${rule.id}`)).body).toEqual(rule);
    expect((await call("GET", "/rules")).body).toMatchObject({ count: 1, page: 1, page_size: 100, results: [rule] });
    const stored = await findRule(Number(rule.id));
    expect(stored.secret_enc).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("accepts every field, and never returns the client's secret and Authorization value", async () => {
    const { call, createRule } = await setUpWebhooks();
    const input = {
      description: "two\nlines",
      enabled: false,
      secret: "plain secret",
      authorization_header: "Bearer abc123",
    };
    const created = await createRule({ ...input, url: "http://hooks.example.com:8443/a?b=c#part" });
    expect(created).toMatchObject({
      description: "two\nlines",
      enabled: false,
      secret: "plain secret",
      url: "http://hooks.example.com:8443/a?b=c",
      config: { insecure: true, secret_hint: "cret", authorization_header_set: true },
    });
    const responses = JSON.stringify([
      (await call("GET", `/rules/${created.id}`)).body,
      (await call("GET", "/rules")).body,
    ]);
    expect(responses).not.toContain("plain secret");
    expect(responses).not.toContain("abc123");
    const stored = await findRule(created.id);
    expect(stored).toMatchObject({ host: "hooks.example.com:8443", enabled: false });
    expect(JSON.stringify(stored)).not.toMatch(/plain secret|abc123/);
  });

  it("hides the hint of a short secret", async () => {
    const { createRule } = await setUpWebhooks();
    expect((await createRule({ secret: "elevenchars" })).config.secret_hint).toBe("****");
    expect((await createRule({ secret: "twelve-chars" })).config.secret_hint).toBe("hars");
    expect((await createRule({ secret: "" })).secret).toMatch(/^whsec_/);
  });

  it.each<[string, Record<string, unknown>, Record<string, string[]>]>([
    [
      "nothing",
      { name: undefined, event_type: undefined, url: undefined },
      { name: ["required"], event_type: ["required"], url: ["required"] },
    ],
    [
      "empty fields",
      { name: " ", event_type: "", url: "" },
      { name: ["required"], event_type: ["required"], url: ["required"] },
    ],
    [
      "several invalid fields",
      { name: "x".repeat(201), event_type: "identity.nothing", url: "ftp://x.example", secret: "whsec_*" },
      { name: ["too_long"], event_type: ["unknown"], url: ["invalid"], secret: ["invalid"] },
    ],
    [
      "wrong types",
      {
        name: 1,
        event_type: 2,
        url: [],
        enabled: "true",
        description: null,
        secret: {},
        authorization_header: 1,
        allow_private_urls: 0,
      },
      {
        name: ["invalid"],
        event_type: ["invalid"],
        url: ["invalid"],
        enabled: ["invalid"],
        description: ["invalid"],
        secret: ["invalid"],
        authorization_header: ["invalid"],
        allow_private_urls: ["invalid"],
      },
    ],
    ["a type that is only logged", { event_type: "identity.auth.login.failed" }, { event_type: ["unknown"] }],
    ["a staff-only type", { event_type: "identity.scheduled_job.failed" }, { event_type: ["unknown"] }],
    ["a long description", { description: "x".repeat(2001) }, { description: ["too_long"] }],
    ["user info", { url: "https://me:pw@hooks.example.com" }, { url: ["credentials"] }],
    ["empty user info", { url: "https://@hooks.example.com" }, { url: ["credentials"] }],
    ["a blocked port", { url: "https://hooks.example.com:25/" }, { url: ["invalid"] }],
    ["a long URL", { url: `https://hooks.example.com/${"x".repeat(2048)}` }, { url: ["invalid"] }],
    ["a private address", { url: "http://127.0.0.1/x" }, { url: ["not_public"] }],
    ["a private address in another notation", { url: "http://0x7f.1" }, { url: ["not_public"] }],
    ["localhost", { url: "http://localhost:3000" }, { url: ["not_public"] }],
    [
      "a host name that resolves to a private address",
      { url: "https://inside.example.com", secret: "whsec_" },
      { url: ["not_public"], secret: ["invalid"] },
    ],
    ["a long secret", { secret: "x".repeat(257) }, { secret: ["invalid"] }],
    ["loose base64", { secret: "whsec_abc" }, { secret: ["invalid"] }],
    ["a line break in the header", { authorization_header: "Bearer a\r\nx: y" }, { authorization_header: ["invalid"] }],
    [
      "characters outside ASCII in the header",
      { authorization_header: "Bearer é" },
      { authorization_header: ["invalid"] },
    ],
    ["a long header", { authorization_header: "x".repeat(4097) }, { authorization_header: ["too_long"] }],
  ])("rejects %s with all codes in one response", async (_case, fields, field_errors) => {
    network.names["inside.example.com"] = ["93.184.216.34", "10.0.0.7"];
    const { code } = await setUpWebhooks();
    expect(await code("POST", "/rules", { ...ruleFields, ...fields })).toEqual([
      400,
      "validation_failed",
      field_errors,
    ]);
    expect(network.received).toEqual([]);
  });

  it("accepts a name that does not resolve and an unavailable resolver, because each attempt checks again", async () => {
    const { call } = await setUpWebhooks();
    network.names["nowhere.example.com"] = [];
    expect((await call("POST", "/rules", { ...ruleFields, url: "https://nowhere.example.com/" })).status).toBe(201);
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no network"));
    expect((await call("POST", "/rules", { ...ruleFields, url: "https://away.example.com/" })).status).toBe(201);
  });

  it("lets only staff allow private targets, and rejects others before any other error", async () => {
    const { company, code, call, staff } = await setUpWebhooks();
    const body = { ...ruleFields, url: "http://10.0.0.7/x", allow_private_urls: true };
    const rejection = [403, "forbidden", { allow_private_urls: ["staff_only"] }];
    expect(await code("POST", "/rules", body)).toEqual(rejection);
    expect(await code("POST", "/rules", { allow_private_urls: true })).toEqual(rejection);
    const created = await call("POST", `/rules?company_id=${company.id}`, body, staff.token);
    expect(created).toMatchObject({
      status: 201,
      body: { company_id: company.id, config: { allow_private_urls: true } },
    });
  });

  it("accepts private targets everywhere when the deployment allows them", async () => {
    const { createRule } = await setUpWebhooks({ ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" });
    expect((await createRule({ url: "http://localhost:3000/x" })).config.allow_private_urls).toBe(false);
  });

  it("creates at most 100 rules per company, even under 50 concurrent calls at 99", async () => {
    const { company, other, call, code, staff } = await setUpWebhooks();
    await insertNumbered(action_rules, 99, (i) => ({
      ...ruleOf({ company_id: company.id, event_type: eventType, url: ruleUrl }),
      name: sql`'Rule ' || ${i}`,
    }));
    const responses = await Promise.all(Array.from({ length: 50 }, () => call("POST", "/rules", ruleFields)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(
      responses.filter(({ status, body }) => status === 409 && body.error_code === "rule_limit_reached"),
    ).toHaveLength(49);
    expect(await code("POST", "/rules", ruleFields)).toEqual([409, "rule_limit_reached"]);
    expect((await call("POST", `/rules?company_id=${other.id}`, ruleFields, staff.token)).status).toBe(201);
    const page = (await call("GET", "/rules?page_size=1")).body;
    expect(page).toMatchObject({ count: 100, page_size: 1 });
  });

  it("limits mutations to the configured rate, returns a Retry-After, and does not count reads", async () => {
    const { call } = await setUpWebhooks({ API_MUTATION_RATE_LIMIT: "2/min" });
    expect((await call("POST", "/rules", ruleFields)).status).toBe(201);
    expect((await call("POST", "/rules", {})).status).toBe(400);
    const rejected = await call("POST", "/rules", ruleFields);
    expect([rejected.status, rejected.body.error_code]).toEqual([429, "rate_limited"]);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await call("GET", "/rules")).status).toBe(200);
  });
});
