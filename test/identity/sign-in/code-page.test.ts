import { afterEach, describe, expect, it, vi } from "vitest";
import { sign_in_requests } from "../../../db/identity/schema";
import { awayDatabase } from "../../support/db/away-database";
import { callIdentity, createUser, freshEmail, freshIp, type Tokens } from "../../support/identity/identity";
import { openSignIn } from "../../support/identity/oauth";
import { changeRowsOfCompany } from "../../support/identity/rows";

afterEach(() => vi.unstubAllGlobals());

const html = { accept: "text/html,application/xhtml+xml" };
const pageOf = async (answer: Response) => {
  const text = await answer.clone().text();
  return [answer.status, /data-error-code="([^"]*)"/.exec(text)?.[1], /name="code" value="([^"]*)"/.exec(text)?.[1]];
};
const hiddenOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;

/** The pages in the order in which a user sees them: each post repeats the fields of the previous page. */
async function openForm(vars: Record<string, string> = {}, language = "en") {
  const opened = await openSignIn("google");
  const bindings = { ...opened.bindings, ...vars };
  const headers = { ...html, "accept-language": language };
  const page = await opened.authorize({ provider: "" }, { headers });
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  let fields = hiddenOf(await page.clone().text());
  const ip = freshIp();
  const post = async (
    path: "request" | "verify",
    more: Record<string, string>,
    { env = bindings, ...extra }: { env?: typeof bindings; cookie?: string } = {},
  ) => {
    const answer = await callIdentity(env, `/api/v1/magic-link/${path}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers, cookie, ...extra },
      body: new URLSearchParams({ ...fields, ...more }).toString(),
      ip,
    });
    const text = await answer.clone().text();
    const next = hiddenOf(text);
    if (Object.keys(next).length > 0) fields = next;
    return { answer, text };
  };
  const codeOf = () => String(opened.mailbox.sent.at(-1)?.variables.sign_in_code ?? "");
  return { ...opened, bindings, post, codeOf };
}

const wrongOf = (code: string) => (code.startsWith("2") ? "3333-3333" : "2222-2222");

describe("code page", () => {
  it("shows the address and signs in by the typed code, back to where the request came from", async () => {
    const { post, codeOf, redirectTo, bindings } = await openForm();
    const email = freshEmail();
    const { text } = await post("request", { email: ` ${email.toUpperCase()} ` });
    expect(text).toContain(`<strong>${email}</strong>`);
    expect(text).toContain('autocomplete="one-time-code"');
    expect(text).toMatch(/href="\.\.\/authorize\?[^"]*company_id=/);
    expect(text).toContain('data-wait="30"');
    const typed = codeOf().toLowerCase().replace("-", " ");
    const { answer } = await post("verify", { code: typed });
    expect(answer.status).toBe(302);
    const location = new URL(answer.headers.get("location") ?? "");
    expect(`${location.origin}${location.pathname}`).toBe(redirectTo);
    const redeemed = await callIdentity(bindings, "/api/v1/oauth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ auth_code: location.searchParams.get("platform_auth_code"), redirect_to: redirectTo }),
    });
    expect(((await redeemed.json()) as Tokens).provider).toBe("magic_link");
  });

  it("keeps what was typed and explains a wrong, a missing, an expired and an exhausted code", async () => {
    const { post, codeOf } = await openForm();
    await post("request", { email: freshEmail() });
    const code = codeOf();
    const wrong = wrongOf(code);
    const first = await post("verify", { code: wrong });
    expect(await pageOf(first.answer)).toEqual([400, "sign_in_code_invalid", wrong]);
    expect(first.text).toContain("This code is not right");
    expect(await pageOf((await post("verify", { code: "" })).answer)).toEqual([400, "validation_failed", ""]);
    const over = await post("verify", { code: wrong, asked_at: "1000" });
    expect(over.text).toContain("This code has expired");
    const now = String(Date.now());
    for (const said of ["not right", "not right", "Five codes were wrong"]) {
      expect((await post("verify", { code: wrong, asked_at: now })).text).toContain(said);
    }
    // By now it is true: the right one does not work either, and another mail has one that does.
    expect((await post("verify", { code })).text).toContain("Five codes were wrong");
    expect((await post("request", { again: "1" })).text).toContain("Another mail is on its way.");
    expect((await post("verify", { code: codeOf() })).answer.status).toBe(302);
  });

  it("the code page is the same for every address, and so is the response to a wrong code", async () => {
    const knownUserForm = await openForm();
    const email = freshEmail();
    await createUser({ email, company: knownUserForm.company.id });
    const unsaid = (text: string) =>
      text.replace(/u[0-9a-f-]{12}@example\.com|value="[0-9]{13}"|[0-9a-f]{8}-[0-9a-f-]{27}/g, "…");
    // The same for all, so that what was typed is compared too; one code in 600 thousand million is it.
    const code = "2222-2222";
    const pages: string[] = [];
    for (const address of [email, freshEmail()]) {
      const { text } = await knownUserForm.post("request", { email: address, again: "" });
      const refused = await knownUserForm.post("verify", { code });
      pages.push(unsaid(text), unsaid(refused.text));
    }
    expect(pages.slice(0, 2)).toEqual(pages.slice(2));
    // No link was requested for this address, which nothing may reveal.
    const never = await knownUserForm.post("verify", { email: freshEmail(), code, tries: "0" });
    expect(unsaid(never.text)).toBe(pages[1]);
  });

  it("shows how long to wait after too many attempts or mails, and keeps code and address", async () => {
    const tries = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/min" });
    await tries.post("request", { email: freshEmail() });
    await tries.post("verify", { code: "2222-2222" });
    const limited = await tries.post("verify", { code: "BCDF-2345" });
    expect(await pageOf(limited.answer)).toEqual([429, "rate_limited", "BCDF-2345"]);
    expect(Number(limited.answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(limited.text).toMatch(/Too many attempts\. Nothing is lost: try again in [0-9]+ seconds\./);

    const mails = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK: "1/h" });
    const email = freshEmail();
    await mails.post("request", { email });
    const again = await mails.post("request", { again: "1", code: "BC" });
    expect(await pageOf(again.answer)).toEqual([429, "rate_limited", "BC"]);
    expect(again.text).toMatch(/another can be sent in 60 minutes/);
    expect(again.text).toContain(`data-wait="${again.answer.headers.get("retry-after")}"`);
    expect(again.text).toContain(`<strong>${email}</strong>`);
    expect((await mails.post("verify", { code: mails.codeOf() })).answer.status).toBe(302);
  });

  it("the code page is shown again while the database is away", async () => {
    const { post, bindings, codeOf } = await openForm();
    await post("request", { email: freshEmail() });
    const code = codeOf();
    const away = await post("verify", { code }, { env: { ...bindings, DB: awayDatabase } });
    expect(await pageOf(away.answer)).toEqual([503, "service_unavailable", code]);
    expect((await post("verify", { code })).answer.status).toBe(302);
  });

  it("shows nothing of a post from another site", async () => {
    const { post, codeOf } = await openForm();
    const email = freshEmail();
    await post("request", { email });
    for (const extra of [{ cookie: "" }, { "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      const { answer, text } = await post("verify", { code: codeOf() }, extra);
      expect([await pageOf(answer), text.includes("<form")]).toEqual([[403, "csrf_failed", undefined], false]);
      expect(text).not.toContain(email);
    }
  });

  it("redirects nowhere that is no longer allowed", async () => {
    const { post, codeOf, company } = await openForm();
    await post("request", { email: freshEmail() });
    await changeRowsOfCompany(sign_in_requests, company.id, { redirect_to: "https://evil.example/" });
    expect(await pageOf((await post("verify", { code: codeOf() })).answer)).toEqual([
      400,
      "redirect_not_allowed",
      undefined,
    ]);
  });

  it("the code page has no field where mails carry no code", async () => {
    const { post } = await openForm({ MAGIC_LINK_SIGN_IN_CODE: "false" }, "fr");
    const { text } = await post("request", { email: freshEmail() });
    expect(text).not.toContain('name="code"');
    expect(text).toContain("Ouvrez-le pour vous connecter.");
  });
});

describe("sign-in form", () => {
  it("the sign-in form is shown again with the typed address when it is invalid or rate limited", async () => {
    const { post, mailbox } = await openForm({ AUTH_RATE_LIMIT_MAGIC_LINK: "2/h" });
    const bad = await post("request", { email: "mina@" });
    expect([bad.answer.status, bad.text.includes('value="mina@"')]).toEqual([400, true]);
    expect(bad.text).toContain("This is not an email address.");
    expect(bad.text).toMatch(/href="\.\.\/authorize\?[^"]*provider=google/);
    const email = freshEmail();
    await post("request", { email });
    const { answer, text } = await post("request", { email: "other@example.com" });
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(text).toContain('value="other@example.com"');
    expect(text).toMatch(/Too many sign-in links were asked for\. Try again in [0-9]+ minutes\./);
    expect(mailbox.sent).toHaveLength(1);
  });
});
