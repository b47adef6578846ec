import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { direct_contents, messages } from "../../../db/email/schema";
import { shownTrace } from "../../../workers/email/delivery/messages/stored-trace";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { createCompany, rejectWith, startDelivery, storeProvider } from "../../support/email/delivery";
import { createKey, startEmail, storeSuppression } from "../../support/email/email";
import { countRows, readRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail();

type Json = Record<string, unknown>;

/** Creates a company with a provider and a key that is limited to the company. `at` is the start time of its clock. */
async function startShop() {
  const company = createCompany();
  const delivery = startDelivery();
  await storeProvider(company, { kind: "api", api_key: "key" }, { from_email: "shop@aster.example" });
  const { key } = await createKey({ service: `shop-${company}`, lanes: ["transactional"], companies: [company] });
  const call = async (path: string, json?: unknown, init: RequestInit = {}) => {
    const response = await email.call(`/api/v1/emails${path}`, {
      bearer: key,
      ...(json === undefined ? {} : { json }),
      ...init,
    });
    return { response, status: response.status, body: (await response.json()) as Json };
  };
  const rows = () => readRows(messages, eq(messages.company_id, company));
  const contents = () => countRows(direct_contents, eq(direct_contents.company_id, company));
  const deliver = async () =>
    delivery.consumeIds(
      (await rows()).map(({ id }) => id),
      "transactional",
    );
  return { company, delivery, key, call, rows, contents, deliver };
}

const order = (overrides: Json = {}): Json => ({
  from: "Aster Shop <shop@aster.example>",
  to: "Mina Vale <mina@example.com>",
  subject: "Your order 1042",
  html: '<h1>Thank you &amp; welcome</h1><p>See <a href="https://shop.example/o/1042">your order</a></p>',
  ...overrides,
});

it("sends an email with its content once, shows it, and deletes the content when it is sent", async () => {
  const { call, rows, contents, deliver, delivery } = await startShop();
  const init = { headers: { "idempotency-key": "order-1042" } };
  const tags = [{ name: "category", value: "order" }];
  const body = order({ tags, reply_to: ["help@aster.example"], headers: { "X-Entity-Ref-ID": "1042" } });
  await call("", order({ to: "warm-up@example.com" }));
  const sent = await call("", body, init);
  expect(sent).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^[0-9a-f-]{34}00$/) } });
  expect(email.acceptTripsOf(sent.response)).toBe(2);
  expect((await call("", body, init)).body).toEqual(sent.body);
  expect(await call("", order(), init)).toMatchObject({
    status: 409,
    body: { statusCode: 409, name: "invalid_idempotent_request", error_code: "idempotency_conflict" },
  });
  const path = `/${sent.body.id}`;
  const text = "Thank you & welcome\n\nSee your order (https://shop.example/o/1042)";
  const waiting = await call(path);
  expect(email.acceptTripsOf(waiting.response)).toBe(1);
  expect(waiting.body).toMatchObject({
    object: "email",
    id: sent.body.id,
    to: ["mina@example.com"],
    from: "Aster Shop <shop@aster.example>",
    subject: "Your order 1042",
    html: body.html,
    text,
    reply_to: ["help@aster.example"],
    last_event: "queued",
    scheduled_at: null,
    tags,
    messages: [{ to: "mina@example.com", status: "queued" }],
  });
  const row = (await rows()).find(({ id }) => id === String(sent.body.id).replaceAll("-", ""));
  expect(row).toMatchObject({ template_key: "email.direct", event_type: "email.direct.category:order" });
  expect(shownTrace(row?.trace ?? {})).toMatchObject({
    content: { source: "direct" },
    sender: { scope: "company" },
    direct: { tags },
  });
  expect(JSON.stringify(await readRows(direct_contents, undefined))).not.toContain("1042");
  expect(await contents()).toBe(2);
  await deliver();
  expect(delivery.calls.map(({ mail }) => mail)).toContainEqual(
    expect.objectContaining({
      from: '"Aster Shop" <shop@aster.example>',
      to: ["mina@example.com"],
      reply_to: "help@aster.example",
      subject: "Your order 1042",
      html: body.html,
      text,
      headers: expect.objectContaining({ "X-Entity-Ref-ID": "1042", "Auto-Submitted": "auto-generated" }),
    }),
  );
  expect(await contents()).toBe(0);
  expect((await call(path)).body).toMatchObject({ last_event: "sent", subject: "", html: null, text: null, tags });
});

it("sends one message to each recipient, and cancels all waiting messages of an email", async () => {
  const { company, call, rows, contents, deliver, delivery } = await startShop();
  await storeSuppression(company, "gone@example.com", { reason: "complaint" });
  const to = ["mina@example.com", '"Vale, Ada" <ada@example.com>', "gone@example.com", "Mina <MINA@example.com>"];
  const first = await call(
    "",
    order({ to, html: undefined, text: "Ready.\n{{ system.unsubscribe_url }} {{ other }}" }),
  );
  const second = await call("", order({ to }));
  const cancelled = await call(`/${second.body.id}/cancel`, undefined, { method: "POST" });
  expect(cancelled.body).toEqual({ object: "email", id: second.body.id });
  expect(await contents()).toBe(1);
  expect((await call(`/${second.body.id}/cancel`, undefined, { method: "POST" })).status).toBe(409);
  await deliver();
  expect(await contents()).toBe(0);
  expect(delivery.calls.map(({ mail }) => mail.to[0]).sort()).toEqual(["ada@example.com", "mina@example.com"]);
  const [mail] = delivery.calls.map((sent) => sent.mail);
  expect(mail?.text).toMatch(/^Ready\.\nhttp\S+\/u\/\S+ \{\{ other \}\}$/);
  expect(mail?.html).toMatch(/white-space:pre-wrap">Ready\.\nhttp/);
  expect(mail?.headers).not.toHaveProperty("List-Unsubscribe");
  const { body } = await call(`/${first.body.id}`);
  expect(body).toMatchObject({
    to: ["mina@example.com", "ada@example.com", "gone@example.com"],
    last_event: "suppressed",
  });
  expect((body.messages as { status: string }[]).map(({ status }) => status)).toEqual(["sent", "sent", "suppressed"]);
  expect((await call(`/${second.body.id}`)).body).toMatchObject({ last_event: "suppressed" });
  expect((await rows()).map(({ status }) => status).sort()).toEqual([
    ...["cancelled", "cancelled", "sent", "sent", "suppressed", "suppressed"],
  ]);
});

it("sends scheduled emails at their time, and reschedules them until then", async () => {
  const { company, call, deliver, delivery, contents } = await startShop();
  const at = (minutes: number) => new Date(delivery.now() + minutes * 60_000).toISOString();
  const scheduled = await call("", order({ scheduled_at: at(10), to: ["mina@example.com", "ada@example.com"] }));
  const path = `/${scheduled.body.id}`;
  await deliver();
  expect(delivery.calls).toEqual([]);
  const reschedule = (scheduled_at: unknown) => call(path, { scheduled_at }, { method: "PATCH" });
  expect((await call(path)).body).toMatchObject({ last_event: "scheduled", scheduled_at: at(10) });
  const bearer = await email.token({ companyId: company, isOwner: true });
  const metrics = await (await email.call("/api/v1/metrics", { bearer })).text();
  expect(metrics).toContain(`platform_email_queue_depth{company_id="${company}",lane="transactional"} 0`);
  expect(await reschedule(at(31 * 24 * 60))).toMatchObject({
    status: 400,
    body: { name: "validation_error", field_errors: { scheduled_at: ["out_of_range"] } },
  });
  expect(await reschedule(undefined)).toMatchObject({ status: 400 });
  expect((await reschedule(at(5))).body).toEqual({ object: "email", id: scheduled.body.id });
  delivery.advance(5 * 60_000);
  await deliver();
  expect(delivery.calls).toHaveLength(2);
  expect(await contents()).toBe(0);
  expect(await reschedule(at(5))).toMatchObject({ status: 409, body: { error_code: "email_not_scheduled" } });
});

it("waits 24 hours from the scheduled time for valid credentials, even when it was accepted long before", async () => {
  const { call, rows, deliver, delivery } = await startShop();
  const day = 86_400_000;
  await call("", order({ scheduled_at: new Date(delivery.now() + 2 * day).toISOString() }));
  delivery.state.respond = rejectWith(401);
  const stateAfter = async (ms: number, work: () => Promise<unknown>) => {
    delivery.advance(ms);
    await work();
    return (await rows()).map(({ status, last_error_code }) => [status, last_error_code]);
  };
  const sweep = () => sweepQueue(delivery.build());
  const waiting = [["retrying", "provider_unauthorized"]];
  expect(await stateAfter(2 * day, deliver)).toEqual(waiting);
  expect(await stateAfter(day - 1, sweep)).toEqual(waiting);
  expect(await stateAfter(1, sweep)).toEqual([["failed", "provider_unauthorized"]]);
});

it("accepts up to 100 emails in a batch, all or, if requested, the valid ones", async () => {
  const { call, contents, rows } = await startShop();
  const html = `<p>${"Thank you for your order. ".repeat(390)}</p>`;
  const emails = Array.from({ length: 100 }, (_, index) => order({ html, to: `reader${index}@example.com` }));
  const init = { headers: { "idempotency-key": "batch" } };
  const sent = await call("/batch", emails, init);
  expect(sent).toMatchObject({
    status: 200,
    body: { data: Array.from({ length: 100 }, () => ({ id: expect.any(String) })) },
  });
  expect((await call("/batch", emails, init)).body).toEqual(sent.body);
  expect([await contents(), (await rows()).length]).toEqual([100, 100]);
  const faulty = [order(), order({ to: "nobody", subject: "" })];
  expect(await call("/batch", faulty)).toMatchObject({
    status: 400,
    body: { field_errors: { "emails.1.to.0": ["invalid_format"], "emails.1.subject": ["required"] } },
  });
  const permissive = await call("/batch", faulty, { headers: { "x-batch-validation": "permissive" } });
  expect(permissive.body).toEqual({
    data: [{ id: expect.any(String) }],
    errors: [{ index: 1, message: expect.stringContaining("to.0 (invalid_format)") }],
  });
  expect(await call("/batch", [...emails, order()])).toMatchObject({
    body: { field_errors: { emails: ["too_many"] } },
  });
});

it("shows the content of an email after its first recipient was erased", async () => {
  const { company, call, delivery } = await startShop();
  const scheduled_at = new Date(delivery.now() + 600_000).toISOString();
  const sent = await call("", order({ to: ["gone@example.com", "mina@example.com"], scheduled_at }));
  const { key } = await createKey({ service: "identity", companies: [company] });
  const json = { company_id: company, email: "gone@example.com" };
  expect((await email.call("/api/v1/privacy/erase", { method: "POST", bearer: key, json })).status).toBe(200);
  expect((await call(`/${sent.body.id}`)).body).toMatchObject({
    to: ["mina@example.com"],
    subject: "Your order 1042",
    last_event: "scheduled",
    scheduled_at,
  });
});

it("names the email of a batch that is rejected, and leaves it out in the permissive mode", async () => {
  const { call, rows } = await startShop();
  const permissive = { headers: { "x-batch-validation": "permissive" } };
  const refused = order({ from: "shop@other.example" });
  for (const init of [{}, permissive]) {
    expect((await call("/batch", [order({ to: "" }), order({ from: 5 })], init)).body).toMatchObject({
      field_errors: { "emails.0.to.0": ["invalid_format"] },
    });
    expect((await call("/batch", [refused], init)).body).toMatchObject({
      error_code: "from_not_allowed",
      field_errors: { "emails.0.from": ["not_allowed"] },
    });
  }
  expect(await rows()).toEqual([]);
  expect((await call("/batch", [refused, order(), order({ to: [] })], permissive)).body).toMatchObject({
    data: [{ id: expect.any(String) }],
    errors: [
      { index: 0, message: expect.stringContaining("`from` must be") },
      { index: 2, message: expect.stringContaining("to (required)") },
    ],
  });
  expect(await rows()).toHaveLength(1);
});

it("sends a template with its variables", async () => {
  const { company, delivery, deliver, key } = await startShop();
  const templates = await createKey({ service: `app-${company}`, prefixes: ["identity."], companies: [company] });
  const template = { id: "identity.group.created", variables: { display_name: "Sales" } };
  const send = (bearer: string, body: Json) => email.call("/api/v1/emails", { bearer, json: body });
  const { subject: _s, html: _h, ...envelope } = order({ reply_to: "help@aster.example" });
  expect((await send(key, { ...envelope, template })).status).toBe(403);
  expect((await send(templates.key, { ...envelope, template, language: "fr" })).status).toBe(200);
  await deliver();
  expect(delivery.calls[0]?.mail).toMatchObject({
    from: '"Aster Shop" <shop@aster.example>',
    reply_to: "help@aster.example",
    subject: expect.stringContaining("Sales"),
    html: expect.stringContaining('lang="fr"'),
  });
});

it.each([
  ["from", { from: "other@aster.example" }, 403, { from: ["not_allowed"] }],
  ["from", { from: "nobody" }, 400, { from: ["invalid_format"] }],
  [
    "path",
    { attachments: [{ filename: "a", path: "https://a.example" }] },
    400,
    { "attachments.0.path": ["not_allowed"] },
  ],
  ["cc", { cc: ["ada@example.com"] }, 400, { cc: ["not_allowed"] }],
  ["to", { to: Array.from({ length: 51 }, () => "a@example.com") }, 400, { to: ["too_many"] }],
  ["subject", { subject: "a\nb" }, 400, { subject: ["invalid"] }],
  ["html", { html: "x".repeat(262_145) }, 400, { html: ["too_large"] }],
  ["html", { html: "" }, 400, { html: ["required"] }],
  ["headers", { headers: { "List-Unsubscribe": "<https://a.example>" } }, 400, { headers: ["not_allowed"] }],
  ["headers", { headers: { "X-SES-MESSAGE-TAGS": "a=b" } }, 400, { headers: ["not_allowed"] }],
  ["headers", { headers: { "X-Note": "a\r\nBcc: x@example.com" } }, 400, { headers: ["invalid"] }],
  ["tags", { tags: [{ name: "a b", value: "c" }] }, 400, { tags: ["invalid"] }],
  ["scheduled_at", { scheduled_at: "in 1 min" }, 400, { scheduled_at: ["invalid"] }],
  [
    "template_key",
    { template_key: "identity.group.created" },
    400,
    { subject: ["not_allowed"], html: ["not_allowed"] },
  ],
] as const)("rejects an invalid %s: %j", async (_field, overrides, status, field_errors) => {
  const { call, rows } = await startShop();
  expect(await call("", order({ ...overrides }))).toMatchObject({
    status,
    body: { statusCode: status, name: "validation_error", message: expect.any(String), field_errors },
  });
  expect(await rows()).toEqual([]);
});

it("shows an email only to keys of its service and company", async () => {
  const { company, call } = await startShop();
  const { body } = await call("", order());
  const others = await Promise.all([
    createKey({ service: "other", companies: [company] }),
    createKey({ service: `shop-${company}`, companies: [createCompany()] }),
  ]);
  for (const { key } of others) {
    for (const [path, method] of [
      ["", "GET"],
      ["", "PATCH"],
      ["/cancel", "POST"],
    ] as const) {
      const init = {
        bearer: key,
        method,
        ...(method === "PATCH" ? { json: { scheduled_at: "2026-01-01T00:00:00Z" } } : {}),
      };
      const response = await email.call(`/api/v1/emails/${body.id}${path}`, init);
      expect([response.status, await response.json()]).toMatchObject([404, { name: "not_found" }]);
    }
  }
  const many = await createKey({ service: `shop-${company}`, companies: [company, company + 1] });
  const response = await email.call("/api/v1/emails", { bearer: many.key, json: order() });
  expect([response.status, await response.json()]).toMatchObject([403, { error_code: "company_mismatch" }]);
});
