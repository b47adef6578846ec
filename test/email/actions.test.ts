import { afterEach, describe, expect, it, vi } from "vitest";
import type { ManagementLine } from "../../schemas/management";
import type { EmailBindings } from "../../workers/email/bindings";
import { deliverNow } from "../../workers/email/jobs/deliver";
import { unsubscribeUrl } from "../../workers/email/rules/unsubscribe";
import worker from "../../workers/email/worker";
import { sign } from "../../workers/kit/actions/sign";
import { clock } from "../../workers/kit/clock";
import { bytesToBase64 } from "../../workers/kit/crypto/encoding";
import { createKey, type EmailHarness, startEmail, testEnv } from "../support/email";
import { consume, deliveriesOf, eventsOfCompany, storedEvents, storeRule } from "../support/email-events";
import { ownLocks, tick } from "../support/jobs";
import { createNetwork } from "../support/network";
import { execute, freshCompany, startDelivery, storeMessage, testSettings } from "./delivery-harness";

const OPERATOR_KEY = `opk_${"e".repeat(40)}`;
const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

/** Sends a message of the company, so that its event is stored; answers the message id. */
async function sendOne(companyId: number, columns: Parameters<typeof storeMessage>[1] = {}): Promise<string> {
  const harness = startDelivery();
  const id = await storeMessage(companyId, { to_user_id: 5, ...columns });
  await deliverNow(harness.build(), [id], "auth");
  clock.now = systemNow;
  return id;
}

/** Makes the first attempts of a company's deliveries through the queue. */
async function attempt(email: EmailHarness, companyId: number): Promise<void> {
  const ids = (await deliveriesOf(companyId)).map(({ id }) => id);
  await consume(email.bindings, "webhooks-email", [{ v: 1, kind: "first", ids, request_id: "r" }]);
}

async function command(email: EmailHarness, name: string, flags: unknown): Promise<ManagementLine> {
  const response = await email.call(`/api/v1/management/${name}`, { bearer: OPERATOR_KEY, json: { flags } });
  const lines = (await response.text()).trim().split("\n");
  return JSON.parse(lines.at(-1) ?? "") as ManagementLine;
}

describe("a webhook of email", () => {
  it("carries the opened envelope, signed, under the headers of the service", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = freshCompany();
    const rule = await storeRule(company, "email.message.sent");
    const message = await sendOne(company);
    await attempt(email, company);
    expect(network.received).toHaveLength(1);
    const [post] = network.received;
    if (post === undefined) throw new Error("nothing was received");
    const header = (name: string) => post.headers.get(name) ?? "";
    const [event] = await storedEvents(company);
    expect(post.body).toBe(
      `{"company":{"id":${company}},"data":{"event_type":"identity.auth.magic_link.requested","lane":"auth",` +
        `"message_id":"msg_${message}","service":"identity","template_key":"identity.auth.magic_link.requested",` +
        `"to_email":"mina@example.com","to_user_id":5},"id":"${event?.event_id}",` +
        `"time":"${JSON.parse(post.body).time}","type":"email.message.sent"}`,
    );
    expect(JSON.parse(post.body).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect([header("user-agent"), header("x-platform-event"), header("x-platform-delivery-attempt")]).toEqual([
      ...["platform-email-webhooks/1.0", "email.message.sent", "1"],
    ]);
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post.body };
    expect(header("webhook-signature")).toBe(await sign([rule.secret], signed));
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered", attempt_count: 1 }]);
  });

  it("waits, and is not sent, while the key that sealed its envelope is missing", async () => {
    const network = createNetwork();
    const email = await startEmail({ vars: { EMAIL_VARIABLES_KEY: bytesToBase64(new Uint8Array(32).fill(99)) } });
    const company = freshCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    await attempt(email, company);
    expect(network.received).toEqual([]);
    expect(await deliveriesOf(company)).toMatchObject([
      { status: "pending", attempt_count: 0, last_error_code: "secret_unavailable" },
    ]);
    await attempt(await startEmail(), company);
    expect(network.received).toEqual([]);
  });

  it("whose doorbell was lost is sent by the next due retry run, with its request id", async () => {
    const network = createNetwork();
    const email = await startEmail({ vars: { BROKER: (await ownLocks()) as never } });
    const company = freshCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    const at = Date.now() + 31_000;
    clock.now = () => at;
    await tick(worker, email.bindings);
    const own = network.received.filter(({ body }) => body.includes(`"id":${company}}`));
    expect(own.map(({ headers }) => headers.get("x-request-id"))).toEqual([expect.stringMatching(/^sjr-\d+$/)]);
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered" }]);
  });

  it("is not helped by what email-service cannot read", async () => {
    const email = await startEmail();
    const past = { v: 1, kind: "drain", run_id: 1, fence: null, run_start: 1, deadline: 2 };
    await consume(email.bindings, "email-service", [null, { v: 2 }, past]);
  });
});

describe("a callback of a service client", () => {
  const callbackUrl = "https://caller.example.com/mail";

  async function startCalledBack(flags: Record<string, unknown> = { callback_url: callbackUrl }) {
    const network = createNetwork();
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const line = await command(email, "issue_service_key", {
      service: `s${crypto.randomUUID().slice(0, 8)}`,
      ...flags,
    });
    const text = "line" in line ? line.line : "";
    const [, id, key = "", secret = ""] =
      /^id=(\d+)\nprefix=esk_\S{8}\n(esk_\S{43})(?:\ncallback_secret=(whsec_\S+))?$/.exec(text) ?? [];
    return { network, email, clientId: Number(id), key, secret, line };
  }

  it("gets the same envelope, signed with its own secret, and no event of the unsubscribe page", async () => {
    const { network, email, clientId, key, secret } = await startCalledBack();
    expect(key).not.toBe("");
    const company = freshCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company, { client_id: clientId });
    await unsubscribe(email, company);
    expect((await deliveriesOf(company)).map(({ kind, rule_id, host }) => [kind, rule_id, host])).toEqual([
      ["webhook", expect.any(Number), "hooks.example.com"],
      ["callback", -(1e12 + clientId), "caller.example.com"],
    ]);
    await attempt(email, company);
    const posts = new Map(network.received.map((post) => [post.url, post]));
    const post = posts.get(callbackUrl);
    if (post === undefined) throw new Error("no callback");
    expect(post.body).toBe(posts.get("https://hooks.example.com/x")?.body);
    const header = (name: string) => post.headers.get(name) ?? "";
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post.body };
    expect(header("webhook-signature")).toBe(await sign([secret], signed));
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const owner = await email.token({ companyId: company, isOwner: true });
    const [webhook, callback] = await deliveriesOf(company);
    expect((await email.call(`/api/v1/actions/deliveries/${webhook?.id}`, { bearer: owner })).status).toBe(200);
    expect((await email.call(`/api/v1/actions/deliveries/${callback?.id}`, { bearer: owner })).status).toBe(404);
  });

  it("goes to the URL of now with the secret of now; a revoked client gets none", async () => {
    const { network, email, clientId } = await startCalledBack();
    const company = freshCompany();
    await sendOne(company, { client_id: clientId });
    const url = "https://moved.example.com:8443/mail";
    const line = await command(email, "issue_service_key", { id: clientId, callback_url: url });
    const secret = /callback_secret=(\S+)$/.exec("line" in line ? line.line : "")?.[1] ?? "";
    expect(await deliveriesOf(company)).toMatchObject([{ host: "moved.example.com:8443" }]);
    await attempt(email, company);
    const [post] = network.received;
    const header = (name: string) => post?.headers.get(name) ?? "";
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post?.body ?? "" };
    expect([post?.url, header("webhook-signature")]).toEqual([url, await sign([secret], signed)]);

    await sendOne(company, { client_id: clientId });
    const staff = await email.token({ isStaff: true });
    const revoke = { method: "POST", bearer: staff };
    expect((await email.call(`/api/v1/service-clients/${clientId}/revoke`, revoke)).status).toBe(200);
    await attempt(email, company);
    expect(network.received).toHaveLength(1);
    expect(await deliveriesOf(company)).toMatchObject([
      { status: "delivered" },
      { status: "dead", last_error_code: "rule_deleted" },
    ]);
    await sendOne(company, { client_id: clientId });
    expect(await deliveriesOf(company)).toHaveLength(2);
    expect(await command(email, "issue_service_key", { id: clientId, callback_url: url })).toMatchObject({
      ...{ exit_code: 1, line: expect.stringContaining("revoked") },
    });
  });

  it("is not made for a client without URL or secret", async () => {
    const { clientId } = await startCalledBack({});
    const other = await createKey();
    await execute("UPDATE service_clients SET callback_url = 'https://a.example.com/' WHERE id = ?", other.id);
    const company = freshCompany();
    await sendOne(company, { client_id: clientId });
    await sendOne(company, { client_id: other.id });
    expect(await deliveriesOf(company)).toEqual([]);
    expect(await storedEvents(company)).toHaveLength(2);
  });

  it.each([
    ["http://caller.example.com/", "https is required"],
    ["https://127.0.0.1/", "not_public"],
    ["https://private.example.com/", "not_public"],
    ["https://u:p@caller.example.com/", "credentials"],
  ])("to %s is refused", async (url, words) => {
    const network = createNetwork();
    network.names["private.example.com"] = ["10.0.0.1"];
    const email = await startEmail({ vars: { OPERATOR_KEY, ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" } });
    const line = await command(email, "issue_service_key", { service: "x", callback_url: url });
    expect(line).toMatchObject({ exit_code: 1, line: expect.stringContaining(words) });
  });

  it("waits while the key that sealed its secret is missing", async () => {
    const { network, clientId } = await startCalledBack();
    const company = freshCompany();
    await sendOne(company, { client_id: clientId });
    const other = bytesToBase64(new Uint8Array(32).fill(98));
    await attempt(await startEmail({ vars: { EMAIL_CREDENTIALS_KEY: other } }), company);
    expect(network.received).toEqual([]);
    expect(await deliveriesOf(company)).toMatchObject([{ status: "pending", last_error_code: "secret_unavailable" }]);
  });
});

describe("create_service_key", () => {
  it("prints id, prefix and a key that works", async () => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const service = `s${crypto.randomUUID().slice(0, 8)}`;
    const flags = { service, lanes: "auth,transactional", prefixes: "identity.", companies: "7, 8", name: "Label" };
    const line = await command(email, "create_service_key", flags);
    const [, id, key = ""] = /^id=(\d+)\nprefix=esk_\S{8}\n(esk_\S{43})$/.exec("line" in line ? line.line : "") ?? [];
    const staff = await email.token({ isStaff: true });
    const { clients } = await (await email.call("/api/v1/service-clients?limit=200", { bearer: staff })).json<{
      clients: { id: number }[];
    }>();
    expect(clients.find((client) => client.id === Number(id))).toMatchObject({
      ...{ service, name: "Label", allowed_lanes: ["auth", "transactional"], allowed_template_prefixes: ["identity."] },
      ...{ allowed_company_ids: [7, 8], has_callback: false, active: true },
    });
    expect((await email.call("/api/v1/catalog", { bearer: key })).status).toBe(200);
  });

  it.each([
    [{ service: "Bad Name" }, "service: invalid"],
    [{ service: "x", lanes: "fast" }, "allowed_lanes"],
    [{ service: "x", companies: "seven" }, "allowed_company_ids"],
  ])("refuses %j", async (flags, words) => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    expect(await command(email, "create_service_key", flags)).toMatchObject({
      ...{ exit_code: 1, line: expect.stringContaining(words) },
    });
  });

  it("is refused to owners, and without a service", async () => {
    const email = await startEmail({ vars: { OPERATOR_KEY } });
    const owner = await email.token({ companyId: freshCompany(), isOwner: true });
    const call = (bearer: string) =>
      email.call("/api/v1/management/create_service_key", { bearer, json: { flags: {} } });
    expect((await call(owner)).status).toBe(403);
    expect((await call(OPERATOR_KEY)).status).toBe(400);
    expect(await command(email, "issue_service_key", {})).toMatchObject({ exit_code: 1 });
  });
});

/** Leaves the company's transactional mail by the page; answers the D1 calls it took. */
async function unsubscribe(email: EmailHarness, company: number, hmac = "a".repeat(64)): Promise<number> {
  const url = await unsubscribeUrl(testSettings(), company, "transactional", hmac);
  const response = await email.call(url.slice(testSettings().publicBaseUrl.length), { method: "POST" });
  expect(response.status).toBe(200);
  return email.acceptTripsOf(response);
}

describe("an unsubscribe", () => {
  it("is told once, with the address of a stored message, in two round trips", async () => {
    const email = await startEmail();
    const company = freshCompany();
    const hmac = "b".repeat(64);
    await storeRule(company, "email.unsubscribe.created");
    await storeMessage(company, { email_hmac: hmac, to_user_id: 5 });
    expect([await unsubscribe(email, company, hmac), await unsubscribe(email, company, hmac)]).toEqual([2, 2]);
    const data = { category: "transactional", source: "one_click", email_hmac: hmac, newsletter_id: null };
    expect(await eventsOfCompany(company)).toEqual([
      { type: "email.unsubscribe.created", data: { ...data, to_email: "mina@example.com", to_user_id: 5 } },
    ]);
    expect(await deliveriesOf(company)).toHaveLength(1);
    await unsubscribe(email, company);
    expect((await eventsOfCompany(company))[1]?.data).toMatchObject({ to_email: null, to_user_id: null });
  });

  it("with a bad token tells nothing", async () => {
    const email = await startEmail();
    const company = freshCompany();
    const path = `/u/${company}.bulk.${"a".repeat(64)}.${"b".repeat(64)}`;
    expect((await email.call(path, { method: "POST" })).status).toBe(404);
    expect(await storedEvents(company)).toEqual([]);
  });
});

describe("the API of Actions", () => {
  type Rows = { results: { id: number; data: Record<string, unknown> }[] };

  it("shows addresses masked in lists of the event log, in full in details, and nobody else's", async () => {
    createNetwork();
    const email = await startEmail();
    const company = freshCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    const owner = await email.token({ companyId: company, isOwner: true });
    const stranger = await email.token({ companyId: company + 1_000_000_000, isOwner: true });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    const [row] = list.results;
    expect(row?.data).toMatchObject({ to_email: "m***@example.com", to_user_id: 5 });
    const path = `/api/v1/actions/event-log/${row?.id}`;
    expect(await (await email.call(path, { bearer: owner })).json()).toMatchObject({
      ...{ label: "Message sent", data: { to_email: "mina@example.com" } },
    });
    expect((await email.call(path, { bearer: stranger })).status).toBe(404);
    const [delivery] = await deliveriesOf(company);
    const detail = await email.call(`/api/v1/actions/deliveries/${delivery?.id}`, { bearer: owner });
    expect(await detail.json()).toMatchObject({
      envelope: { company: { id: company }, data: { to_email: "mina@example.com" } },
    });
  });

  it("replays an event with the same sealed envelope", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = freshCompany();
    await sendOne(company);
    const rule = await storeRule(company, "email.message.sent");
    const owner = await email.token({ companyId: company, isOwner: true, userId: company });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    const path = `/api/v1/actions/event-log/${list.results[0]?.id}/replay`;
    expect((await email.call(path, { bearer: owner, json: { action_rule_id: rule.id } })).status).toBe(201);
    const [event] = await storedEvents(company);
    const [delivery] = await deliveriesOf(company);
    expect([delivery?.body, delivery?.subject_hmac]).toEqual([event?.envelope, event?.subject_hmac]);
    await attempt(email, company);
    expect(JSON.parse(network.received[0]?.body ?? "{}").data.to_email).toBe("mina@example.com");
  });

  it("shows data that do not open as an error with its code", async () => {
    const company = freshCompany();
    await sendOne(company);
    const email = await startEmail({ vars: { EMAIL_VARIABLES_KEY: bytesToBase64(new Uint8Array(32).fill(97)) } });
    const owner = await email.token({ companyId: company, isOwner: true });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    expect(list.results[0]?.data).toEqual({ error_code: "data_unreadable" });
  });

  it("names the eleven events, each with a sample, and platform events to staff alone", async () => {
    const email = await startEmail();
    const company = freshCompany();
    const owner = await email.token({ companyId: company, isOwner: true });
    const events = await (await email.call("/api/v1/actions/events", { bearer: owner })).json<{
      results: { type: string; payload_fields: unknown[]; sample_envelope: { company: unknown } }[];
    }>();
    expect(events.results).toHaveLength(11);
    for (const { payload_fields, sample_envelope } of events.results) {
      expect(payload_fields.length).toBeGreaterThan(4);
      expect(sample_envelope.company).toEqual({ id: company });
    }
  });
});

describe("an erasure", () => {
  it("ends what waits, masks the address in events and deliveries, and leaves those of others", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = freshCompany();
    await storeRule(company, "email.message.sent");
    const { hashAddress } = await import("../../workers/email/rules/address");
    const { keysOf } = await import("../../workers/email/keys");
    const [pepper = new Uint8Array()] = (await keysOf(testEnv)).peppers;
    const hash = await hashAddress(pepper, "mina@example.com");
    const other = await hashAddress(pepper, "leo@example.com");
    await sendOne(company, { email_hmac: hash });
    await attempt(email, company);
    await sendOne(company, { email_hmac: hash });
    await sendOne(company, { email_hmac: other, to: "leo@example.com" });
    // The event of this one has been purged.
    await sendOne(company, { email_hmac: hash });
    const purged = (await storedEvents(company)).at(-1)?.event_id ?? "";
    await execute("DELETE FROM event_log WHERE event_id = ?", purged);
    const staff = await email.token({ isStaff: true });
    const json = { company_id: company, email: "Mina@example.com" };
    const response = await email.call("/api/v1/privacy/erase", { bearer: staff, json });
    expect(await response.json()).toMatchObject({ deleted_messages: 3, email_masked: "m***@example.com" });

    const told = (await eventsOfCompany(company)).map(({ data }) => data.to_email);
    expect(told).toEqual(["m***@example.com", "m***@example.com", "leo@example.com"]);
    const deliveries = await deliveriesOf(company);
    expect(deliveries.map(({ status, last_error_code }) => [status, last_error_code])).toEqual([
      ["delivered", null],
      ["dead", "erased"],
      ["pending", null],
      ["dead", "erased"],
    ]);
    expect(deliveries.map(({ subject_hmac }) => subject_hmac)).toEqual([null, null, other, null]);
    const owner = await email.token({ companyId: company, isOwner: true });
    const shown = await Promise.all(
      deliveries.map(async ({ id }) => {
        const detail = await email.call(`/api/v1/actions/deliveries/${id}`, { bearer: owner });
        return (await detail.json<{ envelope: { data?: { to_email: string } } }>()).envelope.data?.to_email;
      }),
    );
    expect(shown).toEqual(["m***@example.com", "m***@example.com", "leo@example.com", undefined]);
    const { results } = await testEnv.DB.prepare("SELECT id FROM erasures WHERE company_id = ?").bind(company).all();
    expect(results).toEqual([]);
    await attempt(email, company);
    const sent = network.received.map(({ body }) => JSON.parse(body).data.to_email);
    expect(sent).toEqual(["mina@example.com", "leo@example.com"]);
  });
});

it("keeps no address of an envelope that a receiver repeats in its answer", async () => {
  createNetwork(({ body }) => new Response(body, { status: 500 }));
  const email = await startEmail();
  const company = freshCompany();
  await storeRule(company, "email.message.sent");
  await sendOne(company);
  await attempt(email, company);
  const owner = await email.token({ companyId: company, isOwner: true });
  const page = await (await email.call("/api/v1/actions/deliveries", { bearer: owner })).text();
  expect(page).toContain("to_email");
  expect(page).not.toContain("mina@example.com");
  expect((await deliveriesOf(company))[0]?.last_error).toContain('"to_email":"[Filtered]"');
});

it("an erasure forgets what receivers answered, who may have repeated the address", async () => {
  createNetwork(({ body }) => new Response(body, { status: 500 }));
  const email = await startEmail();
  const company = freshCompany();
  await storeRule(company, "email.message.sent");
  const { hashAddress } = await import("../../workers/email/rules/address");
  const { keysOf } = await import("../../workers/email/keys");
  const [pepper = new Uint8Array()] = (await keysOf(testEnv)).peppers;
  const hash = await hashAddress(pepper, "mina@example.com");
  // Waiting, finished, and one whose event has been purged.
  for (let i = 0; i < 3; i++) await sendOne(company, { email_hmac: hash });
  await sendOne(company, { email_hmac: await hashAddress(pepper, "leo@example.com"), to: "leo@example.com" });
  await attempt(email, company);
  const before = await deliveriesOf(company);
  expect(before.map(({ last_error }) => last_error?.includes("to_email"))).toEqual([true, true, true, true]);
  await execute("UPDATE action_deliveries SET status = 'dead' WHERE seq = ?", before[1]?.seq);
  await execute("DELETE FROM event_log WHERE event_id = ?", before[2]?.event_id);
  const staff = await email.token({ isStaff: true });
  await email.call("/api/v1/privacy/erase", {
    bearer: staff,
    json: { company_id: company, email: "mina@example.com" },
  });
  const { results } = await testEnv.DB.prepare(
    `SELECT d.last_error, t.error_message, t.http_status FROM action_deliveries d
     JOIN delivery_attempts t ON t.delivery_seq = d.seq WHERE d.company_id = ? ORDER BY d.seq`,
  )
    .bind(company)
    .all<{ last_error: string; error_message: string; http_status: number }>();
  expect(results.slice(0, 3)).toEqual([
    { last_error: "the address was erased", error_message: "HTTP 500:", http_status: 500 },
    { last_error: "HTTP 500:", error_message: "HTTP 500:", http_status: 500 },
    { last_error: "the address was erased", error_message: "HTTP 500:", http_status: 500 },
  ]);
  expect(results[3]?.error_message).toContain("to_email");
});

it("a delivery that an erasure has emptied is not sent again", async () => {
  const network = createNetwork();
  const email = await startEmail();
  const company = freshCompany();
  const rule = await storeRule(company, "email.message.sent");
  const { hashAddress } = await import("../../workers/email/rules/address");
  const { keysOf } = await import("../../workers/email/keys");
  const [pepper = new Uint8Array()] = (await keysOf(testEnv)).peppers;
  await sendOne(company, { email_hmac: await hashAddress(pepper, "mina@example.com") });
  await sendOne(company, { email_hmac: await hashAddress(pepper, "leo@example.com"), to: "leo@example.com" });
  await execute(
    "UPDATE action_deliveries SET status = 'dead', last_error_code = 'timeout' WHERE company_id = ?",
    company,
  );
  const [emptied, kept] = await deliveriesOf(company);
  // The purge has taken its event, so the erasure has nothing to mask by.
  await execute("DELETE FROM event_log WHERE event_id = ?", emptied?.event_id);
  const staff = await email.token({ isStaff: true });
  await email.call("/api/v1/privacy/erase", {
    bearer: staff,
    json: { company_id: company, email: "mina@example.com" },
  });
  const owner = await email.token({ companyId: company, isOwner: true });
  const post = async (path: string) => {
    const response = await email.call(`/api/v1/actions/${path}`, { bearer: owner, json: {} });
    return [response.status, await response.json<Record<string, unknown>>()];
  };
  const refused = { error_code: "delivery_not_requeueable" };
  expect(await post(`deliveries/${emptied?.id}/requeue`)).toMatchObject([409, refused]);
  expect(await post(`rules/${rule.id}/requeue`)).toEqual([200, { requeued: 1, complete: true }]);
  expect((await deliveriesOf(company)).map(({ id, status }) => [id, status])).toEqual([
    [emptied?.id, "dead"],
    [kept?.id, "pending"],
  ]);
  expect(network.received).toEqual([]);
});

it("the purge takes old events and finished deliveries, and keeps what waits", async () => {
  createNetwork();
  const email = await startEmail({ vars: { BROKER: (await ownLocks()) as never } as Partial<EmailBindings> as never });
  const company = freshCompany();
  await storeRule(company, "email.message.sent");
  for (let i = 0; i < 3; i++) await sendOne(company);
  const [first, second] = await deliveriesOf(company);
  const old = Date.now() - 8 * 86_400_000;
  await execute("UPDATE event_log SET created_at = ? WHERE company_id = ?", old, company);
  await execute("UPDATE action_deliveries SET created_at = ? WHERE seq IN (?, ?)", old, first?.seq, second?.seq);
  await execute("UPDATE action_deliveries SET status = 'delivered' WHERE seq = ?", first?.seq);
  await tick(worker, email.bindings, "17 * * * *");
  expect(await storedEvents(company)).toEqual([]);
  expect((await deliveriesOf(company)).map(({ status }) => status)).toEqual(["pending", "pending"]);
});
