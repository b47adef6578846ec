import { expect, it } from "vitest";
import { scim_tokens } from "../../../db/identity/schema";
import { freshEmail } from "../../support/identity/identity";
import { entriesOf, rowsOfCompany, storeScimToken } from "../../support/identity/rows";
import { callScim, createDirectory, expectScimError, patchOf } from "../../support/identity/scim";

const PATH = "/api/v1/scim/tokens";

it("are created with a secret that is shown once and stored as a hash", async () => {
  const { owner, company, token } = await createDirectory();
  const created = await owner.call("POST", PATH, { name: "Entra ID" });
  const secret = String(created.body.token);
  expect(secret).toMatch(/^pst_[\w-]{43}$/);
  const shown = {
    id: created.body.id,
    name: "Entra ID",
    token_prefix: secret.slice(0, 12),
    created_at: expect.any(String),
    revoked_at: null,
    last_used_at: null,
    is_active: true,
  };
  expect([created.status, created.body]).toEqual([201, { ...shown, token: secret }]);
  const { body: page } = await owner.call("GET", PATH);
  expect(page).toMatchObject({ count: 2, results: [shown, { token_prefix: token.slice(0, 12) }] });
  expect(JSON.stringify(page)).not.toContain(secret);
  expect(JSON.stringify(await rowsOfCompany(scim_tokens, company.id))).not.toContain(secret);
  const [event] = await entriesOf(company.id, "identity.scim.token.created");
  expect(event?.data).not.toContain(token);
  expect(event?.data).not.toContain(secret);
});

it("are revoked at once, by an idempotent request with one event", async () => {
  const { owner, company, scim } = await createDirectory();
  expect((await scim("GET", "/Users")).status).toBe(200);
  const { body } = await owner.call("GET", PATH);
  const [{ id } = { id: "" }] = body.results as { id: string }[];
  const revoked = await owner.call("POST", `${PATH}/${id}/revoke`);
  expect([revoked.status, revoked.body]).toMatchObject([200, { is_active: false, revoked_at: expect.any(String) }]);
  for (const [method, path] of [
    ["GET", "/Users"],
    ["POST", "/Users"],
    ["GET", "/Schemas"],
  ] as const)
    expectScimError(await scim(method, path, method === "POST" ? { userName: freshEmail() } : undefined), {
      status: 401,
      error_code: "token_invalid",
    });
  expect((await owner.call("POST", `${PATH}/${id}/revoke`)).body).toEqual(revoked.body);
  expect(await entriesOf(company.id, "identity.scim.token.revoked")).toHaveLength(1);
  expect((await owner.call("GET", "/api/v1/scim")).body).toMatchObject({ configured: false, active_token_count: 0 });
});

it("are limited to 10 live ones, also for parallel requests", async () => {
  const { owner, company } = await createDirectory();
  await storeScimToken(company, { revoked_at: 1 });
  const responses = await Promise.all(Array.from({ length: 12 }, () => owner.call("POST", PATH, {})));
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(9).fill(201), ...Array(3).fill(409)]);
  expect((await owner.call("POST", PATH)).body).toMatchObject({ error_code: "limit_reached" });
  expect(await rowsOfCompany(scim_tokens, company.id)).toHaveLength(11);
});

it("store the time of use, at most once a minute", async () => {
  const { env, base, company, owner } = await createDirectory();
  const minute = 60_000;
  const [recent, old] = [Date.now() - minute / 2, Date.now() - 2 * minute];
  const [fresh, stale] = [
    (await storeScimToken(company, { last_used_at: recent })).token,
    (await storeScimToken(company, { last_used_at: old })).token,
  ];
  for (const token of [fresh, stale])
    expect((await callScim(env, { base, token }, "GET", "/Users?count=0")).status).toBe(200);
  const tokens = await rowsOfCompany(scim_tokens, company.id);
  const lastUseOf = (token: string) => tokens.find((row) => row.token_prefix === token.slice(0, 12))?.last_used_at;
  expect(lastUseOf(fresh)).toBe(recent);
  expect(lastUseOf(stale)).toBeGreaterThan(old + minute);
  const { body } = await owner.call("GET", PATH);
  expect(body.results).toContainEqual(
    expect.objectContaining({ last_used_at: new Date(lastUseOf(stale) ?? 0).toISOString() }),
  );
});

it("of another company are neither shown nor revoked", async () => {
  const [directory, foreign] = [await createDirectory(), await createDirectory()];
  const { body } = await foreign.owner.call("GET", PATH);
  const [{ id } = { id: "" }] = body.results as { id: string }[];
  expect((await directory.owner.call("POST", `${PATH}/${id}/revoke`)).status).toBe(404);
  expect((await directory.owner.call("GET", PATH)).body.count).toBe(1);
  expect((await foreign.scim("GET", "/Users")).status).toBe(200);
});

it("and the last changes and errors appear in the state of directory sync", async () => {
  const { owner, scim, company, env } = await createDirectory();
  const state = async () => (await owner.call("GET", "/api/v1/scim")).body;
  expect(await state()).toEqual({
    enabled: true,
    base_url: `${env.JWT_ISSUER}/api/v1/companies/${company.id}/scim/v2`,
    configured: true,
    active_token_count: 1,
    last_provisioning_error: null,
    recent_provisioning_events: [],
  });
  const { body: user } = await scim("POST", "/Users", { userName: freshEmail() });
  const id = String(user.id);
  await scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: "maybe" }));
  await scim("GET", "/Users/999999999");
  const { body: group } = await scim("POST", "/Groups", { displayName: "Editors" });
  await scim("DELETE", `/Groups/${group.id}`);
  const accepted = { ok: true, code: null, detail: "", at: expect.any(String) };
  const rejected = { at: expect.any(String), code: "validation_failed", detail: "active must be true or false." };
  const { last_provisioning_error, recent_provisioning_events } = await state();
  expect(last_provisioning_error).toEqual({ ...rejected, type: "User" });
  expect(recent_provisioning_events).toEqual([
    { ...accepted, operation: "delete", resource_type: "Group", resource_id: group.id },
    { ...accepted, operation: "create", resource_type: "Group", resource_id: group.id },
    { ...rejected, ok: false, operation: "update", resource_type: "User", resource_id: id },
    { ...accepted, operation: "create", resource_type: "User", resource_id: id },
  ]);
});
