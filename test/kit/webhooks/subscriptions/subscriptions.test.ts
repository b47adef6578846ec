import { and, eq, isNotNull, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { action_deliveries } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { createNetwork } from "../../../support/net/network";
import { restoreAfterEach } from "../../../support/restore";
import { eventType, ruleFields, ruleUrl, setUpWebhooks, storeDelivery } from "../../../support/webhooks/api";
import {
  changeRule,
  countRows,
  deleteRows,
  deliveriesWhere,
  findRule,
  insertNumbered,
} from "../../../support/webhooks/rows";

beforeEach(() => {
  createNetwork();
});
restoreAfterEach();

describe("listing webhook rules", () => {
  it("orders by type, name and id, filters, and supports pages by number and by cursor", async () => {
    const { call, createRule } = await setUpWebhooks();
    const make = async (name: string, event_type: string, enabled = true) =>
      (await createRule({ name, event_type, enabled })).id;
    const b2 = await make("b", "identity.user.updated");
    const a2 = await make("a", "identity.user.updated", false);
    const a1 = await make("a", "identity.user.created");
    const a1too = await make("a", "identity.user.created");
    type Page = { results: { id: number }[]; next_cursor: string | null };
    const ids = async (query: string) =>
      ((await call("GET", `/rules?${query}`)).body as Page).results.map(({ id }) => id);
    expect(await ids("")).toEqual([a1, a1too, a2, b2]);
    expect(await ids("event_type=identity.user.updated")).toEqual([a2, b2]);
    expect(await ids("enabled=false")).toEqual([a2]);
    expect(await ids("enabled=true&event_type=identity.user.updated")).toEqual([b2]);
    expect(await ids("page_size=3&page=2")).toEqual([b2]);
    const first = (await call("GET", "/rules?page_size=2")).body as Page;
    const second = (await call("GET", `/rules?page_size=2&cursor=${first.next_cursor}`)).body as Page;
    expect(second.results.map(({ id }) => id)).toEqual([a2, b2]);
    expect(Object.keys(second).sort()).toEqual(["next_cursor", "page_size", "results"]);
    expect(second.next_cursor).toBeNull();
  });

  it.each([
    ["event_type", "identity.nothing", "invalid"],
    ["enabled", "yes", "invalid"],
    ["page", "0", "out_of_range"],
    ["page_size", "101", "out_of_range"],
    ["page_size", "x", "invalid"],
    ["cursor", "nonsense", "invalid"],
  ])("returns 400 for %s=%s", async (name, value, wrong) => {
    const { code } = await setUpWebhooks();
    expect(await code("GET", `/rules?${name}=${value}`)).toEqual([400, "validation_failed", { [name]: [wrong] }]);
  });
});

describe("changing a webhook rule", () => {
  it("changes only the given fields, and keeps the secret when it is empty", async () => {
    const { call, createRule } = await setUpWebhooks();
    const created = await createRule({ authorization_header: "Bearer x" });
    const before = await findRule(created.id);
    clock.now = () => Date.now() + 5000;
    const changed = await call("PATCH", `/rules/${created.id}`, {
      name: " New ",
      description: "d",
      enabled: false,
      secret: "",
    });
    expect(changed.status).toBe(200);
    const { secret: _, ...rule } = created;
    expect(changed.body).toEqual({
      ...rule,
      name: "New",
      description: "d",
      enabled: false,
      updated_at: expect.any(String),
    });
    expect(changed.body.updated_at).not.toBe(created.updated_at);
    const after = await findRule(created.id);
    expect([after.secret_enc, after.authorization_enc]).toEqual([before.secret_enc, before.authorization_enc]);
    expect((await call("PATCH", `/rules/${created.id}`, {})).body).toEqual(changed.body);
  });

  it("replaces the secret without returning it, removes the Authorization value for an empty string, and resets health", async () => {
    const { call, createRule } = await setUpWebhooks();
    const created = await createRule({ authorization_header: "Bearer x" });
    await changeRule(created.id, {
      last_success_at: 1,
      last_failure_at: 2,
      failing_since: 2,
      health_reason: "gone",
      previous_secret_enc: "v1.old",
      previous_secret_expires_at: clock.now() + 60_000,
    });
    expect((await call("GET", `/rules/${created.id}`)).body).toMatchObject({
      health: "failing",
      health_reason: "gone",
    });
    const { body } = await call("PATCH", `/rules/${created.id}`, {
      secret: "another secret",
      authorization_header: "",
    });
    expect(JSON.stringify(body)).not.toContain("another secret");
    expect(body).toMatchObject({
      health: "unknown",
      health_reason: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      config: { secret_hint: "cret", authorization_header_set: false, previous_secret_expires_at: null },
    });
    expect(await findRule(created.id)).toMatchObject({ previous_secret_enc: null, authorization_enc: null });
  });

  it("moves waiting deliveries to the host of a new URL, and resets health only for a new URL", async () => {
    const { company, call, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    await changeRule(id, { last_success_at: 1 });
    const waiting = await storeDelivery({ company_id: company.id, rule_id: id });
    const done = await storeDelivery({ company_id: company.id, rule_id: id, status: "delivered" });
    expect((await call("PATCH", `/rules/${id}`, { url: ruleUrl })).body.health).toBe("ok");
    const { body } = await call("PATCH", `/rules/${id}`, { url: "https://b.example.com:8443/" });
    expect(body).toMatchObject({ health: "unknown", url: "https://b.example.com:8443/" });
    const hosts = await deliveriesWhere(eq(action_deliveries.rule_id, id));
    expect(Object.fromEntries(hosts.map((row) => [row.id, row.host]))).toEqual({
      [waiting.id]: "b.example.com:8443",
      [done.id]: "hooks.example.com",
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, string[]>]>([
    ["a type", { event_type: eventType }, { event_type: ["immutable"] }],
    ["a type of null", { event_type: null }, { event_type: ["immutable"] }],
    [
      "all wrong at once",
      { name: "", url: "nonsense", secret: "whsec_*", event_type: "x", enabled: 1 },
      { name: ["required"], url: ["invalid"], secret: ["invalid"], event_type: ["immutable"], enabled: ["invalid"] },
    ],
    ["a private URL", { url: "http://192.168.1.1/" }, { url: ["not_public"] }],
    ["an empty URL", { url: "" }, { url: ["required"] }],
  ])("rejects %s", async (_case, fields, field_errors) => {
    const { code, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    expect(await code("PATCH", `/rules/${id}`, fields)).toEqual([400, "validation_failed", field_errors]);
  });

  it("revokes the permission for private targets only when someone other than staff changes the URL", async () => {
    const { company, call, code, createRule, staff } = await setUpWebhooks();
    const at = `?company_id=${company.id}`;
    const body = { ...ruleFields, url: "http://10.0.0.7/x", allow_private_urls: true };
    const { id } = (await call("POST", `/rules${at}`, body, staff.token)).body;
    const flag = async () =>
      ((await call("GET", `/rules/${id}`)).body.config as { allow_private_urls: boolean }).allow_private_urls;
    expect((await call("PATCH", `/rules/${id}`, { name: "Kept" })).status).toBe(200);
    expect((await call("PATCH", `/rules/${id}`, { url: "http://10.0.0.7/x#again" })).status).toBe(200);
    expect(await flag()).toBe(true);
    expect((await call("PATCH", `/rules/${id}`, { url: "http://10.0.0.8/" }, staff.token)).status).toBe(200);
    expect(await flag()).toBe(true);
    expect(await code("PATCH", `/rules/${id}`, { url: "http://10.0.0.9/" })).toEqual([
      400,
      "validation_failed",
      { url: ["not_public"] },
    ]);
    expect(await code("PATCH", `/rules/${id}`, { allow_private_urls: true })).toEqual([
      403,
      "forbidden",
      { allow_private_urls: ["staff_only"] },
    ]);
    expect(await code("PATCH", `/rules/${id}`, { allow_private_urls: false })).toEqual([
      400,
      "validation_failed",
      { url: ["not_public"] },
    ]);
    expect((await call("PATCH", `/rules/${id}`, { url: ruleUrl })).status).toBe(200);
    expect(await flag()).toBe(false);
    const public_ = await createRule();
    expect((await call("PATCH", `/rules/${public_.id}`, { allow_private_urls: false })).status).toBe(200);
  });
});

describe("the health of a listed webhook rule", () => {
  it("changes with its successes and failures", async () => {
    const { call, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    const day = 86_400_000;
    const now = clock.now();
    clock.now = () => now;
    const health = async (columns: Parameters<typeof changeRule>[1]) => {
      await changeRule(id, columns);
      const { body } = await call("GET", `/rules/${id}`);
      return [body.health, body.health_reason];
    };
    expect(await health({ last_success_at: null })).toEqual(["unknown", null]);
    expect(await health({ last_success_at: now })).toEqual(["ok", null]);
    expect(await health({ failing_since: now - day + 1, last_failure_at: now })).toEqual(["degraded", null]);
    expect(await health({ failing_since: now - day })).toEqual(["failing", "failing_24h"]);
    expect(await health({ failing_since: now, health_reason: "gone" })).toEqual(["failing", "gone"]);
    expect(await health({ failing_since: null, health_reason: "secret_unavailable" })).toEqual([
      "failing",
      "secret_unavailable",
    ]);
  });
});

describe("deleting a webhook rule", () => {
  it("ends its waiting deliveries, including the lease of a running attempt, and still lists finished ones", async () => {
    const { company, call, code, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    const other = await createRule();
    const filter = { company_id: company.id, rule_id: id };
    const pending = await storeDelivery({ ...filter });
    const failed = await storeDelivery({
      ...filter,
      status: "failed",
      locked_until: clock.now() + 60_000,
      lease_token: "t",
    });
    const done = await storeDelivery({ ...filter, status: "delivered", last_error_code: null });
    const foreign = await storeDelivery({ ...filter, rule_id: other.id });
    expect((await call("DELETE", `/rules/${id}`)).status).toBe(204);
    expect(await code("GET", `/rules/${id}`)).toEqual([404, "not_found"]);
    expect(await code("DELETE", `/rules/${id}`)).toEqual([404, "not_found"]);
    for (const { id: delivery } of [pending, failed]) {
      expect((await call("GET", `/deliveries/${delivery}`)).body).toMatchObject({
        status: "dead",
        last_error_code: "rule_deleted",
        attempts: [],
        next_attempt_at: null,
        paused: false,
        action_rule_id: id,
      });
    }
    expect((await call("GET", `/deliveries/${done.id}`)).body).toMatchObject({ status: "delivered" });
    expect((await call("GET", `/deliveries/${foreign.id}`)).body).toMatchObject({ status: "pending" });
    const { rule_id, lease_token } = action_deliveries;
    expect(await countRows(action_deliveries, and(eq(rule_id, id), isNotNull(lease_token)))).toBe(0);
    expect(await code("POST", `/deliveries/${pending.id}/requeue`)).toEqual([409, "rule_deleted"]);
  });

  it("ends more waiting deliveries than one statement handles", async () => {
    const { company, call, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    await insertNumbered(action_deliveries, 11_000, (i) => {
      const key = sql`${`bulk-${id}-`} || ${i}`;
      return {
        id: key,
        kind: "webhook" as const,
        company_id: company.id,
        rule_id: id,
        rule_name: "Bot",
        event_id: key,
        event_type: "x",
        host: "h",
        body: "{}",
        status: "pending" as const,
        due_at: 1,
        created_at: 1,
        updated_at: 1,
      };
    });
    expect((await call("DELETE", `/rules/${id}`)).status).toBe(204);
    const isOfRule = eq(action_deliveries.rule_id, id);
    const dead = await countRows(action_deliveries, and(isOfRule, eq(action_deliveries.status, "dead")));
    expect({ dead, n: await countRows(action_deliveries, isOfRule) }).toEqual({ dead: 11_000, n: 11_000 });
    await deleteRows(action_deliveries, isOfRule);
  });
});
