import { describe, expect, it } from "vitest";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  identityEnv,
  json,
} from "../../support/identity/identity";

const agent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const requestInit = { headers: { "user-agent": agent }, cf: { country: "FR" } } as unknown as RequestInit;

/** Requests a link; `open` returns its confirmation page with the given headers. */
async function startLinkRequest(headers: Record<string, string> = {}, overrides: Record<string, unknown> = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const body = { company_id: company.id, email: freshEmail(), redirect_to: `${company.origin}/cb`, ...overrides };
  const call = { ...requestInit, ...json(body, { "user-agent": agent, ...headers }) };
  const response = await callIdentity(env, "/api/v1/magic-link/request", call);
  const link = new URL(mailbox.sent.at(-1)?.variables.magic_link_url ?? "");
  const open = async (moreHeaders: Record<string, string> = {}) =>
    (
      await callIdentity(env, `/api/v1/magic-link/verify${link.search}`, {
        headers: { accept: "text/html", ...moreHeaders },
      })
    ).text();
  return { response, open, mail: mailbox.sent.at(-1) };
}

describe("sign-in mail", () => {
  it("contains device, country and time in its language and the time zone of the request", async () => {
    const { mail } = await startLinkRequest({}, { language: "fr", client_timezone: "Europe/Paris" });
    expect(mail?.variables).toMatchObject({
      device: "Chrome sur Windows",
      country: "France",
      requested_at: expect.stringMatching(/^[0-9]+ [a-zéû]+ [0-9]{4} à [0-9:]{5}\u00a0(?:CET|CEST|UTC\+[12])$/),
    });
  });

  it("omits an unknown device", async () => {
    const { mail } = await startLinkRequest({ "user-agent": "curl/8.5.0" });
    expect(mail?.variables).not.toHaveProperty("device");
    expect(mail?.variables.requested_at).toMatch(/ at [0-9:]{5}\u00a0UTC$/);
  });
});

describe("confirmation page", () => {
  it("shows on which device, in which country and when the link was requested", async () => {
    const { response, open } = await startLinkRequest({}, { client_timezone: "Europe/Paris" });
    expect(response.headers.get("set-cookie")).toBeNull();
    const text = await open();
    expect(text).toContain("<dd>Chrome on Windows</dd>");
    expect(text).toContain("<dd>France</dd>");
    expect(text).toMatch(
      /less than a minute ago<\/time><br>[0-9]+ [A-Z][a-z]+ [0-9]{4} at [0-9:]{5}\u00a0(?:CET|CEST|GMT\+[12])/,
    );
  });

  it("describes the device in the language of the request", async () => {
    const { open } = await startLinkRequest({}, { language: "fr", client_timezone: "Nowhere/Land" });
    const text = await open();
    expect(text).toContain("<dd>Chrome sur Windows</dd>");
    expect(text).toMatch(/il y a moins d’une minute<\/time><br>.*\u00a0UTC/);
  });

  it("recognizes the requesting browser by its cookie", async () => {
    const { response, open } = await startLinkRequest({ "sec-fetch-site": "same-origin" });
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^platform_browser=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=1800$/);
    const [pair = ""] = cookie.split(";");
    expect(await open({ cookie: pair })).toContain("You requested this link in this browser");
    for (const other of ["", `platform_browser=${"a".repeat(43)}`]) {
      expect(await open({ cookie: other })).toContain("Chrome on Windows");
    }
    // A browser keeps its cookie when it requests another link.
    const repeated = await startLinkRequest({ cookie: pair });
    expect(repeated.response.headers.get("set-cookie")?.split(";")[0]).toBe(pair);
  });

  it("omits an unknown device", async () => {
    const { open } = await startLinkRequest({ "user-agent": "curl/8.5.0" });
    expect(await open()).not.toContain("<dt>Device</dt>");
  });
});
