import { asc, eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { event_log, memberships, users } from "../../../db/identity/schema";
import type { ManagementLine } from "../../../schemas/management";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  signIn,
} from "../../support/identity/identity";
import { entriesOf, findUser, readRows } from "../../support/identity/rows";

const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
const mailbox = createMailbox();
const env = identityEnv(mailbox, { OPERATOR_KEY });

function call(command: string, flags: unknown, bearer: string | null = OPERATOR_KEY, bindings = env) {
  const headers: Record<string, string> = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  return callIdentity(bindings, `/api/v1/management/${command}`, json({ flags }, headers));
}

async function run(command: string, flags: unknown): Promise<Extract<ManagementLine, { type: "result" | "error" }>> {
  const response = await call(command, flags);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = new TextDecoder()
    .decode(await response.arrayBuffer())
    .trim()
    .split("\n");
  const [first, last] = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? "") as ManagementLine);
  expect(first).toEqual({ type: "start", command, run_id: null });
  if (last?.type !== "result" && last?.type !== "error") throw new Error(`no last line: ${lines.join()}`);
  return last;
}

async function open(line: string, company: { id: number }) {
  const token = new URL(/link=(\S+)/.exec(line)?.[1] ?? "").searchParams.get("token");
  return callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
}

/** Returns the events that commands wrote about a user, oldest first, without the user block. */
async function commandEvents(email: string) {
  const rows = await readRows(event_log, eq(event_log.user_email, email), asc(event_log.id));
  return rows.flatMap(({ data, company_id, event_type }) => {
    const { user_id: _user, email: address, username: _name, ...rest } = JSON.parse(data) as Record<string, unknown>;
    if (rest.source !== "command") return [];
    expect(address).toBe(email);
    return [{ company_id, event_type, data: rest }];
  });
}

/** Returns the companies of a user with the state of each membership. */
async function membershipsOf(userId: number) {
  const rows = await readRows(memberships, eq(memberships.user_id, userId), asc(memberships.company_id));
  return rows.map(({ company_id, state }) => [company_id, state]);
}

/** Signs in with a link as a browser does, redeems the code, and returns that response. */
async function signInByForm(company: { id: number; origin: string }, email: string) {
  const { token } = await requestLink(env, mailbox, company, email);
  const csrf = "c".repeat(43);
  const response = await callIdentity(env, `/api/v1/magic-link/verify?company_id=${company.id}`, {
    method: "POST",
    headers: { cookie: `platform_csrf=${csrf}` },
    body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }),
  });
  expect(response.status).toBe(302);
  const target = new URL(response.headers.get("location") ?? "");
  const auth_code = target.searchParams.get("platform_auth_code");
  target.search = "";
  return { auth_code, redirect_to: target.href };
}

async function readProblem(response: Response) {
  const { error_code, field_errors } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, error_code, ...(field_errors ? { field_errors } : {}) };
}

describe("authorization of management commands", () => {
  it("rejects a missing key, a wrong key, and every key if none is set", async () => {
    const flags = { email: freshEmail(), off: true };
    expect(await readProblem(await call("set_staff", flags, null))).toEqual({
      status: 401,
      error_code: "unauthorized",
    });
    const wrong = `opk_${"x".repeat(40)}`;
    expect(await readProblem(await call("set_staff", flags, wrong))).toEqual({
      status: 401,
      error_code: "token_invalid",
    });
    const unset = identityEnv(mailbox, { OPERATOR_KEY: "" });
    expect((await call("set_staff", flags, "opk_", unset)).status).toBe(401);
    expect((await call("set_staff", flags, OPERATOR_KEY, unset)).status).toBe(401);
  });

  it("rejects owners and staff sessions for operator commands", async () => {
    const company = await createCompany();
    for (const role of [{ owner: true }, { staff: true }]) {
      const email = freshEmail();
      await createUser({ email, company: company.id, ...role });
      const { access_token } = await signIn(env, mailbox, company, email);
      const response = await call("create_staff", { email, company: company.id }, access_token);
      expect(await readProblem(response)).toEqual({ status: 403, error_code: "forbidden" });
    }
  });

  it("reports an operator key that is too short as an invalid setting", async () => {
    expect((await call("set_staff", {}, null, identityEnv(mailbox, { OPERATOR_KEY: "opk_short" }))).status).toBe(503);
  });
});

it("rejects unknown commands and flags, and flags of the wrong type, and changes nothing", async () => {
  expect((await call("drop_everything", {})).status).toBe(404);
  expect(await readProblem(await call("create_staff", { email: 5, company: 0, force: true }))).toEqual({
    status: 400,
    error_code: "validation_failed",
    field_errors: { "flags.email": ["invalid"], "flags.company": ["out_of_range"], "flags.force": ["invalid"] },
  });
  expect(await readProblem(await call("create_staff", {}))).toMatchObject({
    field_errors: { "flags.email": ["required"], "flags.company": ["required"] },
  });
  expect(await readProblem(await call("set_staff", { email: freshEmail(), off: false }))).toMatchObject({
    field_errors: { "flags.off": ["required"] },
  });
  expect(await readProblem(await call("create_staff", { email: "nobody", company: 1 }))).toMatchObject({
    field_errors: { "flags.email": ["invalid_format"] },
  });
});

describe("create_company", () => {
  it("creates a company, its owner and redirect origin, and a link that signs the owner in", async () => {
    const owner = freshEmail();
    const flags = { name: "Aster Labs", owner_email: owner, redirect_origin: "https://app.aster.example/x?y" };
    const { line } = await run("create_company", flags);
    const id = Number(/company_id=(\d+)/.exec(line)?.[1]);
    const signedIn = await open(line, { id });
    expect(signedIn.status).toBe(200);
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const row = await callIdentity(env, `/api/v1/companies/${id}`, { headers });
    expect(await row.json()).toMatchObject({ name: "Aster Labs", access_mode: "public", is_active: true });
    const origins = await callIdentity(env, "/api/v1/oauth-redirects", { headers });
    expect(await origins.json()).toMatchObject({ count: 1, results: [{ base_url: "https://app.aster.example" }] });
    const next = await run("create_company", flags);
    expect(next).toMatchObject({ exit_code: 0 });
    expect(next.line).not.toContain(`company_id=${id} `);
  });

  it("admits a staff account as the owner", async () => {
    const home = await createCompany();
    const email = freshEmail();
    await run("create_staff", { email, company: home.id });
    const flags = { name: "Second", owner_email: email, redirect_origin: "https://second.example" };
    const { line } = await run("create_company", flags);
    expect((await open(line, { id: Number(/company_id=(\d+)/.exec(line)?.[1]) })).status).toBe(200);
  });

  it("rejects an invalid name or origin with the name of its field", async () => {
    const flags = { name: "x".repeat(300), owner_email: freshEmail(), redirect_origin: "https://u:p@app.example" };
    const readFaults = async (input: unknown) => {
      const response = await call("create_company", input);
      return [response.status, (await response.json<{ field_errors?: unknown }>()).field_errors];
    };
    expect(await readFaults(flags)).toEqual([400, { "flags.name": ["too_long"] }]);
    expect(await readFaults({ ...flags, name: "x" })).toEqual([400, { "flags.redirect_origin": ["invalid"] }]);
    expect(await readFaults({ ...flags, name: "Aster\u2066" })).toEqual([400, { "flags.name": ["invalid"] }]);
  });
});

describe("create_staff", () => {
  it("creates a staff account of one company for a new address, with a link that signs in as staff", async () => {
    const company = await createCompany({ access_mode: "invite" });
    const email = freshEmail();
    const { line } = await run("create_staff", { email: email.toUpperCase(), company: company.id });
    expect(line).toMatch(new RegExp(`^create_staff: company_id=${company.id} user_id=\\d+ link=http\\S+$`));
    const signedIn = await open(line, company);
    expect(signedIn.status).toBe(200);
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const user = await callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${access_token}` } });
    expect(await user.json()).toMatchObject({ email, user_metadata: { is_staff: true, is_company_owner: false } });
    expect((await open(line, company)).status).toBe(400);
  });

  it("removes the user from every other company, and ends their sessions there and every unused link", async () => {
    const [home, other] = [await createCompany(), await createCompany()];
    const email = freshEmail();
    const old = await signIn(env, mailbox, other, email);
    const [user] = await readRows(users, eq(users.email, email));
    const { token } = await requestLink(env, mailbox, home, email);
    await run("create_staff", { email, company: home.id });
    const response = await callIdentity(env, "/api/v1/user", {
      headers: { authorization: `Bearer ${old.access_token}` },
    });
    expect(response.status).toBe(401);
    expect(await membershipsOf(user?.id ?? 0)).toEqual([[home.id, "allowed"]]);
    // An isolate whose clock is behind must also reject the link.
    for (const lagMs of [1000, 0]) {
      vi.spyOn(clock, "now").mockImplementation(() => Date.now() - lagMs);
      const stale = await callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: home.id }));
      expect(await readProblem(stale)).toEqual({ status: 400, error_code: "magic_link_invalid" });
    }
    vi.restoreAllMocks();
  });

  it("records the new account, the staff status, and the ended memberships", async () => {
    const [home, other] = [await createCompany(), await createCompany()];
    const [newEmail, existingEmail] = [freshEmail(), freshEmail()];
    await signIn(env, mailbox, other, existingEmail);
    await run("create_staff", { email: newEmail, company: home.id });
    await run("create_staff", { email: existingEmail, company: home.id });
    await run("create_staff", { email: existingEmail, company: home.id });
    const block = { source: "command", language: "en", region: "UTC" };
    const granted = { ...block, changed_fields: ["is_staff"] };
    expect(await commandEvents(newEmail)).toEqual([
      { company_id: home.id, event_type: "identity.user.updated", data: granted },
      { company_id: home.id, event_type: "identity.user.created", data: block },
    ]);
    expect(await commandEvents(existingEmail)).toEqual([
      { company_id: other.id, event_type: "identity.user.deleted", data: block },
      { company_id: home.id, event_type: "identity.user.updated", data: granted },
      {
        company_id: home.id,
        event_type: "identity.user.updated",
        data: { ...block, changed_fields: ["is_active", "access_state"] },
      },
    ]);
  });

  it("ends the user's older sessions, tokens and codes in the company, so that none of them gets staff rights", async () => {
    const company = await createCompany();
    const email = freshEmail();
    const session = await signIn(env, mailbox, company, email);
    const headers = { authorization: `Bearer ${session.access_token}` };
    const created = await callIdentity(env, "/api/v1/personal-access-tokens", json({}, headers));
    const { access_token: token } = (await created.json()) as { access_token: string };
    const code = await signInByForm(company, email);
    const { line } = await run("create_staff", { email, company: company.id });
    for (const bearer of [session.access_token, token]) {
      const response = await callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${bearer}` } });
      expect(await readProblem(response)).toEqual({ status: 401, error_code: "token_invalid" });
    }
    const redeemed = await callIdentity(env, "/api/v1/oauth/session", json(code));
    expect(await readProblem(redeemed)).toEqual({ status: 400, error_code: "auth_code_invalid" });
    const { access_token: later } = (await (await open(line, company)).json()) as { access_token: string };
    await run("create_staff", { email, company: company.id });
    const laterSession = await callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${later}` } });
    expect(laterSession.status).toBe(200);
  });

  it("leaves a staff account unchanged when its company would lose its last owner", async () => {
    const [home, otherCompany] = [await createCompany(), await createCompany()];
    const email = freshEmail();
    const id = await createUser({ email, company: home.id, owner: true, staff: true });
    const { exit_code, line } = await run("create_staff", { email, company: otherCompany.id });
    expect({ exit_code, line }).toEqual({
      exit_code: 1,
      line: expect.stringContaining(`company ${home.id} would lose its last owner`),
    });
    expect(await membershipsOf(id)).toEqual([[home.id, "allowed"]]);
  });

  it("changes nothing when a company would lose its last owner", async () => {
    const [home, owned, third] = [await createCompany(), await createCompany(), await createCompany()];
    const email = freshEmail();
    const id = await createUser({ email, company: owned.id, owner: true });
    await signIn(env, mailbox, third, email);
    const { exit_code, line } = await run("create_staff", { email, company: home.id });
    expect({ exit_code, line }).toEqual({
      exit_code: 1,
      line: `CommandError: create_staff failed: CommandRefusal: company ${owned.id} would lose its last owner (run_id=-)`,
    });
    expect(await membershipsOf(id)).toEqual([
      [owned.id, "allowed"],
      [third.id, "allowed"],
    ]);
    expect((await findUser(id))?.is_staff).toBe(false);
  });

  it("rejects a company that does not exist or is not active", async () => {
    const unknownCompany = await run("create_staff", { email: freshEmail(), company: 999_999_999 });
    expect(unknownCompany).toMatchObject({
      exit_code: 1,
      line: expect.stringContaining("there is no company 999999999"),
    });
    const inactive = await createCompany({ is_active: false });
    const response = await run("create_staff", { email: freshEmail(), company: inactive.id });
    expect(response).toMatchObject({ exit_code: 1, line: expect.stringContaining("is not active") });
  });
});

describe("create_sign_in_link", () => {
  it("admits a staff account to another company, which a sign-in alone does not", async () => {
    const [home, otherCompany] = [await createCompany(), await createCompany()];
    const email = freshEmail();
    await run("create_staff", { email, company: home.id });
    const { token } = await requestLink(env, mailbox, otherCompany, email);
    const byItself = await callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: otherCompany.id }));
    expect(await readProblem(byItself)).toEqual({ status: 403, error_code: "access_denied" });
    const { line } = await run("create_sign_in_link", { email, company: otherCompany.id });
    expect((await open(line, otherCompany)).status).toBe(200);
    expect((await commandEvents(email)).filter(({ company_id }) => company_id === otherCompany.id)).toEqual([
      {
        company_id: otherCompany.id,
        event_type: "identity.user.updated",
        data: { source: "command", language: "en", region: "UTC", changed_fields: ["is_active", "access_state"] },
      },
    ]);
  });

  it("applies the join rules to other accounts, and writes an audit entry without the token", async () => {
    const company = await createCompany({ access_mode: "invite" });
    const email = freshEmail();
    const { line } = await run("create_sign_in_link", { email, company: company.id });
    expect(await readProblem(await open(line, company))).toEqual({ status: 403, error_code: "access_pending" });
    const entries = await entriesOf(company.id, "identity.auth.sign_in_link.created");
    expect(entries.map(({ user_email, data, actor }) => ({ user_email, data, actor }))).toEqual([
      { user_email: email, data: "{}", actor: '{"kind":"system"}' },
    ]);
  });
});

it("withdraws staff status immediately with set_staff", async () => {
  const company = await createCompany();
  const email = freshEmail();
  const { line } = await run("create_staff", { email, company: company.id });
  const { access_token } = (await (await open(line, company)).json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}` };
  expect((await callIdentity(env, "/api/v1/auth-methods", { headers })).status).toBe(200);
  expect((await run("set_staff", { email, off: true })).line).toMatch(/^set_staff: user_id=\d+ staff=false$/);
  expect((await callIdentity(env, "/api/v1/auth-methods", { headers })).status).toBe(403);
  expect(await run("set_staff", { email, off: true })).toMatchObject({ exit_code: 1 });
  expect((await commandEvents(email)).at(-1)).toEqual({
    company_id: company.id,
    event_type: "identity.user.updated",
    data: { source: "command", language: "en", region: "UTC", changed_fields: ["is_staff"] },
  });
  expect(await commandEvents(email)).toHaveLength(3);
});
