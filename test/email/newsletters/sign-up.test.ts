import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { messages, subscribers } from "../../../db/email/schema";
import { problemOf } from "../../support/email/admin";
import { createCompany, startEmail, storeSuppression } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { hashOf, storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { pauseLane, readRows, updateRows } from "../../support/email/rows";
import { PUBLIC, recordStatements, startSignUp, uniqueIp } from "../../support/email/sign-up";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

const PENDING = { status: "pending" };

describe("a sign-up", () => {
  it("stores a pending subscriber and one mail with the confirmation link", async () => {
    const { list, subscribe, mails, linkOf, rows, expectCounts } = await startSignUp(email);
    const address = uniqueAddress();
    const response = await subscribe({ email: ` ${address} `, first_name: "Mina", language: "fr" });
    expect([response.status, await response.json()]).toEqual([202, PENDING]);
    expect(email.acceptTripsOf(response)).toBe(2);
    expect(await rows()).toMatchObject([{ status: "pending", source: "form", language: "fr", consent: null }]);
    expect(await expectCounts()).toEqual({ pending: 1, confirmed: 0, unsubscribed: 0 });
    const sent = await mails();
    expect(sent).toMatchObject([{ event_type: "newsletter_confirmation", list_id: list.id, language: "fr" }]);
    expect(await linkOf(sent[0])).toMatch(/^\/api\/v1\/public\/newsletters\/confirm\/[\w-]{43}$/);
    expect(
      email.queueMessages.transactional?.some((message) => JSON.stringify(message).includes(sent[0]?.id ?? "?")),
    ).toBe(true);
  });

  it("runs the same statements in two round trips for every kind of address, and answers the same", async () => {
    const { companyId, list, subscribe, mails, rows } = await startSignUp(email);
    const [pending, confirmed, unsubscribed, throttled, suppressed] = Array.from({ length: 5 }, uniqueAddress);
    const row = { id: list.id, company_id: companyId };
    await storeSubscriber(row, String(pending), { status: "pending", confirmed_at: null });
    await storeSubscriber(row, String(confirmed));
    await storeSubscriber(row, String(unsubscribed), { status: "unsubscribed", unsubscribed_at: 3 });
    const mailed = { status: "pending" as const, confirmed_at: null, mailed_at: Date.now(), mail_count: 1 };
    await storeSubscriber(row, String(throttled), mailed);
    await storeSuppression(companyId, String(suppressed), { reason: "complaint" });
    const before = await rows();
    const outcomes = [];
    for (const address of [uniqueAddress(), pending, confirmed, unsubscribed, throttled, suppressed]) {
      const { bindings, roundTrips } = recordStatements();
      const count = (await mails()).length;
      const response = await subscribe({ email: address }, { bindings });
      const headers = [...response.headers.keys()];
      const mailCount = (await mails()).length - count;
      outcomes.push({ roundTrips, status: response.status, body: await response.text(), headers, mailCount });
    }
    const [first] = outcomes;
    expect(first?.roundTrips).toHaveLength(2);
    for (const { mailCount: _, ...outcome } of outcomes) {
      const { mailCount: _first, ...expected } = first ?? { mailCount: 0 };
      expect(outcome).toEqual(expected);
    }
    expect(outcomes.map(({ mailCount }) => mailCount)).toEqual([1, 1, 0, 1, 0, 0]);
    const after = await rows();
    const stateOf = async (list: typeof after, address: string | undefined) => {
      const hash = await hashOf(String(address));
      return list.find(({ email_hmac }) => email_hmac === hash);
    };
    for (const address of [confirmed, throttled]) {
      expect(await stateOf(after, address)).toEqual(await stateOf(before, address));
    }
    expect(await stateOf(after, unsubscribed)).toMatchObject({
      status: "unsubscribed",
      token_hash: expect.any(String),
    });
    expect(after).toHaveLength(before.length + 1);
  });

  it("sends at most three mails a day, ten minutes apart, and the newest link replaces the others", async () => {
    const { subscribe, mails, rows } = await startSignUp(email);
    const address = uniqueAddress();
    const hashes = new Set<string | null>();
    for (let i = 0; i < 5; i++) {
      expect((await subscribe({ email: address })).status).toBe(202);
      expect((await subscribe({ email: address })).status).toBe(202);
      const [row] = await rows();
      hashes.add(row?.token_hash ?? null);
      await updateRows(subscribers, { mailed_at: Date.now() - 600_001 }, eq(subscribers.id, row?.id ?? 0));
    }
    expect(await mails()).toHaveLength(3);
    expect(hashes.size).toBe(3);
  });

  it("accepts a form, and ignores a filled honeypot", async () => {
    const { subscribe, mails } = await startSignUp(email);
    const bot = await subscribe({ email: "nobody", website: "http://spam.example" }, { form: true });
    expect([bot.status, await bot.json()]).toEqual([202, PENDING]);
    expect(await mails()).toEqual([]);
    expect((await subscribe({ email: uniqueAddress(), website: "" }, { form: true })).status).toBe(202);
    expect(await mails()).toHaveLength(1);
  });

  it.each([
    [{}, { email: ["required"] }],
    [{ email: null }, { email: ["required"] }],
    [{ email: 5 }, { email: ["invalid_format"] }],
    [{ email: "a@b" }, { email: ["invalid_format"] }],
    [{ email: "x@example.com\r\nBcc: y@example.com" }, { email: ["invalid_format"] }],
    [{ email: "x@example.com", first_name: "x".repeat(151) }, { first_name: ["too_long"] }],
    [{ email: "x@example.com", first_name: "a\u0000b" }, { first_name: ["invalid"] }],
    [{ email: "x@example.com", language: 1 }, { language: ["invalid"] }],
    [{ email: "x@example.com", language: "x".repeat(36) }, { language: ["too_long"] }],
    [{ email: "x@example.com", website: "x".repeat(1001) }, { website: ["too_long"] }],
    [{ email: "x@example.com", turnstile_token: "x".repeat(2049) }, { turnstile_token: ["too_long"] }],
  ])("rejects the body %j and stores nothing", async (body, fields) => {
    const { subscribe, rows } = await startSignUp(email);
    expect(await problemOf(await subscribe(body))).toEqual([400, "validation_failed", fields]);
    expect(await rows()).toEqual([]);
  });

  it("returns 404 for unknown and malformed keys before any other check, also for another body", async () => {
    for (const key of ["nl_x", "x", "%00", `nl_${"a".repeat(24)}`]) {
      const response = await email.call(`${PUBLIC}/${key}/subscribe`, {
        json: { email: "nobody" },
        headers: { origin: "https://other.example", "CF-Connecting-IP": uniqueIp() },
      });
      expect(await problemOf(response)).toEqual([404, "newsletter_not_found"]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("refuses unknown keys of one network address above the limit, without a read, but never a known key", async () => {
    const { list } = await startSignUp(email);
    const { bindings, roundTrips } = recordStatements();
    const ip = uniqueIp();
    const get = (key: string) =>
      email.call(`${PUBLIC}/${key}/form`, {
        headers: { "CF-Connecting-IP": ip },
        bindings: { ...bindings, EMAIL_WRONG_KEY_RATE_LIMIT: "2/min" },
      });
    const unknown = () => get(`nl_${crypto.randomUUID().slice(0, 24)}`);
    expect((await get(list.public_key)).status).toBe(200);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await unknown()).status);
    expect(statuses).toEqual([404, 404, 429, 429, 429]);
    expect(roundTrips).toHaveLength(4);
    expect((await get(list.public_key)).status).toBe(200);
  });
});

describe("limits of sign-ups", () => {
  it("count per network address (a /64 of IPv6) and per newsletter, after the checks of the body", async () => {
    const { subscribe } = await startSignUp(email);
    const bindings = { EMAIL_NEWSLETTER_IP_PER_HOUR: "2", EMAIL_NEWSLETTER_LIST_PER_HOUR: "3" } as never;
    const network = uniqueIp();
    const from = (ip: string, address = uniqueAddress()) => subscribe({ email: address }, { bindings, ip });
    expect((await from(network, "nobody")).status).toBe(400);
    expect((await from(network)).status).toBe(202);
    expect((await from(network.replace("::1", ":1:2:3:4"))).status).toBe(202);
    const refused = await from(network);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await problemOf(refused)).toEqual([429, "rate_limited"]);
    expect((await from(uniqueIp())).status).toBe(202);
    expect(await problemOf(await from(uniqueIp()))).toEqual([429, "rate_limited"]);
  });

  it("test the company's limit of transactional mail for every address alike", async () => {
    const { companyId, list, subscribe } = await startSignUp(email);
    const known = uniqueAddress();
    await storeSubscriber({ id: list.id, company_id: companyId }, known);
    const bindings = { EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "2" } as never;
    const statuses = [];
    for (const address of [known, known, known, uniqueAddress()]) {
      statuses.push((await problemOf(await subscribe({ email: address }, { bindings })))[0]);
    }
    expect(statuses).toEqual([202, 202, 429, 429]);
  });

  it("reject sign-ups while the company has no sender or its lane is paused", async () => {
    const companyId = createCompany();
    const { public_key } = await storeNewsletter(companyId);
    const call = (key: string) =>
      email.call(`${PUBLIC}/${key}/subscribe`, {
        json: { email: uniqueAddress() },
        headers: { "CF-Connecting-IP": uniqueIp() },
      });
    expect(await problemOf(await call(public_key))).toEqual([503, "newsletter_unavailable"]);
    const { list, companyId: paused } = await startSignUp(email);
    await pauseLane("transactional", paused, "company");
    const response = await call(list.public_key);
    expect(response.headers.get("retry-after")).toBe("300");
    expect(await problemOf(response)).toEqual([503, "newsletter_unavailable"]);
    expect(await readRows(messages, eq(messages.company_id, paused))).toEqual([]);
  });
});

describe("origins of sign-ups", () => {
  const ORIGINS = ["https://shop.example", "http://localhost:3000"];
  const preflight = (path: string, origin: string) =>
    email.call(path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "CF-Connecting-IP": uniqueIp() },
    });

  it("are those of the newsletter, preflight included", async () => {
    const { publicPath, subscribe } = await startSignUp(email, { allowed_origins: ORIGINS });
    const sign = (origin: string) => subscribe({ email: uniqueAddress() }, { headers: { origin } });
    const listed = await sign("https://shop.example");
    expect([listed.status, listed.headers.get("access-control-allow-origin")]).toEqual([202, "https://shop.example"]);
    expect(listed.headers.get("vary")).toContain("Origin");
    for (const origin of ["https://other.example", "null", "https://shop.example.evil.example"]) {
      const response = await sign(origin);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(await problemOf(response)).toEqual([403, "origin_not_allowed"]);
      const refused = await preflight(`${publicPath}/subscribe`, origin);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
    const allowed = await preflight(`${publicPath}/subscribe`, "https://shop.example");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, "https://shop.example"]);
    expect(allowed.headers.get("access-control-allow-headers")).toContain("Content-Type");
    expect(email.acceptTripsOf(allowed)).toBe(1);
    // The hosted page posts its form with the origin of the service.
    expect((await sign("http://localhost:8787")).status).toBe(202);
    expect((await subscribe({ email: uniqueAddress() })).status).toBe(202);
  });

  it("are all when the newsletter lists none, and none for an unknown newsletter", async () => {
    const { publicPath, subscribe } = await startSignUp(email);
    const response = await subscribe({ email: uniqueAddress() }, { headers: { origin: "https://any.example" } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([202, "*"]);
    const open = await preflight(`${publicPath}/subscribe`, "https://any.example");
    expect(open.headers.get("access-control-allow-origin")).toBe("*");
    for (const key of [`nl_${"b".repeat(24)}`, "x"]) {
      const unknown = await preflight(`${PUBLIC}/${key}/subscribe`, "https://any.example");
      expect(unknown.headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("the hosted page", () => {
  const html = { accept: "text/html,application/xhtml+xml" };

  it("shows the form in English and French, without a script, and writes nothing", async () => {
    const { publicPath, list, rows } = await startSignUp(email, {
      name: "News <b>& more",
      description: "Once a month.",
    });
    const page = await email.call(publicPath, { headers: html });
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain("<h1>Subscribe to News &lt;b&gt;&amp; more</h1>");
    expect(text).toContain(`action="${list.subscribe_url}"`);
    expect(text).toContain("Once a month.");
    expect(text).not.toMatch(/<script|style="/);
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src [^;]+; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http:\/\/localhost:8787$/,
    );
    const french = await email.call(`${publicPath}?language=fr`, { headers: html });
    expect(await french.text()).toContain("S’abonner à News");
    expect(await rows()).toEqual([]);
    const unknown = await email.call(`${PUBLIC}/nl_${"c".repeat(24)}`, {
      headers: { ...html, "CF-Connecting-IP": uniqueIp() },
    });
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const chosen = await email.call(`${PUBLIC}/nl_${"c".repeat(24)}?language=fr`, {
      headers: { ...html, "CF-Connecting-IP": uniqueIp() },
    });
    expect([chosen.status, await chosen.text()]).toEqual([404, expect.stringContaining("n’existe pas")]);
  });

  it("is the target of a GET of the address of its form", async () => {
    const { list, publicPath } = await startSignUp(email);
    const get = (query: string, key = list.public_key) =>
      email.call(`${PUBLIC}/${key}/subscribe${query}`, { headers: html, redirect: "manual" });
    const page = list.subscribe_url.replace(/\/subscribe$/, "");
    const french = await get("?language=fr");
    expect([french.status, french.headers.get("location")]).toEqual([302, `${page}?language=fr`]);
    expect((await get("")).headers.get("location")).toBe(page);
    expect((await get("", "%2F%2Fevil.example")).status).toBe(404);
    expect((await email.call(`${publicPath}/subscribe`, { method: "PUT" })).headers.get("allow")).toBe(
      "GET, HEAD, POST",
    );
  });

  it("allows the Turnstile widget only for a newsletter that uses it", async () => {
    const { publicPath } = await startSignUp(email, { turnstile_site_key: "0xKEY", turnstile_secret: "s" });
    const page = await email.call(publicPath, { headers: html });
    expect(page.headers.get("content-security-policy")).toContain(
      "script-src https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com;",
    );
    expect(await page.text()).toContain('data-sitekey="0xKEY"');
  });

  it("answers its form with a page, keeps what was typed, and says the same for every address", async () => {
    const { companyId, list, subscribe } = await startSignUp(email);
    const known = uniqueAddress();
    await storeSubscriber({ id: list.id, company_id: companyId }, known);
    const post = (body: Record<string, string>) => subscribe(body, { form: true, headers: html });
    const fresh = uniqueAddress();
    const [first, second] = [await post({ email: fresh }), await post({ email: known })];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await first.text()).replaceAll(fresh, "x")).toBe((await second.text()).replaceAll(known, "x"));
    const rejected = await post({ email: 'anna@"><script>', first_name: "Anna", language: "fr" });
    expect(rejected.status).toBe(400);
    const text = await rejected.text();
    const invalid =
      'value="anna@&quot;&gt;&lt;script&gt;" aria-invalid="true" aria-describedby="email-error" autofocus';
    expect(text).toContain(invalid);
    expect(text).toContain('value="Anna"');
    expect(text).toContain("Cette adresse n’est pas complète.");
    expect(rejected.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("shows why a form was refused", async () => {
    const { subscribe } = await startSignUp(email, { allowed_origins: ["https://shop.example"] });
    const large = await subscribe({ email: "a".repeat(70_000) }, { form: true, headers: html });
    expect([large.status, await large.text()]).toEqual([413, expect.stringContaining("The form could not be read")]);
    const foreign = await subscribe(
      { email: "a@example.com" },
      { form: true, headers: { ...html, origin: "https://x.example" } },
    );
    expect([foreign.status, await foreign.text()]).toEqual([403, expect.stringContaining("may not sign anyone up")]);
    const bindings = { EMAIL_NEWSLETTER_IP_PER_HOUR: "1" } as never;
    const ip = uniqueIp();
    const post = () => subscribe({ email: uniqueAddress() }, { form: true, headers: html, ip, bindings });
    expect((await post()).status).toBe(200);
    const limited = await post();
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await limited.text()).toContain("There were too many sign-ups");
  });
});

it("returns a form to paste that has labels and no inline script", async () => {
  const { publicPath, list } = await startSignUp(email);
  const response = await email.call(`${publicPath}/form?language=fr`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain;charset=UTF-8"]);
  const text = await response.text();
  expect(text).toContain(`<form action="${list.subscribe_url}" method="post" accept-charset="utf-8" lang="fr">`);
  expect(text).toContain('<input type="hidden" name="language" value="fr">');
  expect(text).not.toMatch(/<script|style=|onclick/);
  for (const [, id] of text.matchAll(/<label for="([^"]+)"/g)) expect(text).toContain(`id="${id}"`);
});
