import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { mail_outbox, sessions, sign_in_requests } from "../../../db/identity/schema";
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
  type Tokens,
} from "../../support/identity/identity";
import {
  changeCompany,
  changeMembership,
  changeUser,
  entriesOf,
  findUser,
  rowsOfCompany,
  totalsOf,
} from "../../support/identity/rows";

const verify = "/api/v1/magic-link/verify";

describe("sign-in by magic link", () => {
  it("sends a link by mail, admits a new user and returns the six token fields", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const { token, response, mail } = await requestLink(env, mailbox, company, email);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ok: true,
      message: "If this address can sign in, a message with a sign-in link is on its way.",
    });
    expect(mail).toMatchObject({ company_id: company.id, to: [{ email }], language: "en" });
    expect(mail.variables.link_lifetime).toBe("30 minutes");
    const signedIn = await callIdentity(env, verify, json({ token, company_id: company.id }));
    expect(signedIn.status).toBe(200);
    const payload = await signedIn.json<Tokens>();
    expect(Object.keys(payload).sort()).toEqual(
      ["access_token", "expires_at", "expires_in", "provider", "refresh_token", "token_type"].sort(),
    );
    expect(decodeJwt(payload.access_token)).toMatchObject({
      iss: "http://localhost:8787/identity",
      aud: "platform",
      token_type: "access",
      company_id: company.id,
      email,
      is_staff: false,
      app_metadata: { provider: "magic_link" },
    });
    const user = await callIdentity(env, "/api/v1/user", {
      headers: { authorization: `Bearer ${payload.access_token}` },
    });
    expect(await user.json()).toMatchObject({ email, app_metadata: { company_id: company.id } });
    const events = await entriesOf(company.id);
    expect(events.map((event) => event.event_type).sort()).toEqual([
      "identity.auth.login.succeeded",
      "identity.auth.magic_link.requested",
      "identity.user.created",
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
    expect(await totalsOf(company.id)).toEqual([
      { name: "magic_links_consumed", label: "", value: 1 },
      { name: "magic_links_requested", label: "", value: 1 },
      { name: "successful_logins", label: "magic_link", value: 1 },
    ]);
  });

  it("stores when the address was last proven, and changes updated_at only at the first proof", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    await changeUser(id, { email_verified_at: null, updated_at: 5 });
    await signIn(env, mailbox, company, email);
    const first = await findUser(id);
    expect(first?.email_verified_at).toBeGreaterThan(5);
    expect(first?.updated_at).toBe(first?.email_verified_at);
    await changeUser(id, { email_verified_at: 7, updated_at: 7 });
    await signIn(env, mailbox, company, email);
    const second = await findUser(id);
    expect(second?.updated_at).toBe(7);
    expect(second?.email_verified_at).toBeGreaterThan(7);
  });

  it("accepts one of 50 parallel requests with the same link, and rejects the others with magic_link_invalid", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const { token } = await requestLink(env, mailbox, company, freshEmail());
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => callIdentity(env, verify, json({ token, company_id: company.id }))),
    );
    const statuses = responses.map((response) => response.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const response = await Promise.all(
      responses.filter((a) => a.status !== 200).map((a) => a.json<{ error_code: string }>()),
    );
    expect(new Set(response.map((body) => body.error_code))).toEqual(new Set(["magic_link_invalid"]));
    expect(await rowsOfCompany(sessions, company.id)).toHaveLength(1);
    expect((await totalsOf(company.id, "successful_logins")).map(({ value }) => value)).toEqual([1]);
  });

  it("accepts the typed code in any case and spacing, and disables only the code after 5 wrong attempts", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const first = await requestLink(env, mailbox, company, email);
    const typed = ` ${first.code.toLowerCase().replace("-", " ")} `;
    const correct = await callIdentity(env, verify, json({ code: typed, email, company_id: company.id }));
    expect(correct.status).toBe(200);
    const second = await requestLink(env, mailbox, company, email);
    for (let i = 0; i < 5; i++) {
      const wrong = await callIdentity(env, verify, json({ code: "2222-2222", email, company_id: company.id }));
      expect(await wrong.json()).toMatchObject({ error_code: "sign_in_code_invalid" });
    }
    const dead = await callIdentity(env, verify, json({ code: second.code, email, company_id: company.id }));
    expect(dead.status).toBe(400);
    const link = await callIdentity(env, verify, json({ token: second.token, company_id: company.id }));
    expect(link.status).toBe(200);
  });

  it("counts no attempt of a typed code while sign-in by link is disabled", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const { code } = await requestLink(env, mailbox, company, email);
    const tries = async () => (await rowsOfCompany(sign_in_requests, company.id)).map(({ code_tries }) => code_tries);
    const guess = (bindings = env) =>
      callIdentity(bindings, verify, json({ code: "2222-2222", email, company_id: company.id }));
    const isOff = { error_code: "magic_link_disabled" };
    expect(await (await guess(identityEnv(mailbox, { MAGIC_LINK_ENABLED: "false" }))).json()).toMatchObject(isOff);
    await changeCompany(company.id, { enable_magic_link: false });
    for (let i = 0; i < 6; i++) expect(await (await guess()).json()).toMatchObject(isOff);
    expect(await tries()).toEqual([0]);
    await changeCompany(company.id, { enable_magic_link: true });
    expect((await callIdentity(env, verify, json({ code, email, company_id: company.id }))).status).toBe(200);
  });

  it("reads the company from query and body, and rejects two different companies", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const { token } = await requestLink(env, mailbox, company, freshEmail());
    const consume = (search: string, body = {}) => callIdentity(env, `${verify}${search}`, json({ token, ...body }));
    for (const [search, body, fault] of [
      ["", {}, "required"],
      ["?company_id=x", { company_id: company.id }, "invalid"],
      [`?company_id=${company.id + 1}`, { company_id: company.id }, "mismatch"],
      [`?company_id=${company.id}`, { company_id: String(company.id) }, "invalid"],
    ] as const) {
      expect(await (await consume(search, body)).json()).toMatchObject({ field_errors: { company_id: [fault] } });
    }
    expect((await consume(`?company_id=${company.id}`)).status).toBe(200);
  });

  it("returns the same error for unknown and used tokens and for another company's token, which stays valid", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const other = await createCompany();
    const { token } = await requestLink(env, mailbox, company, freshEmail());
    for (const body of [
      { token: "x".repeat(43), company_id: company.id },
      { token, company_id: other.id },
    ]) {
      const response = await callIdentity(env, verify, json(body));
      expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        400,
        "magic_link_invalid",
      ]);
    }
    expect((await callIdentity(env, verify, json({ token, company_id: company.id }))).status).toBe(200);
    const used = await callIdentity(env, verify, json({ token, company_id: company.id }));
    expect(await used.json()).toMatchObject({ error_code: "magic_link_invalid" });
  });

  it("stores a pending user of an invite-only company, notifies the owners once, and keeps the link valid", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany({ access_mode: "invite" });
    await createUser({ email: freshEmail(), company: company.id, owner: true });
    const email = freshEmail();
    const { token } = await requestLink(env, mailbox, company, email);
    for (let i = 0; i < 2; i++) {
      const response = await callIdentity(env, verify, json({ token, company_id: company.id }));
      expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        403,
        "access_pending",
      ]);
    }
    const mails = await rowsOfCompany(mail_outbox, company.id);
    expect(mails.map((mail) => mail.kind)).toEqual(["membership"]);
    await changeMembership(company.id, email, { state: "allowed", state_reason: "admin" });
    expect((await callIdentity(env, verify, json({ token, company_id: company.id }))).status).toBe(200);
  });

  it("denies users of another domain, denied members, inactive accounts and staff accounts without a membership", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const domain = await createCompany({ access_mode: "domain", domains: ["aster.example"] });
    const open = await createCompany();
    const denied = freshEmail();
    const inactive = freshEmail();
    const staff = freshEmail();
    await createUser({ email: denied, company: open.id, state: "denied", reason: "admin" });
    await createUser({ email: inactive, active: false });
    await createUser({ email: staff, staff: true });
    const cases = [
      { company: domain, email: freshEmail("other.example") },
      { company: open, email: denied },
      { company: open, email: inactive },
      { company: open, email: staff },
    ];
    for (const { company, email } of cases) {
      const { token } = await requestLink(env, mailbox, company, email);
      const response = await callIdentity(env, verify, json({ token, company_id: company.id }));
      expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        403,
        "access_denied",
      ]);
    }
    expect(mailbox.sent.at(-1)?.use_platform_sender).toBe(true);
    expect((await signIn(env, mailbox, domain, freshEmail("mail.aster.example"))).provider).toBe("magic_link");
  });
});

describe("link request", () => {
  it("returns the same response for known, unknown, denied, inactive and staff addresses", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const existing = freshEmail();
    const denied = freshEmail();
    const inactive = freshEmail();
    const staff = freshEmail();
    await createUser({ email: existing, company: company.id, language: "fr" });
    await createUser({ email: denied, company: company.id, state: "denied", reason: "admin" });
    await createUser({ email: inactive, active: false });
    await createUser({ email: staff, staff: true });
    const responses = new Set<string>();
    for (const email of [existing, freshEmail(), denied, inactive, staff]) {
      const { response } = await requestLink(env, mailbox, company, email);
      const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
      responses.add(JSON.stringify([response.status, headers, await response.text()]));
    }
    expect(responses.size).toBe(1);
    expect(mailbox.sent.map((mail) => mail.language)).toEqual(["fr", "en", "en", "en", "en"]);
    expect(mailbox.sent[0]?.to[0]?.user_id).toBeTypeOf("number");
    expect(mailbox.sent[2]?.to[0]?.user_id).toBeUndefined();
  });

  it.each([
    [{ email: undefined }, 400, "validation_failed", { email: ["required"] }],
    [{ email: "" }, 400, "validation_failed", { email: ["blank"] }],
    [{ email: 7 }, 400, "validation_failed", { email: ["invalid"] }],
    [{ email: "no-at" }, 400, "validation_failed", { email: ["invalid_format"] }],
    [{ email: "a\u0000b@example.com" }, 400, "validation_failed", { email: ["invalid_format"] }],
    [{ redirect_to: undefined }, 400, "validation_failed", { redirect_to: ["required"] }],
    [{ redirect_to: "javascript:alert(1)" }, 400, "validation_failed", { redirect_to: ["invalid"] }],
    [{ redirect_to: "https://user@example.com/" }, 400, "validation_failed", { redirect_to: ["invalid"] }],
    [{ redirect_to: "https://elsewhere.example.net/" }, 400, "redirect_not_allowed", undefined],
    [{ token_delivery: "fragment" }, 400, "validation_failed", { token_delivery: ["not_allowed"] }],
    [{ code_challenge: "short" }, 400, "validation_failed", { code_challenge: ["invalid_format"] }],
    [{ client_timezone: "a b" }, 400, "validation_failed", { client_timezone: ["invalid_format"] }],
    [{ client_device_id: "d".repeat(129) }, 400, "validation_failed", { client_device_id: ["too_long"] }],
    [{ company_id: "1" }, 400, "validation_failed", { company_id: ["invalid"] }],
    [{ company_id: undefined }, 400, "validation_failed", { company_id: ["required"] }],
    [{ company_id: 999_999_999 }, 403, "magic_link_disabled", undefined],
  ])("rejects %j with %i %s", async (change, status, code, fields) => {
    const mailbox = createMailbox();
    const company = await createCompany();
    const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin, ...change };
    const response = await callIdentity(identityEnv(mailbox), "/api/v1/magic-link/request", json(body));
    const problem = await response.json<{ error_code: string; field_errors?: object; request_id: string }>();
    expect([response.status, problem.error_code, problem.field_errors]).toEqual([status, code, fields]);
    expect(problem.request_id).toBe(response.headers.get("x-request-id"));
    expect(mailbox.sent).toEqual([]);
  });

  it("returns 403 magic_link_disabled when the company, its flag or links in the deployment are disabled", async () => {
    const mailbox = createMailbox();
    const withoutLinks = await createCompany({ enable_magic_link: false });
    const inactive = await createCompany({ is_active: false });
    const withLinks = await createCompany();
    for (const [company, vars] of [
      [withoutLinks, {}],
      [inactive, {}],
      [withLinks, { MAGIC_LINK_ENABLED: "false" }],
    ] as const) {
      const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
      const response = await callIdentity(identityEnv(mailbox, vars), "/api/v1/magic-link/request", json(body));
      expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        403,
        "magic_link_disabled",
      ]);
    }
  });

  it("always allows loopback redirects", async () => {
    const mailbox = createMailbox();
    const company = await createCompany();
    const env = identityEnv(mailbox);
    for (const redirect_to of ["http://localhost:5173/x", "http://127.0.0.1:1/", "http://[::1]:9/a?b=c#d"]) {
      const response = await callIdentity(
        env,
        "/api/v1/magic-link/request",
        json({ company_id: company.id, email: freshEmail(), redirect_to }),
      );
      expect(response.status).toBe(200);
    }
  });

  it("limits requests per address, IP and company with an exact Retry-After, and counts a rejected request toward no other limit", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox, {
      AUTH_RATE_LIMIT_MAGIC_LINK: "3/min",
      AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "5/min",
    });
    const company = await createCompany();
    const email = freshEmail();
    const requestLinkFrom = (address: string, ip?: string) =>
      callIdentity(env, "/api/v1/magic-link/request", {
        ...json({ company_id: company.id, email: address, redirect_to: company.origin }),
        ...(ip ? { ip } : {}),
      });
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await requestLinkFrom(email)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    expect((await requestLinkFrom(freshEmail())).status).toBe(200);
    expect((await requestLinkFrom(freshEmail())).status).toBe(200);
    const full = await requestLinkFrom(freshEmail());
    expect(full.status).toBe(429);
    expect(Number(full.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(full.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    const other = await createCompany();
    const byIp = [];
    for (let i = 0; i < 4; i++) {
      const body = { company_id: other.id, email: freshEmail(), redirect_to: other.origin };
      byIp.push(
        (await callIdentity(env, "/api/v1/magic-link/request", { ...json(body), ip: `2001:db8:1:1::${i + 1}` })).status,
      );
    }
    expect(byIp).toEqual([200, 200, 200, 429]);
  });
});
