import { afterEach, describe, expect, it, vi } from "vitest";
import { oauth_clients } from "../../../db/identity/schema";
import { callIdentity, freshEmail } from "../../support/identity/identity";
import { createClient, errorOf, openSignIn } from "../../support/identity/oauth";
import { changeCompany, changeRowsOfCompany } from "../../support/identity/rows";

afterEach(() => vi.unstubAllGlobals());

const html = { accept: "text/html,application/xhtml+xml" };
const codeOf = (text: string) => /data-error-code="([^"]*)"/.exec(text)?.[1];

async function openPage(
  options: Parameters<typeof openSignIn>[1] = {},
  query: Record<string, string> = {},
  headers = {},
) {
  const opened = await openSignIn("google", options);
  await createClient(opened.company.id, "oidc", { label: 'Acme <b>"SSO"</b>' });
  await createClient(opened.company.id, "github", { secret: null });
  const page = await opened.authorize({ provider: "", ...query }, { headers: { ...html, ...headers } });
  const text = await page.clone().text();
  const fields = Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const submit = (overrides: Record<string, string> = {}, moreHeaders: Record<string, string> = {}) =>
    callIdentity(opened.bindings, "/api/v1/magic-link/request", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie, ...html, ...moreHeaders },
      body: new URLSearchParams({ ...fields, email: freshEmail(), ...overrides }).toString(),
    });
  return { ...opened, page, text, fields, submit };
}

describe("page of authorize", () => {
  it("shows, without any script, a button per usable client and the email form, and passes the query on in the links", async () => {
    const query = { client_timezone: "Europe/Paris", client_device_id: "d1", switch_account: "1" };
    const { page, text, fields, company, redirectTo } = await openPage({}, query);
    expect(page.status).toBe(200);
    expect(text).toContain(`Sign in to Aster`);
    expect(text).toContain("Continue with Google");
    expect(text).toContain("Continue with Acme &lt;b&gt;");
    expect(text).not.toContain("GitHub");
    expect(text).not.toContain("<script");
    const hrefs = [...text.matchAll(/class="button quiet" href="([^"]+)"/g)].map(
      ([, href]) => new URLSearchParams((href ?? "").replaceAll("&amp;", "&")),
    );
    expect(hrefs.map((href) => href.get("provider"))).toEqual(["google", "oidc-acme"]);
    expect(Object.fromEntries(hrefs[0] ?? [])).toEqual({
      redirect_to: redirectTo,
      client_timezone: "Europe/Paris",
      client_device_id: "d1",
      company_id: String(company.id),
      provider: "google",
      switch_account: "1",
    });
    expect(fields).toMatchObject({ company_id: String(company.id), redirect_to: redirectTo, language: "en" });
    expect(text).toContain('action="magic-link/request"');
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https:$/,
    );
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("supports a trailing slash, http redirects and French, and omits the form if links are disabled", async () => {
    const { bindings, company } = await openPage();
    const slash = await callIdentity(
      bindings,
      `/api/v1/authorize/?${new URLSearchParams({ company_id: String(company.id), redirect_to: "http://localhost:3000/" })}`,
      { headers: { ...html, "accept-language": "fr" } },
    );
    const text = await slash.text();
    expect(text).toContain('action="../magic-link/request"');
    expect(text).toContain("Continuer avec Google");
    expect(slash.headers.get("content-security-policy")).toMatch(/form-action 'self' https: http:$/);
    const withoutLinks = await openPage({ company: { enable_magic_link: false } });
    expect([withoutLinks.page.status, withoutLinks.text.includes("<form")]).toEqual([200, false]);
    expect(withoutLinks.page.headers.get("content-security-policy")).toMatch(/form-action 'none'$/);
    await changeRowsOfCompany(oauth_clients, withoutLinks.company.id, { is_active: false });
    const withoutMethods = await withoutLinks.authorize({ provider: "" }, { headers: html });
    expect(errorOf(new URL(withoutMethods.headers.get("location") ?? ""))).toBe("provider_disabled");
  });
});

describe("email form", () => {
  it("sends the link and shows the same page for every address", async () => {
    const { submit, mailbox, company } = await openPage({}, {}, { "accept-language": "fr-FR" });
    const email = freshEmail();
    const sent = await submit({ email: ` ${email.toUpperCase()} ` });
    expect(sent.status).toBe(200);
    const text = await sent.text();
    expect(text).toContain("Consultez votre messagerie");
    expect(mailbox.sent.at(-1)).toMatchObject({ company_id: company.id, to: [{ email }], language: "fr" });
    const other = freshEmail();
    const withoutValues = (page: string, address: string) =>
      page.replaceAll(address, "…").replace(/value="[0-9]{13}"/, "");
    expect(withoutValues(await (await submit({ email: other })).text(), other)).toBe(withoutValues(text, email));
  });

  it("shows every error as a page, and sends no mail", async () => {
    const { submit, mailbox, company } = await openPage();
    for (const [fields, headers, status, code] of [
      [{ csrf_token: "x" }, {}, 403, "csrf_failed"],
      [{}, { cookie: "" }, 403, "csrf_failed"],
      [{}, { origin: "https://evil.example" }, 403, "csrf_failed"],
      [{}, { "sec-fetch-site": "cross-site" }, 403, "csrf_failed"],
      [{ email: "nobody" }, {}, 400, "validation_failed"],
      [{ company_id: "x" }, {}, 400, "validation_failed"],
      [{ redirect_to: "https://evil.example/" }, {}, 400, "redirect_not_allowed"],
      [{ token_delivery: "fragment" }, {}, 400, "validation_failed"],
    ] as [Record<string, string>, Record<string, string>, number, string][]) {
      const response = await submit(fields, headers);
      expect([fields, response.status, codeOf(await response.text())]).toEqual([fields, status, code]);
    }
    await changeCompany(company.id, { enable_magic_link: false });
    const rejected = await submit();
    expect([rejected.status, codeOf(await rejected.text())]).toEqual([403, "magic_link_disabled"]);
    expect(mailbox.sent).toEqual([]);
  });
});
