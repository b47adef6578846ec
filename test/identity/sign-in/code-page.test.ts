import { afterEach, describe, expect, it, vi } from "vitest";
import { sign_in_requests } from "../../../db/identity/schema";
import { failingDatabase } from "../../support/db/failing-database";
import { callIdentity, createUser, freshEmail, freshIp, type Tokens } from "../../support/identity/identity";
import { openSignIn } from "../../support/identity/oauth";
import { changeRowsOfCompany } from "../../support/identity/rows";

afterEach(() => vi.unstubAllGlobals());

const html = { accept: "text/html,application/xhtml+xml" };
const readPage = async (response: Response) => {
  const text = await response.clone().text();
  return [response.status, /data-error-code="([^"]*)"/.exec(text)?.[1], /name="code" value="([^"]*)"/.exec(text)?.[1]];
};
const hiddenFields = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;

/** Opens the sign-in page. Returns `post`, which also sends the hidden fields of the previous page. */
async function openForm(vars: Record<string, string> = {}, language = "en") {
  const opened = await openSignIn("google");
  const bindings = { ...opened.bindings, ...vars };
  const headers = { ...html, "accept-language": language };
  const page = await opened.authorize({ provider: "" }, { headers });
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  let fields = hiddenFields(await page.clone().text());
  const ip = freshIp();
  const post = async (
    path: "request" | "verify",
    overrides: Record<string, string>,
    { env = bindings, ...extra }: { env?: typeof bindings; cookie?: string } = {},
  ) => {
    const response = await callIdentity(env, `/api/v1/magic-link/${path}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers, cookie, ...extra },
      body: new URLSearchParams({ ...fields, ...overrides }).toString(),
      ip,
    });
    const text = await response.clone().text();
    const next = hiddenFields(text);
    if (Object.keys(next).length > 0) fields = next;
    return { response, text };
  };
  const mailedCode = () => String(opened.mailbox.sent.at(-1)?.variables.sign_in_code ?? "");
  return { ...opened, bindings, post, mailedCode };
}

const wrongCodeFor = (code: string) => (code.startsWith("2") ? "3333-3333" : "2222-2222");

describe("code page", () => {
  it("shows the email address, signs in with the typed code, and redirects back to the application", async () => {
    const { post, mailedCode, redirectTo, bindings } = await openForm();
    const email = freshEmail();
    const { text } = await post("request", { email: ` ${email.toUpperCase()} ` });
    expect(text).toContain(`<strong>${email}</strong>`);
    expect(text).toContain('autocomplete="one-time-code"');
    expect(text).toMatch(/href="\.\.\/authorize\?[^"]*company_id=/);
    expect(text).toContain('data-wait="30"');
    const typed = mailedCode().toLowerCase().replace("-", " ");
    const { response } = await post("verify", { code: typed });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("location") ?? "");
    expect(`${location.origin}${location.pathname}`).toBe(redirectTo);
    const redeemed = await callIdentity(bindings, "/api/v1/oauth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ auth_code: location.searchParams.get("platform_auth_code"), redirect_to: redirectTo }),
    });
    expect(((await redeemed.json()) as Tokens).provider).toBe("magic_link");
  });

  it("keeps the typed code and explains a wrong, missing, expired or exhausted code", async () => {
    const { post, mailedCode } = await openForm();
    await post("request", { email: freshEmail() });
    const code = mailedCode();
    const wrong = wrongCodeFor(code);
    const first = await post("verify", { code: wrong });
    expect(await readPage(first.response)).toEqual([400, "sign_in_code_invalid", wrong]);
    expect(first.text).toContain("This code is incorrect");
    expect(await readPage((await post("verify", { code: "" })).response)).toEqual([400, "validation_failed", ""]);
    const expired = await post("verify", { code: wrong, asked_at: "1000" });
    expect(expired.text).toContain("This code has expired");
    const now = String(Date.now());
    for (const text of ["incorrect", "incorrect", "Five codes were wrong"]) {
      expect((await post("verify", { code: wrong, asked_at: now })).text).toContain(text);
    }
    // After five wrong codes, the correct code is rejected too, until another mail contains a new one.
    expect((await post("verify", { code })).text).toContain("Five codes were wrong");
    expect((await post("request", { again: "1" })).text).toContain("Another mail is on its way.");
    expect((await post("verify", { code: mailedCode() })).response.status).toBe(302);
  });

  it("shows the same page, and the same response to a wrong code, for every address", async () => {
    const form = await openForm();
    const email = freshEmail();
    await createUser({ email, company: form.company.id });
    const withoutValues = (text: string) =>
      text.replace(/u[0-9a-f-]{12}@example\.com|value="[0-9]{13}"|[0-9a-f]{8}-[0-9a-f-]{27}/g, "…");
    // Both pages need the same typed code to be comparable. It equals the mailed code in 1 of 6e11 runs.
    const code = "2222-2222";
    const pages: string[] = [];
    for (const address of [email, freshEmail()]) {
      const { text } = await form.post("request", { email: address, again: "" });
      const response = await form.post("verify", { code });
      pages.push(withoutValues(text), withoutValues(response.text));
    }
    expect(pages.slice(0, 2)).toEqual(pages.slice(2));
    // The page must not reveal that no link was requested for this address.
    const neverRequested = await form.post("verify", { email: freshEmail(), code, tries: "0" });
    expect(withoutValues(neverRequested.text)).toBe(pages[1]);
  });

  it("shows how long to wait after too many attempts or mails, and keeps code and address", async () => {
    const limitedTries = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/min" });
    await limitedTries.post("request", { email: freshEmail() });
    await limitedTries.post("verify", { code: "2222-2222" });
    const limited = await limitedTries.post("verify", { code: "BCDF-2345" });
    expect(await readPage(limited.response)).toEqual([429, "rate_limited", "BCDF-2345"]);
    expect(Number(limited.response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(limited.text).toMatch(/Too many attempts\. Nothing is lost: try again in [0-9]+ seconds\./);

    const limitedMails = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK: "1/h" });
    const email = freshEmail();
    await limitedMails.post("request", { email });
    const secondMail = await limitedMails.post("request", { again: "1", code: "BC" });
    expect(await readPage(secondMail.response)).toEqual([429, "rate_limited", "BC"]);
    expect(secondMail.text).toMatch(/You can request another in 60 minutes/);
    expect(secondMail.text).toContain(`data-wait="${secondMail.response.headers.get("retry-after")}"`);
    expect(secondMail.text).toContain(`<strong>${email}</strong>`);
    expect((await limitedMails.post("verify", { code: limitedMails.mailedCode() })).response.status).toBe(302);
  });

  it("shows the code page again while the database is unavailable", async () => {
    const { post, bindings, mailedCode } = await openForm();
    await post("request", { email: freshEmail() });
    const code = mailedCode();
    const duringOutage = await post("verify", { code }, { env: { ...bindings, DB: failingDatabase } });
    expect(await readPage(duringOutage.response)).toEqual([503, "service_unavailable", code]);
    expect((await post("verify", { code })).response.status).toBe(302);
  });

  it("shows no submitted value of a post from another site", async () => {
    const { post, mailedCode } = await openForm();
    const email = freshEmail();
    await post("request", { email });
    for (const extra of [{ cookie: "" }, { "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const { response, text } = await post("verify", { code: mailedCode() }, extra);
      expect([await readPage(response), text.includes("<form")]).toEqual([[403, "csrf_failed", undefined], false]);
      expect(text).not.toContain(email);
    }
  });

  it("does not redirect to an origin that is no longer allowed", async () => {
    const { post, mailedCode, company } = await openForm();
    await post("request", { email: freshEmail() });
    await changeRowsOfCompany(sign_in_requests, company.id, { redirect_to: "https://evil.example/" });
    expect(await readPage((await post("verify", { code: mailedCode() })).response)).toEqual([
      400,
      "redirect_not_allowed",
      undefined,
    ]);
  });

  it("shows no code field when mails contain no code", async () => {
    const { post } = await openForm({ MAGIC_LINK_SIGN_IN_CODE: "false" }, "fr");
    const { text } = await post("request", { email: freshEmail() });
    expect(text).not.toContain('name="code"');
    expect(text).toContain("Nous avons envoyé un lien à <strong>");
  });
});

describe("sign-in form", () => {
  it("shows the form again with the typed address when it is invalid or rate limited", async () => {
    const { post, mailbox } = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK: "2/h" });
    const bad = await post("request", { email: "mina@" });
    expect([bad.response.status, bad.text.includes('value="mina@"')]).toEqual([400, true]);
    expect(bad.text).toContain("This is not an email address.");
    expect(bad.text).toMatch(/href="\.\.\/authorize\?[^"]*provider=google/);
    const email = freshEmail();
    await post("request", { email });
    const { response, text } = await post("request", { email: "other@example.com" });
    expect([response.status, Number(response.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(text).toContain('value="other@example.com"');
    expect(text).toMatch(/Too many sign-in links were requested\. Try again in [0-9]+ minutes\./);
    expect(mailbox.sent).toHaveLength(1);
  });
});
