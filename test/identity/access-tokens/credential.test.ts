import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { and, eq, gt } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memberships, personal_access_tokens } from "../../../db/identity/schema";
import type { IntrospectInput, IntrospectResult, MembershipsInput } from "../../../schemas/rpc";
import { IdentityRpc } from "../../../workers/identity/rpc";
import { countRoundTrips } from "../../support/db/counted-database";
import { operationsOf, readDocument } from "../../support/http/api-document";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  signIn,
} from "../../support/identity/identity";
import { type Pat, path, problemOf, startTokens } from "../../support/identity/pat-company";
import {
  changeCompany,
  changeMemberships,
  changeUser,
  countRows,
  deleteRows,
  readRows,
  updateRows,
} from "../../support/identity/rows";

afterEach(() => {
  vi.restoreAllMocks();
});

type Setup = Awaited<ReturnType<typeof startTokens>>;

/** Calls identity's introspection as another service does, and waits for the background work. */
async function introspect({ env }: Setup, input: IntrospectInput): Promise<IntrospectResult> {
  const ctx = createExecutionContext();
  const response = await new IdentityRpc(ctx, env).introspect(input);
  await waitOnExecutionContext(ctx);
  return response;
}

/** Returns the log lines of the requests that `work` makes. */
async function requestLines(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const spy = vi.spyOn(console, "log").mockImplementation(() => {});
  await work();
  const lines = spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  spy.mockRestore();
  return lines.filter(({ message }) => message === "request");
}

type Pats = typeof personal_access_tokens;

const changePat = (id: string, changes: Partial<Pats["$inferInsert"]>) =>
  updateRows(personal_access_tokens, changes, eq(personal_access_tokens.id, id));

describe("requests with a personal access token", () => {
  it("serves a request with a token in one round trip and records its use after the response", async () => {
    const { call, create, show } = await startTokens();
    const pat = await create();
    const lines = await requestLines(() => call("/api/v1/user", pat.access_token, { ip: "203.0.113.77" }));
    expect(lines).toMatchObject([{ status: 200, db_round_trips: 1, db_rows_written: 0, limiter_calls: 0 }]);
    const first = await show(pat.id);
    expect(first).toMatchObject({ use_count: 1, last_used_network: "203.0.113.0/24" });
    expect(Math.abs(Date.parse(first.last_used_at ?? "") - Date.now())).toBeLessThan(60_000);
    const [listed] = await requestLines(() => call(path, pat.access_token, { ip: "2001:db8:7:8::9" }));
    // The token check and the list are two parallel round trips.
    expect(listed).toMatchObject({ status: 200, db_round_trips: 2 });
    const [created] = await requestLines(() => call(path, pat.access_token, { ...json({}), ip: "2001:db8:7:8::9" }));
    expect(created).toMatchObject({ status: 201, db_round_trips: 2 });
    expect(await show(pat.id)).toMatchObject({ use_count: 3, last_used_network: "2001:db8:7::/48" });
  });

  it("returns the same user for a token as for a session, with the token as provider", async () => {
    const { member, call, create } = await startTokens();
    const pat = await create();
    const session = await (await call("/api/v1/user", member.access_token)).json<{ app_metadata: object }>();
    const token = await (await call("/api/v1/user", pat.access_token)).json<{ app_metadata: object }>();
    expect(token).toMatchObject({ ...session, app_metadata: { provider: "personal_access_token" } });
  });

  it.each([
    [
      "was deleted",
      ({ id }) => deleteRows(personal_access_tokens, eq(personal_access_tokens.id, id)),
      401,
      "token_invalid",
    ],
    ["has another jti", ({ id }) => changePat(id, { jti: id }), 401, "token_invalid"],
    ["has expired", ({ id }) => changePat(id, { expires_at: 1 }), 401, "token_invalid"],
    ["is revoked", ({ id }) => changePat(id, { revoked_at: 1 }), 401, "token_invalid"],
    ["is read-only while the claim is not", ({ id }) => changePat(id, { read_only: true }), 401, "token_invalid"],
    ["belongs to another user", ({ id, user_id }) => changePat(id, { user_id: user_id + 1 }), 401, "token_invalid"],
    ["has an inactive user", ({ user_id }) => changeUser(user_id, { is_active: false }), 401, "token_invalid"],
    [
      "has a user without a membership",
      ({ user_id }) => deleteRows(memberships, eq(memberships.user_id, user_id)),
      401,
      "token_invalid",
    ],
    ["has a pending member", ({ user_id }) => changeMemberships(user_id, { state: "pending" }), 403, "access_pending"],
    ["has a denied member", ({ user_id }) => changeMemberships(user_id, { state: "denied" }), 403, "access_denied"],
    ["has a closed company", ({ company_id }) => changeCompany(company_id, { is_active: false }), 403, "access_denied"],
  ] satisfies [string, (row: Pats["$inferSelect"]) => Promise<void>, number, string][])(
    "rejects a token immediately when its row %s",
    async (_description, change, status, code) => {
      const setup = await startTokens();
      const pat = await setup.create();
      const [row] = await readRows(personal_access_tokens, eq(personal_access_tokens.id, pat.id));
      if (!row) throw new Error("the token was not stored");
      await change(row);
      expect(await problemOf(await setup.call("/api/v1/user", pat.access_token))).toEqual([status, code]);
      expect(await introspect(setup, { token: pat.access_token, method: "GET" })).toEqual({
        active: false,
        status,
        error_code: code,
      });
      const isUsed = and(eq(personal_access_tokens.id, pat.id), gt(personal_access_tokens.use_count, 0));
      expect(await countRows(personal_access_tokens, isUsed)).toBe(0);
    },
  );
});

describe("read-only tokens", async () => {
  const document = await readDocument((url) => callIdentity(identityEnv(createMailbox()), url));
  const takesBearer = (operation: ReturnType<typeof operationsOf>[number]) =>
    operation.operation.security?.some((scheme) => "bearerAuth" in scheme) ?? false;
  const mutations = operationsOf(document).filter((operation) => takesBearer(operation) && operation.method !== "get");

  it("rejects a read-only token for every operation that changes data, before it checks scope, row and body", async () => {
    const { signInNewUser, call, create } = await startTokens();
    const owner = await signInNewUser({ owner: true, staff: true });
    const { access_token } = await create({ read_only: true }, owner.access_token);
    const other = await createCompany();
    expect(mutations.length).toBeGreaterThan(6);
    for (const { method, path: template } of mutations) {
      const target = template.replace(/\{[^}]+\}/g, "nonsense");
      const init = { method: method.toUpperCase(), headers: { "content-type": "text/plain" }, body: "{" };
      for (const query of ["", "?company_id=x", `?company_id=${other.id}`]) {
        const response = await call(`${target}${query}`, access_token, init);
        expect(await problemOf(response), `${method} ${template}`).toEqual([403, "pat_read_only"]);
      }
    }
    expect((await call("/api/v1/user", access_token)).status).toBe(200);
    expect((await call("/api/v1/user", access_token, { method: "HEAD" })).status).toBe(200);
  });
});

describe("global metrics", () => {
  it("allows global metrics only if every token in the chain has the permission in claim and row, granted by active staff", async () => {
    const setup = await startTokens();
    const { signInNewUser, send, create } = setup;
    const staff = await signInNewUser({ staff: true });
    const otherStaff = await signInNewUser({ staff: true });
    const hasGlobalMetrics = async (token: string) => {
      const response = await introspect(setup, { token, method: "GET" });
      return response.active && response.pat_agm;
    };
    const setFlag = (pat: Pat, value: boolean) =>
      send("PATCH", `/${pat.id}`, staff.access_token, { access_global_metrics: value });
    const flaggedLater = await create({}, otherStaff.access_token);
    await setFlag(flaggedLater, true);
    expect(await hasGlobalMetrics(flaggedLater.access_token)).toBe(false);
    const reissued = await (await send("POST", `/${flaggedLater.id}/reissue`, otherStaff.access_token)).json<Pat>();
    expect(await hasGlobalMetrics(reissued.access_token)).toBe(true);
    const child = await create({ access_global_metrics: true }, reissued.access_token);
    const plain = await create({}, reissued.access_token);
    expect([await hasGlobalMetrics(child.access_token), await hasGlobalMetrics(plain.access_token)]).toEqual([
      true,
      false,
    ]);
    await setFlag(flaggedLater, false);
    expect([await hasGlobalMetrics(reissued.access_token), await hasGlobalMetrics(child.access_token)]).toEqual([
      false,
      false,
    ]);
    await setFlag(flaggedLater, true);
    expect([await hasGlobalMetrics(reissued.access_token), await hasGlobalMetrics(child.access_token)]).toEqual([
      true,
      true,
    ]);
    await changeUser(staff.id, { is_staff: false });
    expect([await hasGlobalMetrics(reissued.access_token), await hasGlobalMetrics(child.access_token)]).toEqual([
      false,
      false,
    ]);
    expect(await setup.statusWith(reissued.access_token)).toBe(200);
  });
});

describe("introspection", () => {
  it("returns current values of a token, records its use, and checks method and company", async () => {
    const setup = await startTokens();
    const { member, company, create, show } = setup;
    const pat = await create({ read_only: true });
    const introspectPat = (input: Partial<IntrospectInput>) =>
      introspect(setup, { token: pat.access_token, method: "GET", ...input });
    expect(await introspectPat({ network: "203.0.113.0/24", company_id: company.id })).toEqual({
      active: true,
      kind: "pat",
      user_id: member.id,
      company_id: company.id,
      email: member.email,
      is_staff: false,
      is_company_owner: false,
      groups: [],
      exp: Date.parse(pat.expires_at) / 1000,
      pat_id: pat.id,
      pat_ro: true,
      pat_agm: false,
    });
    expect(await show(pat.id)).toMatchObject({ use_count: 1, last_used_network: "203.0.113.0/24" });
    await changeMemberships(member.id, { is_owner: true });
    expect(await introspectPat({})).toMatchObject({ active: true, is_company_owner: true });
    const inactive = (status: number, error_code: string) => ({ active: false, status, error_code });
    expect(await introspectPat({ method: "POST" })).toEqual(inactive(403, "pat_read_only"));
    expect(await introspectPat({ company_id: company.id + 1 })).toEqual(inactive(403, "company_mismatch"));
    expect(await introspectPat({ token: "" })).toEqual(inactive(401, "token_invalid"));
    expect(await show(pat.id)).toMatchObject({ use_count: 3 });
    const session = await introspect(setup, { token: member.access_token, method: "POST" });
    expect(session).toMatchObject({ active: true, kind: "session", sid: expect.any(String) });
    await setup.send("POST", `/${pat.id}/revoke`, member.access_token);
    expect(await introspectPat({ method: "POST" })).toEqual(inactive(401, "token_invalid"));
  });
});

describe("memberships over RPC", () => {
  it("returns active members and active staff of an active company in one indexed read", async () => {
    const mailbox = createMailbox();
    const database = countRoundTrips(identityEnv(mailbox).DB);
    const env = { ...identityEnv(mailbox), DB: database.db };
    const [company, other, closed] = [await createCompany(), await createCompany(), await createCompany()];
    await changeCompany(closed.id, { is_active: false });
    const user = (options: Partial<Parameters<typeof createUser>[0]>) =>
      createUser({ email: freshEmail(), ...options });
    const [member, foreign, pending, denied, inactive, staff, closedMember] = [
      await user({ company: company.id }),
      await user({ company: other.id }),
      await user({ company: company.id, state: "pending" }),
      await user({ company: company.id, state: "denied" }),
      await user({ company: company.id, active: false }),
      await user({ company: other.id, staff: true }),
      await user({ company: closed.id }),
    ];
    const activeMembers = async (company_id: number, user_ids: number[]) => {
      const response = await new IdentityRpc(createExecutionContext(), env).memberships({ company_id, user_ids });
      return response.active_user_ids.sort((one, two) => one - two);
    };
    const userIds = [member, member, foreign, pending, denied, inactive, staff, 4_000_000_000];
    const before = database.count();
    expect(await activeMembers(company.id, userIds)).toEqual([member, staff]);
    expect(database.count() - before).toBe(1);
    expect(await activeMembers(closed.id, [closedMember, staff])).toEqual([]);
    expect(await activeMembers(4_000_000_000, [member, staff])).toEqual([]);
    expect(await activeMembers(company.id, [])).toEqual([]);
    const rpc = new IdentityRpc(createExecutionContext(), env);
    const all = await rpc.memberships({ company_id: company.id, user_ids: userIds, include_inactive: true });
    expect(all.active_user_ids.sort((one, two) => one - two)).toEqual([member, pending, denied, inactive, staff]);
    await deleteRows(memberships, eq(memberships.user_id, member));
    expect(await activeMembers(company.id, [member])).toEqual([]);
  });

  it.each([
    ["more than 300 users", { company_id: 1, user_ids: Array.from({ length: 301 }, (_, index) => index + 1) }],
    ["a user id that is text", { company_id: 1, user_ids: ["1"] }],
    ["no company", { user_ids: [1] }],
  ])("rejects %s instead of returning memberships", async (_description, input) => {
    const rpc = new IdentityRpc(createExecutionContext(), identityEnv(createMailbox()));
    await expect(rpc.memberships(input as MembershipsInput)).rejects.toThrow();
  });
});

describe("logout with a personal access token", () => {
  it("requires the refresh token of a session of the same user, and ends that session", async () => {
    const { env, mailbox, company, member, call, create, signInNewUser, statusWith } = await startTokens();
    const writable = await create();
    const logout = (token: string, body: unknown) => call("/api/v1/logout", token, json(body));
    expect(await problemOf(await logout(writable.access_token, {}))).toEqual([
      400,
      "validation_failed",
      { refresh_token: ["required"] },
    ]);
    expect(await problemOf(await logout(writable.access_token, { all: true }))).toEqual([
      400,
      "validation_failed",
      { refresh_token: ["required"] },
    ]);
    expect(await problemOf(await logout(writable.access_token, { refresh_token: "prt_x" }))).toEqual([
      400,
      "validation_failed",
      { refresh_token: ["invalid"] },
    ]);
    const other = await signInNewUser();
    expect((await logout(writable.access_token, { refresh_token: other.refresh_token })).status).toBe(200);
    expect(await statusWith(other.access_token)).toBe(200);
    const second = await signIn(env, mailbox, company, member.email);
    expect((await logout(writable.access_token, { refresh_token: second.refresh_token })).status).toBe(200);
    expect([await statusWith(second.access_token), await statusWith(member.access_token)]).toEqual([401, 200]);
    expect((await logout(writable.access_token, { refresh_token: second.refresh_token, all: true })).status).toBe(200);
    expect(await statusWith(member.access_token)).toBe(200);
    const third = await signIn(env, mailbox, company, member.email);
    expect((await logout(writable.access_token, { refresh_token: third.refresh_token, all: true })).status).toBe(200);
    expect([await statusWith(member.access_token), await statusWith(writable.access_token)]).toEqual([401, 200]);
  });

  it("rejects a read-only token at logout, and treats an ended token as missing", async () => {
    const { call, member, create, send, statusWith } = await startTokens();
    const readOnly = await create({ read_only: true });
    const body = { refresh_token: member.refresh_token };
    const logout = (token: string, value: unknown = {}) => call("/api/v1/logout", token, json(value));
    expect(await problemOf(await logout(readOnly.access_token, body))).toEqual([403, "pat_read_only"]);
    await send("DELETE", `/${readOnly.id}`, member.access_token);
    expect(await problemOf(await logout(readOnly.access_token))).toEqual([401, "token_invalid"]);
    expect((await logout(readOnly.access_token, body)).status).toBe(200);
    expect(await statusWith(member.access_token)).toBe(401);
  });
});
