import { describe, expect, it, vi } from "vitest";
import { oauth_redirects, sign_in_requests } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  freshIp,
  identityEnv,
  json,
  requestLink,
} from "../../support/identity/identity";
import {
  changeRowsOfCompany,
  entriesOf,
  findUserByEmail,
  rowsOfCompany,
  storeRedirect,
  totalsOf,
} from "../../support/identity/rows";

const path = "/api/v1/magic-link/request";
const verify = "/api/v1/magic-link/verify";
const html = { accept: "text/html" };

type Env = ReturnType<typeof identityEnv>;
const codeOf = async (response: Response) => (await response.json<{ error_code?: string }>()).error_code ?? "ok";

/** Requests a sign-in link for a company. `overrides` replaces fields of the body. */
const postLinkRequest = (
  env: Env,
  company: { id: number; origin: string },
  overrides: Record<string, unknown> = {},
  ip = freshIp(),
) =>
  callIdentity(env, path, {
    ...json({ company_id: company.id, email: freshEmail(), redirect_to: company.origin, ...overrides }),
    ip,
  });

describe("checks of a link request", () => {
  it("checks the IP limit, the company, whether links are enabled, the fields and the allowlist, in this order", async () => {
    const vars = { AUTH_RATE_LIMIT_MAGIC_LINK: "4/min" };
    const env = identityEnv(createMailbox(), vars);
    const company = await createCompany();
    const withoutLinks = await createCompany({ enable_magic_link: false });
    const ip = freshIp();
    const faulty = { email: "none", redirect_to: "https://elsewhere.example.net/" };
    expect(await codeOf(await postLinkRequest(env, withoutLinks, { ...faulty, company_id: 0 }, ip))).toBe(
      "validation_failed",
    );
    expect(await codeOf(await postLinkRequest(env, withoutLinks, faulty, ip))).toBe("magic_link_disabled");
    expect(await codeOf(await postLinkRequest(env, company, faulty, ip))).toBe("validation_failed");
    expect(await codeOf(await postLinkRequest(env, company, { redirect_to: faulty.redirect_to }, ip))).toBe(
      "redirect_not_allowed",
    );
    // The fifth request from this IP address is rejected before its body is read.
    expect(await codeOf(await callIdentity(env, path, { method: "POST", body: "{", ip }))).toBe("rate_limited");
  });

  it("counts subaddresses as one user, and sends the mail to the address as written", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK: "2/min" });
    const company = await createCompany();
    const tagged = (tag: string) => freshAddress.replace("@", `+${tag}@`);
    const freshAddress = freshEmail();
    const statuses: number[] = [];
    for (const email of [tagged("1"), tagged("2"), freshAddress])
      statuses.push((await postLinkRequest(env, company, { email })).status);
    expect(statuses).toEqual([200, 200, 429]);
    const mails = mailbox.sent.filter(({ company_id }) => company_id === company.id);
    expect(mails.map(({ to }) => to[0]?.email)).toEqual([tagged("1"), tagged("2")]);
  });

  it("counts only valid requests, and a request that one limit rejects does not count toward the others", async () => {
    const env = identityEnv(createMailbox(), {
      AUTH_RATE_LIMIT_MAGIC_LINK: "3/min",
      AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "4/min",
      AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "2/h",
    });
    const [first, second] = [await createCompany(), await createCompany()];
    for (let i = 0; i < 6; i++) {
      expect((await postLinkRequest(env, first, { redirect_to: "https://elsewhere.example.net/" })).status).toBe(400);
      expect((await postLinkRequest(env, first, { email: "none" })).status).toBe(400);
    }
    const email = freshEmail();
    const statuses: number[] = [];
    for (const company of [first, second, first, second, first])
      statuses.push((await postLinkRequest(env, company, { email: email.toUpperCase() })).status);
    // The limit per email address is two per hour over all companies. Rejected requests do not count toward the company
    // limit.
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    for (const company of [first, second]) {
      const others: number[] = [];
      for (let i = 0; i < 4; i++) others.push((await postLinkRequest(env, company)).status);
      expect(others).toEqual([200, 200, 200, 429]);
    }
  });

  it("logs a warning when a company reaches its limit", async () => {
    const env = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "1/min" });
    const company = await createCompany();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const status of [200, 429]) expect((await postLinkRequest(env, company)).status).toBe(status);
    const lines = warn.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    warn.mockRestore();
    const expected = { message: "magic-link limit of a company reached", company_id: company.id };
    expect(lines.filter(({ level }) => level === "warn")).toMatchObject([expected]);
  });

  it("returns the same Retry-After for known and unknown addresses", async () => {
    const start = Date.now();
    clock.now = () => start;
    const env = identityEnv(createMailbox(), {
      AUTH_RATE_LIMIT_MAGIC_LINK: "1/min",
      AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "99/min",
    });
    const company = await createCompany();
    const existing = freshEmail();
    await createUser({ email: existing, company: company.id });
    for (const email of [existing, freshEmail()]) {
      expect((await postLinkRequest(env, company, { email })).status).toBe(200);
      clock.now = () => start + 20_500;
      const response = await postLinkRequest(env, company, { email });
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "40"]);
      clock.now = () => start + 60_000;
      expect((await postLinkRequest(env, company, { email })).status).toBe(200);
      clock.now = () => start;
    }
  });
});

describe("input of a link request", () => {
  it("reads the company from the body or the query", async () => {
    const env = identityEnv(createMailbox());
    const company = await createCompany();
    const body = { email: ` ${freshEmail().toUpperCase()} `, redirect_to: company.origin };
    expect((await callIdentity(env, `${path}?company_id=${company.id}`, json(body))).status).toBe(200);
    const both = await callIdentity(
      env,
      `${path}?company_id=${company.id}`,
      json({ ...body, company_id: company.id + 1 }),
    );
    expect(await both.json()).toMatchObject({ field_errors: { company_id: ["mismatch"] } });
    const [stored] = await rowsOfCompany(sign_in_requests, company.id);
    expect(stored?.email).toBe(body.email.trim().toLowerCase());
  });

  it.each([
    [`${"a".repeat(64)}@example.com`, 200],
    [`${"a".repeat(65)}@example.com`, 400],
    [`a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.example`, 200],
    [`a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.examples.x`, 400],
    ["a@localhost", 400],
    ["a@b@example.com", 400],
    ["a b@example.com", 400],
    ["a@bücher.example", 400],
    ["a@xn--bcher-kva.example", 200],
    ["a@-x.example", 400],
    ["é@example.com", 200],
    ["a\u0085b@example.com", 400],
  ])("checks the email address %s and returns the status %i", async (email, status) => {
    const response = await postLinkRequest(identityEnv(createMailbox()), await createCompany(), { email });
    expect(response.status).toBe(status);
  });

  it.each([
    ["fr", "fr"],
    ["fr-FR", "fr"],
    ["FR_ca", "fr"],
    ["en-GB", "en"],
    ["de", "en"],
    ["x".repeat(35), "en"],
    ["", "en"],
  ])("maps the language %j to the mail language %s", async (language, mailLanguage) => {
    const mailbox = createMailbox();
    const { mail } = await requestLink(identityEnv(mailbox), mailbox, await createCompany(), freshEmail(), {
      language,
    });
    expect(mail.language).toBe(mailLanguage);
  });

  it("stores `code` as the token delivery if the request asks for it or contains a challenge, even if the deployment's default is `fragment`", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox, { OAUTH_TOKEN_DELIVERY: "fragment" });
    const company = await createCompany();
    const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
    for (const overrides of [
      {},
      { token_delivery: "code" },
      { token_delivery: "fragment" },
      challenge,
      { ...challenge, token_delivery: "fragment" },
    ])
      expect((await postLinkRequest(env, company, overrides)).status).toBe(200);
    const stored = await rowsOfCompany(sign_in_requests, company.id);
    expect(stored.map((row) => row.token_delivery)).toEqual(["fragment", "code", "fragment", "code", "code"]);
    const plain = { code_challenge: "c".repeat(43), code_challenge_method: "plain" };
    for (const overrides of [plain, { code_challenge_method: "S256" }])
      expect((await postLinkRequest(env, company, overrides)).status).toBe(400);
  });

  it("allows redirects only to loopback or to a listed origin of the company, which must use https unless DEBUG is on", async () => {
    const vars = { DEBUG: "false", JWT_ISSUER: "https://id.example.com", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "" };
    const [debug, deployed] = [identityEnv(createMailbox()), identityEnv(createMailbox(), vars)];
    const [company, other] = [await createCompany(), await createCompany()];
    const http = company.origin.replace("https:", "http:");
    await storeRedirect(company, http);
    const outcome = async (env: Env, redirect_to: string) =>
      codeOf(await postLinkRequest(env, company, { redirect_to }));
    expect(await outcome(debug, http)).toBe("ok");
    expect(await outcome(deployed, http)).toBe("redirect_not_allowed");
    expect(await outcome(deployed, `${company.origin}/any/path?and=query`)).toBe("ok");
    expect(await outcome(deployed, "http://127.0.0.1:8123/cb")).toBe("ok");
    expect(await outcome(deployed, other.origin)).toBe("redirect_not_allowed");
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: false });
    expect(await outcome(deployed, company.origin)).toBe("redirect_not_allowed");
  });
});

describe("rows of a link request", () => {
  it("stores a request, an event and a count but no user, sends a mail, and stores link token and code only as hashes", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const [member, stranger] = [freshEmail(), freshEmail()];
    const userId = await createUser({ email: member, company: company.id, language: "fr" });
    for (const email of [member, stranger]) await requestLink(env, mailbox, company, email);
    expect(await findUserByEmail(stranger)).toBeUndefined();
    const stored = await rowsOfCompany(sign_in_requests, company.id);
    for (const row of stored) {
      expect([row.token_hash, row.code_hash].map((hash) => /^[0-9a-f]{64}$/.test(hash ?? ""))).toEqual([true, true]);
      expect(row.expires_at - row.created_at).toBe(1_800_000);
    }
    const [mailToExisting, unknown] = mailbox.sent;
    expect(mailToExisting).toMatchObject({
      template_key: "identity.auth.magic_link.requested",
      language: "fr",
      ttl_seconds: 120,
      idempotency_key: `magic-link-${stored[0]?.id}`,
      to: [{ email: member, user_id: userId }],
      variables: { recipient_name: "Mina" },
    });
    expect(mailToExisting).not.toHaveProperty("use_platform_sender");
    expect(unknown?.to).toEqual([{ email: stranger }]);
    expect(Object.keys(unknown?.variables ?? {}).sort()).toEqual([
      "company_name",
      "link_lifetime",
      "magic_link_url",
      "requested_at",
      "sign_in_code",
    ]);
    expect(mailToExisting?.variables.magic_link_url).toMatch(
      new RegExp(
        `^http://localhost:8787/identity/api/v1/magic-link/verify\\?token=[A-Za-z0-9_-]{43}&company_id=${company.id}$`,
      ),
    );
    expect(mailToExisting?.variables.sign_in_code).toMatch(
      /^[23456789BCDFGHJKMNPQRSTVWXYZ]{4}-[23456789BCDFGHJKMNPQRSTVWXYZ]{4}$/,
    );
    const events = await entriesOf(company.id, "identity.auth.magic_link.requested");
    const [memberEntry, strangerEntry] = events.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
    expect(memberEntry).toMatchObject({ email: member, user_id: userId, language: "fr", region: "UTC" });
    expect(Object.keys(strangerEntry ?? {}).sort()).toEqual(["email", "expires_at", "request_id"]);
    // Neither the request's id nor the event's id is a valid token.
    for (const id of [...stored.map((row) => row.id), ...events.map((event) => event.id)])
      expect(await codeOf(await callIdentity(env, verify, json({ token: id, company_id: company.id })))).toBe(
        "magic_link_invalid",
      );
    expect((await totalsOf(company.id, "magic_links_requested")).map(({ value }) => value)).toEqual([2]);
  });

  it("keeps several links of a user valid until their own expiry", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox, { MAGIC_LINK_TTL_SECONDS: "600", MAGIC_LINK_SIGN_IN_CODE: "false" });
    const company = await createCompany();
    const email = freshEmail();
    const start = Date.now();
    clock.now = () => start;
    const first = await requestLink(env, mailbox, company, email);
    expect([first.mail.variables.link_lifetime, first.code]).toEqual(["10 minutes", ""]);
    clock.now = () => start + 300_000;
    const second = await requestLink(env, mailbox, company, email);
    const open = (token: string) =>
      callIdentity(env, `${verify}?token=${token}&company_id=${company.id}`, { headers: html });
    expect([(await open(first.token)).status, (await open(second.token)).status]).toEqual([200, 200]);
    clock.now = () => start + 600_000;
    expect([(await open(first.token)).status, (await open(second.token)).status]).toEqual([400, 200]);
    const consume = (token: string) => callIdentity(env, verify, json({ token, company_id: company.id }));
    expect(await codeOf(await consume(first.token))).toBe("magic_link_invalid");
    expect((await consume(second.token)).status).toBe(200);
  });

  it("builds the link from the issuer, regardless of the host in the request", async () => {
    const mailbox = createMailbox();
    const company = await createCompany();
    const body = json(
      { company_id: company.id, email: freshEmail(), redirect_to: company.origin },
      { "x-forwarded-host": "evil.example" },
    );
    await callIdentity(identityEnv(mailbox), path, body, "http://evil.example");
    expect(mailbox.sent[0]?.variables.magic_link_url).toMatch(/^http:\/\/localhost:8787\/identity\//);
  });
});
