import { and, asc, eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { ownsCompany } from "../../../db/identity/conditions/membership";
import { companies, mail_outbox, memberships } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import worker from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import {
  callerWith,
  createPatFor,
  eventsOf,
  readError,
  signInMember,
  signInNewMember,
  type TestUser,
} from "../../support/identity/account";
import { callIdentity, createCompany, createUser, freshEmail, json } from "../../support/identity/identity";
import {
  changeMemberships,
  countRows,
  findUser,
  readRows,
  storeIdentity,
  tablesOfUser,
} from "../../support/identity/rows";
import { tick } from "../../support/jobs/jobs";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const path = "/api/v1/user";
const confirmed = { confirm: true };
const erasures = (companyId: number) =>
  readRows(mail_outbox, and(eq(mail_outbox.company_id, companyId), eq(mail_outbox.kind, "erasure")));
const companiesOf = async (userId: number) => {
  const rows = await readRows(memberships, eq(memberships.user_id, userId), asc(memberships.company_id));
  return rows.map(({ company_id }) => company_id);
};

/**
 * Returns a client of the user with an email service that records its requests. The service returns the given responses
 * in turn, and then 200.
 */
function withEmail(user: TestUser, responses: (number | Error)[] = [], vars: Record<string, string> = {}) {
  const emailRequests: { url: string; authorization: string | null; body: unknown }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    emailRequests.push({
      url,
      authorization: new Headers(init.headers).get("authorization"),
      body: JSON.parse(String(init.body)),
    });
    const response = responses.shift() ?? 200;
    if (response instanceof Error) throw response;
    return Response.json({ deleted_messages: 1, email_masked: "x" }, { status: response });
  };
  const queue = { send: async () => undefined };
  const env = { ...user.env, ...vars, EMAIL: { fetch }, SERVICE_QUEUE: queue } as unknown as IdentityBindings;
  return { emailRequests, env, call: callerWith(env, user.tokens.access_token) };
}

async function sweep(env: IdentityBindings): Promise<void> {
  await tick(worker, env);
}

describe("account deletion", () => {
  it("deletes the account with all its rows at the last membership, writes the event, and requests the erasure of the address", async () => {
    const user = await signInNewMember();
    const pat = await createPatFor(user);
    await user.call("PUT", "/api/v1/preferences", { language: "fr" });
    await storeIdentity(user);
    const { emailRequests, call } = withEmail(user);
    const response = await call("DELETE", path, confirmed);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(await tablesOfUser(user.id)).toEqual([]);
    expect(await readError(await call("GET", path))).toEqual([401, "token_invalid"]);
    expect(await readError(await callerWith(user.env, pat)("GET", path))).toEqual([401, "token_invalid"]);
    const refresh = { refresh_token: user.tokens.refresh_token };
    expect(await readError(await call("POST", "/api/v1/token?grant_type=refresh_token", refresh))).toEqual([
      401,
      "token_invalid",
    ]);
    const [event] = await eventsOf(user.company.id, "identity.user.deleted", user.id);
    expect(event).toEqual({
      data: {
        user_id: user.id,
        email: user.email,
        username: expect.any(String),
        source: "self",
        language: "fr",
        region: "UTC",
      },
      actor: { kind: "session", user_id: user.id },
    });
    expect(emailRequests).toEqual([
      {
        url: "http://email/api/v1/privacy/erase",
        authorization: expect.stringMatching(/^Bearer ./),
        body: { company_id: user.company.id, email: user.email },
      },
    ]);
    expect(await erasures(user.company.id)).toMatchObject([{ state: "sent", sealed: null, attempts: 1 }]);
  });

  it("ends only the membership of the token's company if the user has another one, and keeps the account and its other sessions", async () => {
    const member = await signInNewMember();
    const elsewhere = await signInMember(await createCompany(), member.email);
    const { emailRequests, call } = withEmail(member);
    expect((await call("DELETE", path, confirmed)).status).toBe(204);
    expect(await companiesOf(member.id)).toEqual([elsewhere.company.id]);
    expect((await elsewhere.call("GET", path)).status).toBe(200);
    expect(await readError(await member.call("GET", path))).toEqual([401, "token_invalid"]);
    expect(emailRequests.map(({ body }) => body)).toEqual([{ company_id: member.company.id, email: member.email }]);
    expect(await eventsOf(elsewhere.company.id, "identity.user.deleted", member.id)).toEqual([]);
  });

  it("ends the session of the refresh token when it belongs to the caller", async () => {
    const member = await signInNewMember();
    const elsewhere = await signInMember(await createCompany(), member.email);
    const stranger = await signInNewMember();
    const body = { ...confirmed, refresh_token: stranger.tokens.refresh_token };
    const second = await signInMember(await createCompany(), member.email);
    expect((await withEmail(second).call("DELETE", path, body)).status).toBe(204);
    expect((await stranger.call("GET", path)).status).toBe(200);
    const bodyOfMember = { ...confirmed, refresh_token: elsewhere.tokens.refresh_token };
    expect((await withEmail(member).call("DELETE", path, bodyOfMember)).status).toBe(204);
    expect(await readError(await elsewhere.call("GET", path))).toEqual([401, "token_invalid"]);
    expect(await companiesOf(member.id)).toEqual([elsewhere.company.id]);
  });

  it("ignores an invalid refresh token", async () => {
    const user = await signInNewMember();
    expect((await withEmail(user).call("DELETE", path, { ...confirmed, refresh_token: "nonsense" })).status).toBe(204);
  });
});

describe("order of checks of an account deletion", () => {
  it("requires a recent sign-in before it reads the body, and returns 403 for old sessions and all personal access tokens", async () => {
    const user = await signInNewMember({ JWT_ACCESS_TOKEN_LIFETIME: "1h" });
    const headers = { authorization: `Bearer ${user.tokens.access_token}`, "content-type": "text/plain" };
    clock.now = () => systemNow() + 301_000;
    expect(await readError(await user.call("DELETE", path, {}))).toEqual([403, "recent_login_required"]);
    expect(await readError(await user.call("DELETE", path, confirmed))).toEqual([403, "recent_login_required"]);
    expect(await readError(await callIdentity(user.env, path, { method: "DELETE", headers, body: "x" }))).toEqual([
      403,
      "recent_login_required",
    ]);
    const writer = callerWith(user.env, await createPatFor(user));
    const reader = callerWith(user.env, await createPatFor(user, { readOnly: true }));
    clock.now = systemNow;
    expect(await readError(await writer("DELETE", path, confirmed))).toEqual([403, "recent_login_required"]);
    expect(await readError(await reader("DELETE", path, confirmed))).toEqual([403, "pat_read_only"]);
    expect(await companiesOf(user.id)).toHaveLength(1);
  });

  it("measures ACCOUNT_DELETE_MAX_AUTH_AGE from the interactive sign-in instead of a refresh", async () => {
    const user = await signInNewMember({ ACCOUNT_DELETE_MAX_AUTH_AGE: "10m" });
    clock.now = () => systemNow() + 590_000;
    const refresh = { refresh_token: user.tokens.refresh_token };
    const refreshed = await user.call("POST", "/api/v1/token?grant_type=refresh_token", refresh);
    const { access_token } = await refreshed.json<{ access_token: string }>();
    const strict = callerWith({ ...user.env, ACCOUNT_DELETE_MAX_AUTH_AGE: "5m" }, access_token);
    expect(await readError(await strict("DELETE", path, confirmed))).toEqual([403, "recent_login_required"]);
    expect((await callerWith(withEmail(user).env, access_token)("DELETE", path, confirmed)).status).toBe(204);
  });

  it.each([[{}], [{ confirm: false }], [{ confirm: "true" }], [{ confirm: 1 }], [{ confirm: null }]])(
    "requires confirm before it checks ownership: %j",
    async (body) => {
      const company = await createCompany();
      const email = freshEmail();
      await createUser({ email, company: company.id, owner: true });
      const user = await signInMember(company, email);
      const response = await user.call("DELETE", path, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error_code: "validation_failed",
        field_errors: { confirm: ["required"] },
      });
    },
  );

  it("rejects malformed bodies with their codes", async () => {
    const user = await signInNewMember();
    const headers = { authorization: `Bearer ${user.tokens.access_token}` };
    const send = (body: string, type = "application/json") =>
      callIdentity(user.env, path, { method: "DELETE", headers: { ...headers, "content-type": type }, body });
    expect(await readError(await send("{"))).toEqual([400, "validation_failed"]);
    expect(await readError(await send("[]"))).toEqual([400, "validation_failed"]);
    expect(await readError(await send("{}", "text/plain"))).toEqual([415, "unsupported_media_type"]);
    expect(await readError(await send(`{"a":"${"x".repeat(70_000)}"}`))).toEqual([413, "payload_too_large"]);
    const withoutBody = await callIdentity(user.env, path, { method: "DELETE", headers });
    expect(withoutBody.status).toBe(400);
    expect(await withoutBody.json()).toMatchObject({ field_errors: { confirm: ["required"] } });
    const long = await user.call("DELETE", path, { ...confirmed, refresh_token: "x".repeat(513) });
    expect(await long.json()).toMatchObject({ field_errors: { refresh_token: ["too_long"] } });
    expect(await readError(await callIdentity(user.env, path, { ...json(confirmed), method: "DELETE" }))).toEqual([
      401,
      "unauthorized",
    ]);
    expect(await companiesOf(user.id)).toHaveLength(1);
  });

  it("rejects the deletion of the only owner, names the company and changes nothing", async () => {
    const company = await createCompany();
    const email = freshEmail();
    await createUser({ email, company: company.id, owner: true });
    const denied = await createUser({ email: freshEmail(), company: company.id, owner: true, state: "denied" });
    const user = await signInMember(company, email);
    const [row] = await readRows(companies, eq(companies.id, company.id));
    const elsewhere = await signInMember(await createCompany(), email);
    const body = { ...confirmed, refresh_token: elsewhere.tokens.refresh_token };
    const response = await user.call("DELETE", path, body);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error_code: "last_company_owner",
      companies: [{ id: company.id, name: row?.name }],
    });
    expect((await user.call("GET", path)).status).toBe(200);
    expect((await elsewhere.call("GET", path)).status).toBe(200);
    expect(await erasures(company.id)).toEqual([]);
    expect(await eventsOf(company.id, "identity.user.deleted", user.id)).toEqual([]);
    await changeMemberships(denied, { state: "allowed" });
    expect((await withEmail(user).call("DELETE", path, confirmed)).status).toBe(204);
  });
});

describe("parallel account deletions", () => {
  it("deletes one account once, with one event and one erasure, under parallel requests", async () => {
    const user = await signInNewMember();
    const { emailRequests, call } = withEmail(user);
    const responses = await Promise.all(Array.from({ length: 50 }, () => call("DELETE", path, confirmed)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toContain(204);
    expect(statuses.filter((status) => status !== 204 && status !== 401)).toEqual([]);
    expect(await eventsOf(user.company.id, "identity.user.deleted", user.id)).toHaveLength(1);
    expect(await erasures(user.company.id)).toHaveLength(1);
    expect(emailRequests).toHaveLength(1);
  });

  it("keeps one owner when all owners delete their accounts at the same time", async () => {
    const company = await createCompany();
    const owners = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const email = freshEmail();
        await createUser({ email, company: company.id, owner: true });
        return signInMember(company, email);
      }),
    );
    const responses = await Promise.all(owners.map((owner) => withEmail(owner).call("DELETE", path, confirmed)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(9).fill(204), 409]);
    const isOwned = and(eq(memberships.company_id, company.id), ownsCompany(memberships));
    expect(await countRows(memberships, isOwned)).toBe(1);
  });

  it("deletes the account of a user in two companies once both memberships have ended", async () => {
    const member = await signInNewMember();
    const elsewhere = await signInMember(await createCompany(), member.email);
    const responses = await Promise.all(
      [member, elsewhere].map((user) => withEmail(user).call("DELETE", path, confirmed)),
    );
    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
    expect(await findUser(member.id)).toBeUndefined();
    expect(await erasures(member.company.id)).toHaveLength(1);
    expect(await erasures(elsewhere.company.id)).toHaveLength(1);
  });
});

describe("erasure requests to the email service", () => {
  it.each([[401], [403], [404], [429], [500], [new Error("unavailable")]])(
    "retries the erasure after %s",
    async (first) => {
      const user = await signInNewMember();
      const { emailRequests, call, env } = withEmail(user, [first]);
      expect((await call("DELETE", path, confirmed)).status).toBe(204);
      expect(await erasures(user.company.id)).toMatchObject([{ state: "waiting", attempts: 1 }]);
      clock.now = () => systemNow() + 60_000;
      await sweep(env);
      expect(emailRequests.filter(({ body }) => (body as { email?: string }).email === user.email)).toHaveLength(2);
      expect(await erasures(user.company.id)).toMatchObject([{ state: "sent", sealed: null }]);
    },
  );

  it.each([400, 413, 422])("stops the erasure immediately on %i", async (status) => {
    const user = await signInNewMember();
    await withEmail(user, [status]).call("DELETE", path, confirmed);
    expect(await erasures(user.company.id)).toMatchObject([
      { state: "failed", sealed: null, last_error: `http_${status}` },
    ]);
  });

  it("waits while the email service key is not set, and stops after seven days", async () => {
    const user = await signInNewMember();
    const { emailRequests, call, env } = withEmail(user, [], { EMAIL_SERVICE_API_KEY: "" });
    await call("DELETE", path, confirmed);
    expect(emailRequests).toEqual([]);
    expect(await erasures(user.company.id)).toMatchObject([{ state: "waiting", last_error: "email_not_configured" }]);
    for (let attempt = 0; attempt < 6; attempt++) {
      const [row] = await erasures(user.company.id);
      clock.now = () => row?.next_at ?? 0;
      await sweep(env);
    }
    const [late] = await erasures(user.company.id);
    expect((late?.next_at ?? 0) - clock.now()).toBe(600_000);
    clock.now = () => systemNow() + 7 * 86_400_000 + 1000;
    await sweep(env);
    expect(await erasures(user.company.id)).toMatchObject([{ state: "expired", sealed: null }]);
  });
});
