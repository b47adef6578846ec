import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { personal_access_tokens } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import { createCompany, createUser, freshEmail, signIn } from "../../support/identity/identity";
import { type Pat, problemOf, startTokens } from "../../support/identity/pat-company";
import { countRows, entriesOf, readRows } from "../../support/identity/rows";

function advance(seconds: number): void {
  const base = clock.now;
  clock.now = () => base() + seconds * 1000;
}

const seconds = (iso: string) => Date.parse(iso) / 1000;
const page = (response: Response) =>
  response.json<{ count: number; page: number; page_size: number; results: Pat[] }>();

describe("creation of personal access tokens", () => {
  it("returns the row and, only at creation, a JWT with the claims of a session except sid and auth_time", async () => {
    const { member, send, show, company } = await startTokens();
    const response = await send("POST", "", member.access_token, { name: "  Nightly  ", read_only: true });
    expect(response.status).toBe(201);
    const { access_token, ...row } = await response.json<Pat>();
    expect(row).toEqual({
      id: expect.any(String),
      user_id: member.id,
      name: "Nightly",
      read_only: true,
      access_global_metrics: false,
      created_at: expect.stringMatching(/T.*\.\d{3}Z$/),
      expires_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
      use_count: 0,
      last_used_network: null,
    });
    expect(await show(row.id)).toEqual(row);
    const session = decodeJwt(member.access_token);
    const claims = decodeJwt(access_token);
    expect(claims).toEqual({
      ...session,
      iat: claims.iat,
      exp: seconds(row.expires_at),
      jti: expect.stringMatching(/^[0-9a-f]{32}$/),
      app_metadata: { provider: "personal_access_token" },
      sid: undefined,
      auth_time: undefined,
      pat_id: row.id,
      pat_ro: true,
      pat_agm: false,
      company_id: company.id,
    });
    const stored = await readRows(personal_access_tokens, eq(personal_access_tokens.id, row.id));
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(access_token.split(".")[2]);
  });

  it("uses the configured lifetime by default, and rejects a longer or invalid expires_in", async () => {
    const { member, send, create } = await startTokens({ PERSONAL_ACCESS_TOKEN_LIFETIME: "2h" });
    const lifetimeOf = (pat: Pat) => Math.round((Date.parse(pat.expires_at) - Date.parse(pat.created_at)) / 1000);
    expect(Math.abs(lifetimeOf(await create()) - 7200)).toBeLessThanOrEqual(1);
    expect(Math.abs(lifetimeOf(await create({ expires_in: 300 })) - 300)).toBeLessThanOrEqual(1);
    const refusals: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ expires_in: 299 }, { expires_in: ["out_of_range"] }],
      [{ expires_in: 7201 }, { expires_in: ["out_of_range"] }],
      [{ expires_in: "600" }, { expires_in: ["invalid"] }],
      [{ expires_in: 600.5 }, { expires_in: ["invalid"] }],
      [{ name: "x".repeat(201) }, { name: ["too_long"] }],
      [{ name: "a\u0007b" }, { name: ["invalid"] }],
      [
        { name: 7, read_only: "yes" },
        { name: ["invalid"], read_only: ["invalid"] },
      ],
    ];
    for (const [body, fields] of refusals) {
      const response = await send("POST", "", member.access_token, body);
      expect(await problemOf(response)).toEqual([400, "validation_failed", fields]);
    }
    expect((await create({ name: "" })).name).toBe("");
  });

  it("rejects a company other than that of the credential, even for staff", async () => {
    const { signInNewUser, send } = await startTokens();
    const staff = await signInNewUser({ staff: true });
    const other = await createCompany();
    const body = { company_id: other.id };
    expect(await problemOf(await send("POST", "", staff.access_token, body))).toEqual([403, "company_mismatch"]);
    expect(await problemOf(await send("POST", `?company_id=${other.id}`, staff.access_token, {}))).toEqual([
      403,
      "company_mismatch",
    ]);
  });

  it("allows at most 50 active tokens under 50 parallel creations", async () => {
    const { member, send, create, company } = await startTokens({ AUTH_RATE_LIMIT_PAT: "off" });
    const first = await create({ expires_in: 300 });
    for (let index = 1; index < 49; index += 1) await create();
    const responses = await Promise.all(Array.from({ length: 50 }, () => send("POST", "", member.access_token, {})));
    const codes = await Promise.all(responses.map(problemOf));
    expect(codes.filter(([status]) => status === 201)).toHaveLength(1);
    expect(codes.filter(([status, code]) => status === 409 && code === "limit_reached")).toHaveLength(49);
    expect(await countRows(personal_access_tokens, eq(personal_access_tokens.company_id, company.id))).toBe(50);
    expect(await entriesOf(company.id, "identity.personal_access_token.created")).toHaveLength(50);
    // Expired and revoked tokens do not count, and a reissue cannot exceed the limit.
    advance(300);
    const next = await create();
    expect(await problemOf(await send("POST", `/${first.id}/reissue`, member.access_token))).toEqual([
      409,
      "limit_reached",
    ]);
    expect((await send("POST", `/${next.id}/revoke`, member.access_token)).status).toBe(200);
    expect((await send("POST", `/${first.id}/reissue`, member.access_token)).status).toBe(200);
  });

  it("limits changes of tokens to 60 per minute and user", async () => {
    const { member, send, signInNewUser } = await startTokens({ AUTH_RATE_LIMIT_PAT: "2/min" });
    const create = () => send("POST", "", member.access_token, {});
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    const response = await create();
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await problemOf(response)).toEqual([429, "rate_limited"]);
    expect((await send("GET", "", member.access_token)).status).toBe(200);
    expect((await send("POST", "", (await signInNewUser()).access_token, {})).status).toBe(201);
  });
});

describe("lists of personal access tokens", () => {
  it("lists the caller's tokens in pages, newest first, including revoked ones and without the JWTs", async () => {
    const { member, send, create } = await startTokens();
    const createdTokens = [await create({ name: "a" }), await create({ name: "b" }), await create({ name: "c" })];
    await send("DELETE", `/${createdTokens[1]?.id}`, member.access_token);
    const all = await page(await send("GET", "", member.access_token));
    expect(all).toMatchObject({ count: 3, page: 1, page_size: 20 });
    expect(all.results.map(({ name }) => name)).toEqual(["c", "b", "a"]);
    expect(all.results[1]?.revoked_at).not.toBeNull();
    expect(all.results[0]).not.toHaveProperty("access_token");
    const second = await page(await send("GET", "?page=2&page_size=2", member.access_token));
    expect(second.results.map(({ name }) => name)).toEqual(["a"]);
    for (const [query, fields] of [
      ["?page=0", { page: ["out_of_range"] }],
      ["?page_size=101", { page_size: ["out_of_range"] }],
      ["?user_id=x", undefined],
    ] as const) {
      const expected = fields ? [400, "validation_failed", fields] : [403, "forbidden"];
      expect(await problemOf(await send("GET", query, member.access_token))).toEqual(expected);
    }
  });

  it("lists the tokens of another user only for staff and owners of the company", async () => {
    const { member, signInNewUser, send, create, company, env, mailbox } = await startTokens();
    const pat = await create({ name: "mine" });
    const owner = await signInNewUser({ owner: true });
    const staff = await signInNewUser({ staff: true });
    const colleague = await signInNewUser();
    const elsewhere = await createCompany();
    const email = freshEmail();
    await createUser({ email, company: elsewhere.id, owner: true });
    const stranger = await signIn(env, mailbox, elsewhere, email);
    const memberQuery = `?user_id=${member.id}`;
    for (const { access_token } of [owner, staff]) {
      expect((await page(await send("GET", memberQuery, access_token))).results.map(({ id }) => id)).toEqual([pat.id]);
      expect((await send("GET", `/${pat.id}`, access_token)).status).toBe(200);
      expect(await problemOf(await send("GET", "?user_id=0", access_token))).toEqual([
        400,
        "validation_failed",
        { user_id: ["invalid"] },
      ]);
    }
    expect((await page(await send("GET", "", staff.access_token))).count).toBe(0);
    expect(await problemOf(await send("GET", memberQuery, colleague.access_token))).toEqual([403, "forbidden"]);
    expect((await send("GET", memberQuery, member.access_token)).status).toBe(200);
    expect((await page(await send("GET", memberQuery, stranger.access_token))).count).toBe(0);
    expect(
      await problemOf(await send("GET", `${memberQuery}&company_id=${company.id}`, stranger.access_token)),
    ).toEqual([403, "company_mismatch"]);
    for (const [method, target] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/revoke"],
      ["POST", "/reissue"],
      ["PATCH", ""],
    ] as const) {
      const body = method === "PATCH" ? { name: "x" } : undefined;
      const attempt = (token: string) => send(method, `/${pat.id}${target}`, token, body);
      expect(await problemOf(await attempt(stranger.access_token)), method).toEqual([404, "not_found"]);
      expect(await problemOf(await attempt(colleague.access_token)), method).toEqual([403, "forbidden"]);
      const id = "00000000-0000-4000-8000-000000000000";
      expect(await problemOf(await send(method, `/${id}${target}`, owner.access_token, body))).toEqual([
        404,
        "not_found",
      ]);
      expect((await send(method, `/nonsense${target}`, owner.access_token, body)).status).toBe(404);
    }
    for (const token of [owner.access_token, staff.access_token]) {
      expect(await problemOf(await send("POST", `/${pat.id}/reissue`, token))).toEqual([403, "forbidden"]);
    }
    expect(await problemOf(await send("PATCH", `/${pat.id}`, owner.access_token, { name: "x" }))).toEqual([
      403,
      "forbidden",
    ]);
    // Staff of another company may read the row by its id.
    const staffElsewhere = freshEmail();
    await createUser({ email: staffElsewhere, company: elsewhere.id, staff: true });
    const remoteStaff = await signIn(env, mailbox, elsewhere, staffElsewhere);
    expect((await send("GET", `/${pat.id}`, remoteStaff.access_token)).status).toBe(200);
    expect((await send("GET", `/${pat.id}?company_id=${company.id}`, remoteStaff.access_token)).status).toBe(200);
    expect((await send("DELETE", `/${pat.id}`, owner.access_token)).status).toBe(204);
  });
});

describe("revocation of personal access tokens", () => {
  it("ends a token and every token created with it immediately, and is idempotent", async () => {
    const { member, send, create, show, statusWith } = await startTokens();
    const root = await create({ name: "root" });
    const child = await create({ name: "child" }, root.access_token);
    const grandchild = await create({ name: "grandchild" }, child.access_token);
    const other = await create({ name: "other" });
    const chain = [root, child, grandchild];
    for (const pat of [...chain, other]) expect(await statusWith(pat.access_token)).toBe(200);
    const first = await send("POST", `/${root.id}/revoke`, member.access_token);
    const revoked = await first.json<Pat>();
    expect([first.status, revoked.id]).toEqual([200, root.id]);
    for (const pat of chain) expect(await statusWith(pat.access_token)).toBe(401);
    expect(await statusWith(other.access_token)).toBe(200);
    const repeated = await send("POST", `/${root.id}/revoke`, member.access_token);
    expect([repeated.status, (await repeated.json<Pat>()).revoked_at]).toEqual([200, revoked.revoked_at]);
    expect((await send("DELETE", `/${root.id}`, member.access_token)).status).toBe(204);
    expect((await show(grandchild.id)).revoked_at).toBe(revoked.revoked_at);
    expect(await problemOf(await send("POST", `/${root.id}/reissue`, member.access_token))).toEqual([409, "conflict"]);
    expect((await send("DELETE", `/${other.id}`, other.access_token)).status).toBe(204);
    expect(await statusWith(other.access_token)).toBe(401);
  });

  it("revokes child tokens that are created while their parent is revoked", async () => {
    const { member, send, create, statusWith } = await startTokens({ AUTH_RATE_LIMIT_PAT: "off" });
    const root = await create();
    const [revoked, ...createdTokens] = await Promise.all([
      send("DELETE", `/${root.id}`, member.access_token),
      ...Array.from({ length: 20 }, () => send("POST", "", root.access_token, {})),
    ]);
    expect(revoked.status).toBe(204);
    for (const response of createdTokens) {
      expect([201, 401]).toContain(response.status);
      if (response.status === 201) expect(await statusWith((await response.json<Pat>()).access_token)).toBe(401);
    }
  });
});

describe("changes of personal access tokens", () => {
  it("lets the holder rename a token, and rejects an empty change", async () => {
    const { member, send, create } = await startTokens();
    const pat = await create({ name: "before" });
    const renamed = await send("PATCH", `/${pat.id}`, member.access_token, { name: " after ", read_only: true });
    expect(await renamed.json()).toMatchObject({ name: "after", read_only: false });
    for (const body of [{}, { read_only: true }]) {
      const response = await send("PATCH", `/${pat.id}`, member.access_token, body);
      expect(await problemOf(response)).toEqual([400, "validation_failed", { name: ["required"] }]);
    }
  });

  it("reserves the global metrics flag for staff, and stores who set it", async () => {
    const { member, signInNewUser, send, create, statusWith } = await startTokens();
    const staff = await signInNewUser({ staff: true });
    const staffOnly = [403, "forbidden", { access_global_metrics: ["staff_only"] }];
    const flag = (value: unknown) => ({ access_global_metrics: value });
    expect(await problemOf(await send("POST", "", member.access_token, flag(true)))).toEqual(staffOnly);
    const pat = await create(flag(false));
    const patch = (token: string, value: unknown) => send("PATCH", `/${pat.id}`, token, flag(value));
    expect(await problemOf(await patch(member.access_token, true))).toEqual(staffOnly);
    expect((await patch(member.access_token, false)).status).toBe(200);
    expect(await (await patch(staff.access_token, true)).json()).toMatchObject(flag(true));
    const setBy = async () =>
      (await readRows(personal_access_tokens, eq(personal_access_tokens.id, pat.id))).map((row) => row.agm_set_by);
    expect(await setBy()).toEqual([staff.id]);
    expect(await problemOf(await patch(member.access_token, false))).toEqual(staffOnly);
    expect(await (await patch(staff.access_token, false)).json()).toMatchObject(flag(false));
    expect(await setBy()).toEqual([null]);
    expect(await statusWith(pat.access_token)).toBe(200);
    const staffToken = await create(flag(true), staff.access_token);
    expect(decodeJwt(staffToken.access_token).pat_agm).toBe(true);
    // A token without the flag cannot set it, even when it belongs to staff.
    const plain = await create({}, staff.access_token);
    const notAllowed = [403, "forbidden", { access_global_metrics: ["not_allowed"] }];
    expect(await problemOf(await send("POST", "", plain.access_token, flag(true)))).toEqual(notAllowed);
    expect(await problemOf(await patch(plain.access_token, true))).toEqual(notAllowed);
    expect(await problemOf(await send("POST", `/${staffToken.id}/reissue`, plain.access_token))).toEqual([
      403,
      "forbidden",
    ]);
    expect((await create(flag(true), staffToken.access_token)).access_global_metrics).toBe(true);
  });
});

describe("reissue of personal access tokens", () => {
  it("invalidates the older JWT immediately, and keeps the flag of the row", async () => {
    const { member, signInNewUser, send, create, statusWith } = await startTokens();
    const staff = await signInNewUser({ staff: true });
    const pat = await create({ name: "kept", read_only: true, expires_in: 600 });
    await send("PATCH", `/${pat.id}`, staff.access_token, { access_global_metrics: true });
    const response = await send("POST", `/${pat.id}/reissue`, member.access_token, { expires_in: 900 });
    const next = await response.json<Pat>();
    expect([response.status, next.id, next.name, next.read_only]).toEqual([200, pat.id, "kept", true]);
    expect(decodeJwt(next.access_token)).toMatchObject({ pat_agm: true, exp: seconds(next.expires_at) });
    expect(seconds(next.expires_at)).toBeGreaterThan(seconds(pat.expires_at));
    expect([await statusWith(pat.access_token), await statusWith(next.access_token)]).toEqual([401, 200]);
    const reply = await send("POST", `/${pat.id}/reissue`, member.access_token, { expires_in: 1 });
    expect(await problemOf(reply)).toEqual([400, "validation_failed", { expires_in: ["out_of_range"] }]);
  });

  it("leaves one valid JWT after 50 parallel reissues, even when the token reissues itself", async () => {
    const { member, send, create, statusWith } = await startTokens({ AUTH_RATE_LIMIT_PAT: "off" });
    const pat = await create();
    const reissueInParallel = (token: string) =>
      Promise.all(Array.from({ length: 50 }, () => send("POST", `/${pat.id}/reissue`, token)));
    const responses = await reissueInParallel(member.access_token);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const issued = await Promise.all(responses.map((response) => response.json<Pat>()));
    const uses = await Promise.all(issued.map(({ access_token }) => statusWith(access_token)));
    expect(uses.filter((status) => status === 200)).toHaveLength(1);
    expect(uses.filter((status) => status === 401)).toHaveLength(49);
    const live = issued[uses.indexOf(200)]?.access_token ?? "";
    const statuses = (await reissueInParallel(live)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(49);
  });

  it("lets no token outlive the token that created it", async () => {
    const { member, send, create, show, statusWith } = await startTokens();
    const root = await create({ expires_in: 600 });
    const child = await create({}, root.access_token);
    expect(child.expires_at).toBe(root.expires_at);
    const selfReissued = await (await send("POST", `/${root.id}/reissue`, root.access_token)).json<Pat>();
    expect(selfReissued.expires_at).toBe(root.expires_at);
    const longer = await (await send("POST", `/${child.id}/reissue`, member.access_token)).json<Pat>();
    expect(longer.expires_at).toBe(root.expires_at);
    const shorter = await send("POST", `/${root.id}/reissue`, member.access_token, { expires_in: 300 });
    const end = (await shorter.json<Pat>()).expires_at;
    expect(end < root.expires_at).toBe(true);
    expect((await show(child.id)).expires_at).toBe(end);
    advance(301);
    expect(await statusWith(longer.access_token)).toBe(401);
  });
});

it("writes create, change, reissue and revoke into the audit log, with hashes and no secrets", async () => {
  const { member, signInNewUser, send, create, company } = await startTokens();
  const owner = await signInNewUser({ owner: true });
  const pat = await create({ name: "audited" });
  await send("PATCH", `/${pat.id}`, member.access_token, { name: "renamed" });
  await send("PATCH", `/${pat.id}`, member.access_token, { name: "renamed" });
  const next = await (await send("POST", `/${pat.id}/reissue`, member.access_token)).json<Pat>();
  await send("POST", `/${pat.id}/revoke`, owner.access_token);
  await send("DELETE", `/${pat.id}`, owner.access_token);
  const events = await entriesOf(company.id, "identity.personal_access_token.");
  expect(events.map(({ event_type, user_id }) => [event_type.split(".").at(-1), user_id])).toEqual([
    ["created", member.id],
    ["updated", member.id],
    ["reissued", member.id],
    ["revoked", owner.id],
  ]);
  for (const { data } of events) {
    expect(JSON.parse(data)).toMatchObject({ token_id: pat.id, holder_id: member.id, ip_hash: expect.any(String) });
    expect(data).not.toContain(next.access_token.split(".")[2]);
  }
  expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({ changed_fields: ["name"] });
  expect(JSON.parse(events[3]?.actor ?? "")).toEqual({ kind: "session", user_id: owner.id });
});
