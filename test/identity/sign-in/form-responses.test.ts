import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { auth_codes, memberships, sign_in_requests } from "../../../db/identity/schema";
import worker from "../../../workers/identity/worker";
import { failingDatabase } from "../../support/db/failing-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  freshIp,
  identityEnv,
  requestLink,
} from "../../support/identity/identity";
import { rowsOfCompany, totalsOf, updateRows } from "../../support/identity/rows";

const path = "/api/v1/magic-link/verify";
const html = { accept: "text/html" };
type Env = ReturnType<typeof identityEnv>;

async function openLink(redirect_to?: string) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const { token } = await requestLink(env, mailbox, company, freshEmail(), redirect_to ? { redirect_to } : {});
  const query = `${path}?token=${token}&company_id=${company.id}`;
  const csrf = "c".repeat(43);
  const submit = (bindings: Env = env, ip = freshIp(), type = "application/x-www-form-urlencoded") => {
    const fields = new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf });
    const form = new FormData();
    for (const [name, value] of fields) form.set(name, value);
    const isMultipart = type === "multipart/form-data";
    const headers = { cookie: `platform_csrf=${csrf}`, ...(isMultipart ? {} : { "content-type": type }) };
    return callIdentity(bindings, path, { method: "POST", headers, body: isMultipart ? form : fields.toString(), ip });
  };
  return { env, company, token, query, submit };
}

const pageFacts = async (response: Response) => [
  response.status,
  response.headers.get("content-type"),
  /data-error-code="([^"]*)"/.exec(await response.text())?.[1],
];

describe("form of the confirmation page", () => {
  it("returns a page for rate limits, an unavailable database and a large body, and keeps the link valid", async () => {
    const { env, submit } = await openLink();
    const limited = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/min" });
    const ip = freshIp();
    await callIdentity(limited, path, { ip });
    const response = await submit(limited, ip);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const type = "text/html; charset=utf-8";
    expect(await pageFacts(response)).toEqual([429, type, "rate_limited"]);
    expect(await pageFacts(await submit({ ...env, DB: failingDatabase }))).toEqual([503, type, "service_unavailable"]);
    const large = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `token=${"x".repeat(70_000)}`,
    };
    expect(await pageFacts(await callIdentity(env, path, large))).toEqual([413, type, "payload_too_large"]);
    expect((await submit()).status).toBe(302);
  });

  it("accepts multipart bodies", async () => {
    const { submit } = await openLink();
    expect((await submit(undefined, undefined, "multipart/form-data")).status).toBe(302);
  });

  it("signs in once for 20 parallel posts, of which the others write nothing", async () => {
    const { submit, company } = await openLink();
    const responses = await Promise.all(Array.from({ length: 20 }, () => submit()));
    const statuses = responses.map((response) => response.status);
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(19);
    expect(await rowsOfCompany(auth_codes, company.id)).toHaveLength(1);
    expect(await rowsOfCompany(memberships, company.id)).toHaveLength(1);
    expect(await totalsOf(company.id, "magic_links_consumed")).toMatchObject([{ value: 1 }]);
  });
});

describe("confirmation page", () => {
  it("writes nothing for GET and HEAD of any link", async () => {
    const { env, query } = await openLink();
    for (const method of ["GET", "HEAD"]) {
      for (const url of [query, `${path}?token=x&company_id=1`, path]) {
        const spy = vi.spyOn(console, "log").mockImplementation(() => {});
        const ctx = createExecutionContext();
        const headers = { ...html, "cf-connecting-ip": freshIp() };
        const response = await worker.fetch(
          new Request(`http://localhost:8787${url}`, { method, headers }) as never,
          env,
          ctx,
        );
        await waitOnExecutionContext(ctx);
        const lines = spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
        spy.mockRestore();
        expect(lines.filter(({ message }) => message === "request")).toMatchObject([{ db_rows_written: 0 }]);
        const body = await response.text();
        expect(body === "").toBe(method === "HEAD");
        expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      }
    }
  });

  it("sets a prefixed, secure cookie on https, keeps an existing cookie, and allows form redirects to an http redirect", async () => {
    const { env, query } = await openLink("http://localhost:5173/cb");
    const get = (headers: Record<string, string>, base?: string) =>
      callIdentity(env, query, { headers: { ...html, ...headers } }, base);
    const secure = await get({}, "https://id.example.com");
    const cookie = secure.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-platform_csrf=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Secure$/);
    const [pair = ""] = cookie.split(";");
    const repeated = await get({ cookie: `x=1; ${pair}` }, "https://id.example.com");
    expect(repeated.headers.get("set-cookie")?.split(";")[0]).toBe(pair);
    for (const bad of ["__Host-platform_csrf=short", pair.replace("__Host-", "")])
      expect((await get({ cookie: bad }, "https://id.example.com")).headers.get("set-cookie")?.split(";")[0]).not.toBe(
        bad,
      );
    expect(secure.headers.get("content-security-policy")).toMatch(/form-action 'self' https: http:$/);
  });

  it("offers a new link at the redirect's origin for an expired link, without a form", async () => {
    const { env, query } = await openLink("http://localhost:5173/deep/cb?x=1");
    const { redirect_to } = sign_in_requests;
    await updateRows(sign_in_requests, { expires_at: 1 }, eq(redirect_to, "http://localhost:5173/deep/cb?x=1"));
    const page = await callIdentity(env, query, { headers: html });
    const text = await page.text();
    expect([page.status, text.includes('href="http://localhost:5173/login"'), text.includes("<form")]).toEqual([
      400,
      true,
      false,
    ]);
    expect(page.headers.get("content-security-policy")).toMatch(/form-action 'none'$/);
  });
});
