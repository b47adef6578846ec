import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { auth_codes, event_log, sessions, sign_in_requests } from "../../../db/identity/schema";
import type { IdentityBindings, ServiceMessage } from "../../../workers/identity/bindings";
import worker, { IdentityRpc } from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  type Mailbox,
  requestLink,
  signIn,
} from "../../support/identity/identity";
import { countRows, entriesOf, readRows, updateRows } from "../../support/identity/rows";
import { isolatedLocks, tick, unreleased } from "../../support/jobs/jobs";

/** Returns an environment that keeps queue messages, so that a test can deliver or lose each one. */
function envWithHeldQueue(mailbox: Mailbox, vars: Record<string, string | undefined> = {}) {
  const queued: ServiceMessage[] = [];
  const queue = { send: async (message: ServiceMessage) => void queued.push(message) };
  const env = { ...identityEnv(mailbox, vars), SERVICE_QUEUE: queue as unknown as IdentityBindings["SERVICE_QUEUE"] };
  return { env, queued };
}

async function requestLinkOfNewCompany(env: IdentityBindings) {
  const company = await createCompany();
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  const response = await callIdentity(env, "/api/v1/magic-link/request", json(body));
  return { company, status: response.status };
}

/** Returns the link mails of a company. Each is stored in the row of its link request. */
const mailsOf = async (company: number) =>
  (await readRows(sign_in_requests, eq(sign_in_requests.company_id, company))).map((row) => ({
    id: row.id,
    state: row.mail_state,
    attempts: row.mail_attempts,
    sealed: row.mail_sealed,
    last_error: row.mail_error,
  }));

/**
 * Returns the mails of one company that the email service received, because a sweep also sends due mails of other
 * tests.
 */
const sentFor = (mailbox: Mailbox, company: number) => mailbox.sent.filter((mail) => mail.company_id === company);

function advance(seconds: number): void {
  const base = clock.now;
  clock.now = () => base() + seconds * 1000;
}

describe("sign-in mail", () => {
  it("returns the same response while the email service is unavailable, and sends the mail in the next sweep", async () => {
    const mailbox = createMailbox([new Error("connection refused")]);
    const { env, queued } = envWithHeldQueue(mailbox);
    const { company, status } = await requestLinkOfNewCompany(env);
    expect(status).toBe(200);
    expect(queued).toHaveLength(1);
    expect(Object.keys(queued[0] ?? {}).sort()).toEqual(["company_id", "id", "kind", "request_id", "v"]);
    const failingMailbox = createMailbox(Array.from({ length: 50 }, () => new Response(null, { status: 503 })));
    advance(5);
    await tick(worker, envWithHeldQueue(failingMailbox).env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "waiting", attempts: 2, last_error: "http_503" });
    advance(10);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "sent", attempts: 3, sealed: null });
    expect(sentFor(mailbox, company.id)).toHaveLength(1);
    const [key] = sentFor(mailbox, company.id).map((mail) => mail.idempotency_key);
    expect(
      [mailbox.keys, failingMailbox.keys].map((keys) => keys.filter((attemptedKey) => attemptedKey === key).length),
    ).toEqual([2, 1]);
  });

  it("retries a mail of a dead sweep after 20 s", async () => {
    const mailbox = createMailbox([new Error("unavailable")]);
    const locks = await isolatedLocks();
    const env = { ...envWithHeldQueue(mailbox).env, BROKER: locks };
    await tick(worker, { ...env, BROKER: unreleased(locks) });
    const { company } = await requestLinkOfNewCompany(env);
    advance(15);
    await tick(worker, env);
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "waiting", attempts: 1 });
    advance(5);
    await tick(worker, env);
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "sent", attempts: 2 });
  });

  it("retries in the queue after 2, 6, 18 and 54 s, then in the sweep each minute, with the same idempotency key", async () => {
    const mailbox = createMailbox(Array.from({ length: 5 }, () => new Response(null, { status: 503 })));
    const delays: (number | undefined)[] = [];
    let queued: unknown;
    const send = async (message: ServiceMessage, options?: QueueSendOptions) => {
      queued = message;
      delays.push(options?.delaySeconds);
    };
    const env = { ...identityEnv(mailbox), SERVICE_QUEUE: { send } as unknown as IdentityBindings["SERVICE_QUEUE"] };
    const { company } = await requestLinkOfNewCompany(env);
    for (const wait of [2, 6, 18, 54]) {
      advance(wait);
      const message = { id: "m", timestamp: new Date(), attempts: 1, body: queued, ack: () => {}, retry: () => {} };
      const ctx = createExecutionContext();
      await worker.queue({ queue: "identity-service", messages: [message] } as never, env, ctx);
    }
    expect([delays, (await mailsOf(company.id))[0]?.attempts]).toEqual([[2, 6, 18, 54], 5]);
    advance(61);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "sent", attempts: 6 });
    expect(new Set(mailbox.keys).size).toBe(1);
  });

  it("sends a mail once when its queue message is delivered ten times concurrently", async () => {
    const mailbox = createMailbox([new Error("unavailable")]);
    const { env, queued } = envWithHeldQueue(mailbox);
    const { company } = await requestLinkOfNewCompany(env);
    advance(3);
    const acknowledged: string[] = [];
    const message = (index: number) => ({
      id: String(index),
      timestamp: new Date(),
      attempts: 1,
      body: queued[0],
      ack: () => void acknowledged.push(String(index)),
      retry: () => {},
    });
    const batch = { queue: "identity-service", messages: Array.from({ length: 10 }, (_, index) => message(index)) };
    const ctx = createExecutionContext();
    await worker.queue(batch as unknown as MessageBatch<ServiceMessage>, env, ctx);
    expect(acknowledged).toHaveLength(10);
    expect(mailbox.sent).toHaveLength(1);
    expect((await mailsOf(company.id))[0]?.state).toBe("sent");
  });

  it("resends with the same idempotency key when the consumer died after the call and its lease has expired", async () => {
    const mailbox = createMailbox([new Error("the response was lost")]);
    const { env } = envWithHeldQueue(mailbox);
    const { company } = await requestLinkOfNewCompany(env);
    const [row] = await mailsOf(company.id);
    // Simulates the state that a dead consumer leaves: the mail is claimed and sent, but no result is stored.
    const claimed = { mail_lease: "dead", mail_locked_until: clock.now() + 30_000, mail_next_at: 0 };
    await updateRows(sign_in_requests, claimed, eq(sign_in_requests.id, row?.id ?? ""));
    await tick(worker, env, "* * * * *");
    expect(sentFor(mailbox, company.id)).toHaveLength(0);
    advance(31);
    await tick(worker, env, "* * * * *");
    expect(sentFor(mailbox, company.id)).toHaveLength(1);
    expect(mailbox.keys[0]).toBe(sentFor(mailbox, company.id)[0]?.idempotency_key);
  });

  it.each([400, 401, 403, 405, 410, 413, 422])(
    "fails immediately on %i, erases the content and writes an event",
    async (status) => {
      const mailbox = createMailbox([new Response(null, { status })]);
      const { env } = envWithHeldQueue(mailbox);
      const { company } = await requestLinkOfNewCompany(env);
      expect((await mailsOf(company.id))[0]).toMatchObject({
        state: "failed",
        sealed: null,
        last_error: `http_${status}`,
      });
      const events = await entriesOf(company.id);
      expect(events.at(-1)?.event_type).toBe("identity.auth.magic_link.mail_failed");
      expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({ failure_reason: `http_${status}` });
    },
  );

  it("retries after a 409, with and without Retry-After, with the same idempotency key until the mail is accepted", async () => {
    const paused = new Response(null, { status: 409, headers: { "retry-after": "60" } });
    const mailbox = createMailbox([new Response(null, { status: 409 }), paused]);
    const { env, queued } = envWithHeldQueue(mailbox);
    const { company } = await requestLinkOfNewCompany(env);
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "waiting", attempts: 1, last_error: "http_409" });
    expect(queued).toHaveLength(1);
    for (const seconds of [3, 30, 31]) {
      advance(seconds);
      await tick(worker, env, "* * * * *");
    }
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "sent", attempts: 3 });
    expect([mailbox.keys.length, new Set(mailbox.keys).size]).toEqual([3, 1]);
  });

  it("expires 300 s after the request and erases the content", async () => {
    const mailbox = createMailbox([new Error("unavailable")]);
    const { env } = envWithHeldQueue(mailbox);
    const { company } = await requestLinkOfNewCompany(env);
    advance(301);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "expired", sealed: null });
    expect(sentFor(mailbox, company.id)).toHaveLength(0);
  });

  it("waits for Retry-After and fails with email_not_configured without a key", async () => {
    const mailbox = createMailbox([new Response(null, { status: 429, headers: { "retry-after": "40" } })]);
    const { env } = envWithHeldQueue(mailbox);
    const { company } = await requestLinkOfNewCompany(env);
    advance(30);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]?.attempts).toBe(1);
    const unset = envWithHeldQueue(createMailbox(), { EMAIL_SERVICE_API_KEY: "" });
    const other = await requestLinkOfNewCompany(unset.env);
    expect((await mailsOf(other.company.id))[0]).toMatchObject({ state: "failed", last_error: "email_not_configured" });
  });

  it("waits for an HTTP date in Retry-After", async () => {
    const retryAt = new Date(clock.now() + 40_000).toUTCString();
    const { env } = envWithHeldQueue(
      createMailbox([new Response(null, { status: 503, headers: { "retry-after": retryAt } })]),
    );
    const { company } = await requestLinkOfNewCompany(env);
    advance(30);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]?.attempts).toBe(1);
    advance(15);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "sent", attempts: 2 });
  });

  it("expires at its deadline when Retry-After is later", async () => {
    const tooManyRequests = new Response(null, { status: 429, headers: { "retry-after": "600" } });
    const { env } = envWithHeldQueue(createMailbox([tooManyRequests]));
    const { company } = await requestLinkOfNewCompany(env);
    advance(299);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "waiting", attempts: 1 });
    advance(2);
    await tick(worker, env, "* * * * *");
    expect((await mailsOf(company.id))[0]).toMatchObject({ state: "expired", sealed: null, last_error: "http_429" });
  });

  it("logs once that the email service key is missing", async () => {
    const lines: string[] = [];
    const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    const errors = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    await requestLinkOfNewCompany(envWithHeldQueue(createMailbox(), { EMAIL_SERVICE_API_KEY: "" }).env);
    spy.mockRestore();
    errors.mockRestore();
    const warnings = lines.filter(
      (line) => line.includes("email_not_configured") || line.includes("EMAIL_SERVICE_API_KEY"),
    );
    expect(warnings).toHaveLength(1);
  });

  it("keeps the link out of the database and every secret and address out of the log", async () => {
    const lines: string[] = [];
    const spies = (["log", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...args) => void lines.push(args.join(" "))),
    );
    const mailbox = createMailbox([new Error("unavailable")]);
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const body = { company_id: company.id, email, redirect_to: company.origin };
    await callIdentity(env, "/api/v1/magic-link/request", json(body));
    const { token, code } = await requestLink(env, mailbox, company, email);
    await callIdentity(env, "/api/v1/magic-link/verify", json({ token: "wrong", company_id: company.id }));
    for (const spy of spies) spy.mockRestore();
    const log = lines.join("\n");
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of [email, token, code]) expect(log).not.toContain(secret);
    const stored = JSON.stringify([
      await mailsOf(company.id),
      await readRows(sign_in_requests, eq(sign_in_requests.company_id, company.id)),
    ]);
    for (const secret of [token, code, code.replace("-", "")]) expect(stored).not.toContain(secret);
  });
});

describe("introspection over RPC", () => {
  const rpc = (env: IdentityBindings) => new IdentityRpc(createExecutionContext(), env);

  it("returns the current values of a session, and rejects an ended session", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const userId = await createUser({ email, company: company.id, owner: true });
    const tokens = await signIn(env, mailbox, company, email);
    const input = { token: tokens.access_token, method: "POST" };
    expect(await rpc(env).introspect(input)).toMatchObject({
      active: true,
      kind: "session",
      user_id: userId,
      company_id: company.id,
      is_company_owner: true,
      is_staff: false,
    });
    expect(await rpc(env).introspect({ ...input, company_id: company.id + 1 })).toEqual({
      active: false,
      status: 403,
      error_code: "company_mismatch",
    });
    await callIdentity(env, "/api/v1/logout", {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await rpc(env).introspect(input)).toEqual({ active: false, status: 401, error_code: "token_invalid" });
    expect(await rpc(env).company({ company_id: company.id })).toMatchObject({ id: company.id });
    expect(await rpc(env).company({ company_id: 99_999_999 })).toBeNull();
  });
});

describe("purge of identity's rows", () => {
  it("deletes rows that ended before their retention, and keeps the others", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    await signIn(env, mailbox, company, email);
    await tick(worker, env, "17 * * * *");
    const tables = [sign_in_requests, sessions, event_log, auth_codes] as const;
    const counts = () => Promise.all(tables.map((table) => countRows(table, eq(table.company_id, company.id))));
    expect((await counts()).slice(0, 2)).toEqual([1, 1]);
    advance(15 * 86_400);
    await tick(worker, env, "17 * * * *");
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });
});
