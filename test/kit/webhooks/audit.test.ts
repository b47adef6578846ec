import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changesOf } from "../../support/identity/admin";
import { createNetwork } from "../../support/net/network";
import { setUpWebhooks } from "../../support/webhooks/api";

beforeEach(() => void createNetwork());
afterEach(() => void vi.restoreAllMocks());

const device = { ip_hash: expect.stringMatching(/^[0-9a-f]{32}$/), user_agent: expect.any(String) };

it("records who created, changed, rotated and deleted a webhook, with a hashed IP address and without secrets", async () => {
  const { company, owner, staff, call, createRule } = await setUpWebhooks();
  const { id, secret } = await createRule({ name: "Bot", secret: "a-secret-of-twenty-chars" });
  const path = `/rules/${id}`;
  const other = { url: "https://other.example.com/path-secret", secret: "another-secret-of-chars", enabled: false };
  const change = { ...other, name: "Bot" };
  expect((await call("PATCH", path, change)).status).toBe(200);
  const staffPath = `${path}/rotate-secret`;
  const rotated = await call("POST", staffPath, { overlap_hours: 1 }, staff.token);
  expect(rotated.status).toBe(200);
  expect((await call("DELETE", path)).status).toBe(204);
  const entries = await changesOf(company, "identity.action_rule.");
  const rule = { rule_id: id, rule_name: "Bot", rule_event_type: "identity.user.created" };
  expect(entries).toEqual(
    [
      { verb: "created", by: owner.id, data: { host: "hooks.example.com" } },
      {
        verb: "updated",
        by: owner.id,
        data: { host: "other.example.com", changed_fields: ["enabled", "url", "secret"] },
      },
      { verb: "secret_rotated", by: staff.id, data: { overlap_hours: 1 } },
      { verb: "deleted", by: owner.id, data: {} },
    ].map(({ verb, by: actor, data }) => ({
      type: `identity.action_rule.${verb}`,
      user_id: actor,
      actor: { kind: "session", user_id: actor },
      data: { ...rule, ...data, ...device, client_country: null, client_city: null },
    })),
  );
  const text = JSON.stringify(entries);
  for (const hidden of [secret, change.secret, String(rotated.body.secret), "path-secret"])
    expect(text).not.toContain(hidden);
});

it("records no audit entry for rejected calls and calls without a change", async () => {
  const { company, member, call, createRule } = await setUpWebhooks();
  const { id } = await createRule();
  const rule = { name: "Bot", event_type: "identity.user.created", url: "https://hooks.example.com/x" };
  expect((await call("POST", "/rules", rule, member.token)).status).toBe(403);
  expect((await call("POST", "/rules", { ...rule, url: "ftp://x" })).status).toBe(400);
  expect((await call("PATCH", `/rules/${id}`, {})).status).toBe(200);
  const unchanged = { name: "Bot", url: "https://hooks.example.com/x", enabled: true, authorization_header: "" };
  expect((await call("PATCH", `/rules/${id}`, unchanged)).status).toBe(200);
  expect((await call("PATCH", `/rules/${id}`, { name: 1 })).status).toBe(400);
  expect((await call("DELETE", "/rules/99999999")).status).toBe(404);
  const filled = await Promise.all(Array.from({ length: 104 }, () => call("POST", "/rules", rule)));
  expect(filled.filter(({ status }) => status === 409)).toHaveLength(5);
  const types = (await changesOf(company, "identity.action_rule.")).map(({ type }) => type);
  expect(types).toEqual(Array(100).fill("identity.action_rule.created"));
});
