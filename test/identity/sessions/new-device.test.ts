import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { mail_outbox, sessions } from "../../../db/identity/schema";
import worker from "../../../workers/identity/worker";
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
  type Tokens,
} from "../../support/identity/identity";
import { changeCompany, rowsOfCompany, updateRows } from "../../support/identity/rows";

/** Delivers a queue message to the Worker. */
async function deliver(env: ReturnType<typeof identityEnv>, body: object): Promise<void> {
  const ctx = createExecutionContext();
  const message = { id: "m", timestamp: new Date(), attempts: 1, body, ack: () => undefined, retry: () => undefined };
  await worker.queue({ queue: "identity-service", messages: [message] } as never, env, ctx);
  await waitOnExecutionContext(ctx);
}

const TYPE = "identity.auth.login.new_device_detected";
const agents = {
  laptop: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
  newer: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
  phone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
};
type Agent = keyof typeof agents;

/** Creates a company with or without mails about new devices and, unless `isNew`, a user who signs in on several devices. */
async function setUp({ isOn: isEnabled = true, isNew = false, staff = false } = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  if (isEnabled) await changeCompany(company.id, { notify_new_device: true });
  const email = freshEmail();
  if (!isNew) await createUser({ email, company: company.id, staff });
  const headers = (agent: Agent) => ({ "user-agent": agents[agent] });
  const cf = { cf: { country: "FR" } } as unknown as RequestInit;
  const signIn = async (agent: Agent, responses: Error[] = []): Promise<Tokens> => {
    const { token } = await requestLink(env, mailbox, company, email);
    mailbox.answers.push(...responses);
    const body = { token, company_id: company.id };
    return (await callIdentity(env, "/api/v1/magic-link/verify", { ...cf, ...json(body, headers(agent)) })).json();
  };
  /** Signs in with the confirmation page and an auth code, which the application's server redeems. */
  const signInByCode = async (agent: Agent) => {
    const { token } = await requestLink(env, mailbox, company, email);
    const csrf = "c".repeat(43);
    const form = await callIdentity(env, "/api/v1/magic-link/verify", {
      ...cf,
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        cookie: `platform_csrf=${csrf}`,
        ...headers(agent),
      },
      body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }).toString(),
    });
    const location = new URL(form.headers.get("location") ?? "");
    const code = location.searchParams.get("platform_auth_code");
    const body = { auth_code: code, redirect_to: `${company.origin}/login/callback` };
    await callIdentity(env, "/api/v1/oauth/session", json(body, { "user-agent": "node" }));
  };
  const notices = () => mailbox.sent.filter((mail) => mail.template_key === TYPE);
  const open = async (method: "GET" | "POST" | "HEAD", token: string, overrides: Record<string, string> = {}) => {
    const isPost = method === "POST";
    const response = await callIdentity(env, `/api/v1/session-end${isPost ? "" : `?token=${token}`}`, {
      method,
      headers: {
        accept: "text/html",
        ...(isPost ? { "content-type": "application/x-www-form-urlencoded" } : {}),
        ...overrides,
      },
      ...(isPost ? { body: new URLSearchParams({ token }).toString() } : {}),
    });
    return { status: response.status, text: await response.clone().text(), response };
  };
  const endToken = (index: number) =>
    new URL(notices()[index]?.variables.session_end_url ?? "").searchParams.get("token") ?? "";
  const user = async (tokens: Tokens) =>
    (await callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${tokens.access_token}` } })).status;
  return { env, mailbox, company, email, signIn, signInByCode, notices, open, endToken, user };
}

describe("sign-in on a new device", () => {
  it("sends one mail per device if the company has enabled it", async () => {
    const { signIn, notices, email, company } = await setUp();
    await signIn("laptop");
    await signIn("newer");
    await signIn("phone");
    expect(notices().map(({ to, variables }) => [to[0]?.email, variables.device])).toEqual([
      [email, "Firefox on Linux"],
      [email, "Safari on iPhone"],
    ]);
    expect(notices()[0]?.variables).toMatchObject({
      recipient_name: "Mina",
      country: "France",
      signed_in_at: expect.stringContaining("UTC"),
    });
    expect(notices()[0]).not.toHaveProperty("use_platform_sender");
    const stored = await rowsOfCompany(mail_outbox, company.id);
    expect(stored.map(({ kind, state, sealed }) => [kind, state, sealed])).toEqual([
      ["new_device", "sent", null],
      ["new_device", "sent", null],
    ]);
  });

  it("names the browser that signed in, not the server that redeems the auth code", async () => {
    const { signInByCode, notices } = await setUp();
    await signInByCode("phone");
    await signInByCode("phone");
    expect(notices().map(({ variables }) => variables.device)).toEqual(["Safari on iPhone"]);
  });

  it("sends no mail if the company has not enabled it, or for the first device of a new account", async () => {
    const disabled = await setUp({ isOn: false });
    await disabled.signIn("laptop");
    await disabled.signInByCode("phone");
    const newAccount = await setUp({ isNew: true });
    await newAccount.signIn("laptop");
    await newAccount.signIn("laptop");
    expect([disabled.notices(), newAccount.notices()]).toEqual([[], []]);
    await newAccount.signIn("phone");
    expect(newAccount.notices()).toHaveLength(1);
  });

  it("names the company by its slug in the mail when the company's name has no visible character", async () => {
    const { signIn, notices, company } = await setUp();
    await changeCompany(company.id, { name: "\u200b" });
    await signIn("laptop");
    expect(notices().map(({ variables }) => variables.company_name)).toEqual([
      new URL(company.origin).hostname.replace(".example.com", ""),
    ]);
  });

  it("uses the platform's own sender for staff", async () => {
    const { signIn, notices } = await setUp({ staff: true });
    await signIn("laptop");
    expect(notices()).toMatchObject([{ use_platform_sender: true }]);
  });

  it("sends the mail once when the email service is available again", async () => {
    const { env, signIn, notices, company } = await setUp();
    await signIn("laptop", [new Error("unavailable")]);
    const [waiting] = await rowsOfCompany(mail_outbox, company.id);
    expect([waiting?.state, waiting?.attempts, notices()]).toEqual(["waiting", 1, []]);
    await updateRows(mail_outbox, { next_at: 0 }, eq(mail_outbox.company_id, company.id));
    const message = { v: 1, kind: "mail", id: waiting?.id ?? "", request_id: "later" };
    for (const _ of [1, 2]) await deliver(env, message);
    expect(notices()).toHaveLength(1);
    expect(await rowsOfCompany(mail_outbox, company.id)).toMatchObject([{ state: "sent", attempts: 2 }]);
  });
});

describe("link of the new-device mail", () => {
  it("shows a page whose button ends only that session", async () => {
    const { signIn, open, endToken, user } = await setUp();
    const [laptop, phone] = [await signIn("laptop"), await signIn("phone")];
    for (const method of ["GET", "HEAD", "GET"] as const) {
      const { status, response } = await open(method, endToken(1));
      expect([status, response.headers.get("set-cookie")]).toEqual([200, null]);
    }
    expect(await user(phone)).toBe(200);
    const confirmation = await open("GET", endToken(1));
    expect(confirmation.text).toContain("End this session?");
    expect(confirmation.text).toContain("<dd>Safari on iPhone</dd>");
    expect(confirmation.response.headers.get("content-security-policy")).toMatch(/form-action 'self'$/);
    expect((await open("POST", endToken(1))).text).toContain("This session has ended");
    expect([await user(phone), await user(laptop)]).toEqual([401, 200]);
    for (const method of ["GET", "POST"] as const) {
      const { status, text } = await open(method, endToken(1));
      expect([status, text.includes("This session has ended"), text.includes("<form")]).toEqual([200, true, false]);
    }
    expect(await user(laptop)).toBe(200);
  });

  it("rejects modified tokens and a session id with the MAC of another session, and says that an expired session has ended", async () => {
    const { signIn, open, endToken, user, company } = await setUp();
    const [laptop] = [await signIn("laptop"), await signIn("phone")];
    const [sid = "", mac = ""] = endToken(1).split(".");
    const [other = ""] = endToken(0).split(".");
    for (const bad of ["", sid, `${other}.${mac}`, `${sid}.${"A".repeat(43)}`, "x".repeat(500), `${endToken(0)}x`]) {
      for (const method of ["GET", "POST"] as const) {
        const { status, text } = await open(method, bad, { "accept-language": "fr" });
        expect([status, text.includes("Ce lien n’est pas valide")]).toEqual([404, true]);
      }
    }
    expect(await user(laptop)).toBe(200);
    await updateRows(sessions, { absolute_expires_at: 1 }, eq(sessions.company_id, company.id));
    expect((await open("GET", endToken(0))).text).toContain("This session has ended");
  });

  it("shows the page and sends the mail in the user's language, with the company's name on the page", async () => {
    const { signIn, open, endToken, env, notices } = await setUp();
    const tokens = await signIn("laptop");
    await callIdentity(env, "/api/v1/preferences", {
      method: "PUT",
      body: JSON.stringify({ language: "fr", region: "Europe/Paris" }),
      headers: { "content-type": "application/json", authorization: `Bearer ${tokens.access_token}` },
    });
    await signIn("phone");
    const { text } = await open("GET", endToken(1));
    expect(text).toMatch(
      /<p class="brand"><span class="mark"[^>]*>A<\/span><span dir="auto">Aster [0-9]+<\/span><\/p>/,
    );
    expect(text).toContain("<dd>Safari sur iPhone</dd>");
    expect(notices()[1]).toMatchObject({ language: "fr", variables: { device: "Safari sur iPhone" } });
  });
});

it.each([
  ["en", "Too many attempts", /Try again in \d+ (second|minute)s?\./],
  ["fr", "Trop de tentatives", /Réessayez dans \d+\s(seconde|minute)s?\./],
])("shows how long to wait after too many attempts (%s)", async (language, title, wait) => {
  const env = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/min" });
  const init = { ip: freshIp(), headers: { accept: "text/html", "accept-language": language } };
  await callIdentity(env, "/api/v1/session-end?token=x", init);
  const response = await callIdentity(env, "/api/v1/session-end?token=x", init);
  expect(response.status).toBe(429);
  const page = await response.text();
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toMatch(wait);
});
