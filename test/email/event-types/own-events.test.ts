import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { messages } from "../../../db/email/schema";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument } from "../../support/email/custom-templates";
import { storeProvider } from "../../support/email/delivery";
import { createKey, startEmail } from "../../support/email/email";
import { recordMails } from "../../support/email/mail-api";
import { storeMessage, uniqueAddress } from "../../support/email/messages";
import { readRows } from "../../support/email/rows";
import { libraryId } from "../../support/email/rules";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { EMAIL_DELIVER_SYNC: "true" } });
const later = await startEmail();
const TYPE = "shop.order.placed";
const ORDER = {
  event_type: TYPE,
  labels: { en: "Order placed", fr: "Commande passée" },
  variables: [
    { name: "number", value_type: "text", required: true, labels: { en: "Order", fr: "Commande" } },
    { name: "order_url", value_type: "url", required: true, labels: { en: "View your order", fr: "Voir la commande" } },
    { name: "help_url", value_type: "url", labels: { en: "Get help", fr: "Obtenir de l’aide" } },
  ],
  texts: { en: { subject: "Order {{ number }}", lead: "We have it." }, fr: { subject: "Commande {{ number }}" } },
};
const variables = { number: "1042", order_url: "https://shop.example.com/1042" };
type Answer = { messages: { id: string; language: string; template_version: number | null; status: string }[] };

/** Creates a company with a provider, the event type and a key of the service `shop`. */
async function startShop(type: object = ORDER) {
  const company = await startCompany(email);
  const { companyId, owner } = company;
  await storeProvider(companyId, { kind: "api", api_key: "re_shop" });
  const { key } = await createKey({ service: "shop", lanes: ["transactional"], companies: [companyId] });
  const call = (method: string, path: string, json?: unknown, bearer = owner) =>
    send(email, bearer, { method, path, json });
  expect((await call("POST", "/api/v1/event-types", type)).status).toBe(201);
  const mail = (overrides: object = {}) => ({
    company_id: companyId,
    template_key: TYPE,
    to: [{ email: uniqueAddress() }],
    variables,
    ...overrides,
  });
  const post = async (path: string, json: object, harness = email) => {
    const response = await harness.call(path, { bearer: key, json });
    return { response, status: response.status, body: await response.clone().json<Answer>() };
  };
  const event = (overrides: object = {}) => ({
    company_id: companyId,
    event_type: TYPE,
    payload: variables,
    recipients: [{ email: uniqueAddress(), language: "fr", name: "Mina" }],
    ...overrides,
  });
  return { ...company, key, call, mail, event, post };
}

type Catalog = { events: { event_type: string; labels?: object; variables: object[] }[] };

describe("the catalog", () => {
  it("contains a company's events for its owner, its key and staff who name it, with a new ETag", async () => {
    const { companyId, owner, staff, key, call } = await startShop();
    const other = await startShop({ event_type: "shop.other", labels: { en: "Other" } });
    const typesFor = async (bearer: string, query = "") => {
      const response = await email.call(`/api/v1/catalog${query}`, { bearer });
      const { events } = await response.json<Catalog>();
      return events.filter(({ event_type }) => event_type.startsWith("shop."));
    };
    const [event, ...rest] = await typesFor(owner);
    expect(rest).toEqual([]);
    expect(event).toMatchObject({
      service: "shop",
      template_key: TYPE,
      label: "Order placed",
      labels: { en: "Order placed", fr: "Commande passée" },
      lane_class: "transactional",
      link_token: "order_url",
      suggested: { en: { subject: "Order {{ number }}" } },
    });
    expect(event?.variables.slice(-3)).toMatchObject([
      { token: "number", type: "string", value_type: "text", description: "Order", required: true },
      { token: "order_url", type: "url", value_type: "url", is_url: true },
      { token: "help_url", labels: { en: "Get help" } },
    ]);
    expect(await typesFor(key)).toEqual([event]);
    expect(await typesFor(staff, `?company_id=${companyId}`)).toEqual([event]);
    expect(await typesFor(staff)).toEqual([]);
    expect((await typesFor(other.owner)).map(({ event_type }) => event_type)).toEqual(["shop.other"]);
    const { key: ofTwo } = await createKey({ service: "shop", companies: [companyId, other.companyId] });
    expect(await typesFor(ofTwo)).toEqual([]);
    const etag = (await email.call("/api/v1/catalog", { bearer: owner })).headers.get("etag") ?? "";
    const again = () => email.call("/api/v1/catalog", { bearer: owner, headers: { "if-none-match": etag } });
    expect((await again()).status).toBe(304);
    await call("PATCH", `/api/v1/event-types/${TYPE}`, { labels: { en: "Order received" } });
    expect((await again()).status).toBe(200);
  });
});

describe("an own event", () => {
  it("is sent with its default mail in the language of the request, in the round trips of a platform event", async () => {
    const { companyId, owner, call, mail, post } = await startShop();
    const mails = recordMails();
    expect((await post("/api/v1/send", mail({ variables: {} }))).body).toMatchObject({
      field_errors: { "variables.number": ["required"], "variables.order_url": ["required"] },
    });
    const sent = await post("/api/v1/send", mail({ idempotency_key: "1" }));
    expect(sent.body.messages).toMatchObject([{ status: "sent", language: "en", template_version: null }]);
    expect(mails[0]).toMatchObject({ subject: "Order 1042", html: expect.stringContaining("We have it.") });
    expect(mails[0]?.text).toContain("View your order: https://shop.example.com/1042");
    // The heading contains the number, so the facts do not repeat it.
    expect(mails[0]?.text).not.toMatch(/Order: 1042/);
    expect(mails[0]?.text).not.toContain("Get help");
    await call("PATCH", `/api/v1/event-types/${TYPE}`, { default_language: "fr" });
    const batch = {
      ...mail({ to: undefined, variables: undefined }),
      items: [{ to: { email: uniqueAddress() }, variables }],
    };
    expect((await post("/api/v1/send/batch", batch)).status).toBe(202);
    expect(mails[1]).toMatchObject({ subject: "Commande 1042", html: expect.stringContaining("Voir la commande") });
    await post("/api/v1/send", mail(), later);
    expect(later.acceptTripsOf((await post("/api/v1/send", mail(), later)).response)).toBe(2);
    const stats = await call("GET", `/api/v1/stats?event_type=${TYPE}&lane=transactional`);
    expect(await stats.json()).toMatchObject({ by_event: { [TYPE]: { sent: 2 } }, by_internal: {} });
    const search = await email.call(`/api/v1/messages?event_type=${TYPE}&company_id=${companyId}`, { bearer: owner });
    expect((await search.json<Answer>()).messages).toHaveLength(4);
  });

  it("has rules, custom templates, versions, previews, test mails and decisions", async () => {
    const { call, event, post, owner } = await startShop();
    const mails = recordMails();
    expect((await post("/api/v1/events", event())).body).toMatchObject({ skipped_reason: "no_rule" });
    const decisions = await call("GET", `/api/v1/decisions?event_type=${TYPE}`);
    expect(await decisions.json()).toMatchObject({ decisions: [{ event_type: TYPE, reason: "no_rule" }] });
    const skips = async (lane: string) =>
      (await (await call("GET", `/api/v1/stats?lane=${lane}`)).json<{ skipped: { no_rule: number } }>()).skipped
        .no_rule;
    expect([await skips("transactional"), await skips("auth")]).toEqual([1, 0]);
    const rule = await call("POST", "/api/v1/rules", { event_type: TYPE, content: { library_id: await libraryId() } });
    expect(rule.status, await rule.clone().text()).toBe(201);
    const { template_id: id } = await rule.json<{ template_id: number }>();
    // The unedited template is sent in the language of the recipient.
    expect((await post("/api/v1/events", event())).body.messages).toMatchObject([{ language: "fr", status: "sent" }]);
    expect(mails[0]).toMatchObject({ subject: "Commande 1042" });
    expect(mails[0]?.text).toContain("Bonjour Mina,");
    const path = `/api/v1/templates/${id}`;
    const draft = {
      subject: "Order {{ number }}",
      document: documentOf(...paragraphDocument("{{ number }} {{ x }}").content),
    };
    const preview = await call("POST", `${path}/preview`, draft);
    expect(await preview.json()).toMatchObject({
      subject: "Order Order",
      warnings: [{ code: "unknown_token", detail: "x" }],
    });
    const { number } = await (await call("POST", `${path}/versions`, draft)).json<{ number: number }>();
    const published = await call("POST", `${path}/versions/${number}/publish`);
    expect(await published.json()).toMatchObject({ number: 2, warnings: [{ code: "unknown_token", detail: "x" }] });
    const tested = await call("POST", `${path}/send-test`, { ...draft, to: undefined });
    expect(tested.status, await tested.clone().text()).toBe(200);
    await post("/api/v1/events", event());
    expect(mails.at(-1)).toMatchObject({ subject: "Commande 1042", text: expect.stringMatching(/^1042/) });
    const listed = async (type: string) =>
      (await (await call("GET", `/api/v1/templates?event_type=${type}`)).json<{ templates: object[] }>()).templates
        .length;
    // The published version uses a token that the event does not declare.
    expect(await listed(TYPE)).toBe(0);
    await call("POST", `${path}/versions/1/publish`);
    expect([await listed(TYPE), await listed("identity.user.created")]).toEqual([1, 0]);
    expect(owner).toBeDefined();
  });

  it("cannot be deleted while a rule, a template or a waiting message uses it", async () => {
    const { companyId, call } = await startShop();
    const path = `/api/v1/event-types/${TYPE}`;
    const rule = await call("POST", "/api/v1/rules", { event_type: TYPE, content: { library_id: await libraryId() } });
    const { id } = await rule.json<{ id: number }>();
    const waiting = await storeMessage(companyId, { lane: "transactional", event_type: TYPE, next_attempt_at: 9e15 });
    const uses = { event_type: ["used_by_rules", "used_by_templates", "used_by_waiting_messages"] };
    expect(await problemOf(await call("DELETE", path))).toEqual([409, "event_type_in_use", uses]);
    await call("DELETE", `/api/v1/rules/${id}`);
    await call("POST", `/api/v1/messages/msg_${waiting}/cancel`);
    expect((await call("DELETE", path)).status).toBe(204);
  });

  it("keeps its history in statistics and decisions when its type is deleted", async () => {
    const { call, event, mail, post } = await startShop();
    recordMails();
    await post("/api/v1/send", mail());
    await post("/api/v1/events", event());
    expect((await call("DELETE", `/api/v1/event-types/${TYPE}`)).status).toBe(204);
    const stats = await call("GET", `/api/v1/stats?event_type=${TYPE}`);
    expect(await stats.json()).toMatchObject({ by_event: { [TYPE]: { sent: 1 } }, skipped: { no_rule: 1 } });
    const decisions = await call("GET", `/api/v1/decisions?event_type=${TYPE}`);
    expect(await decisions.json()).toMatchObject({ decisions: [{ event_type: TYPE, reason: "no_rule" }] });
    for (const path of ["stats", "decisions"]) {
      expect(await problemOf(await call("GET", `/api/v1/${path}?event_type=shop.never`))).toEqual([
        400,
        "event_unknown",
      ]);
    }
  });

  it("is unknown to other companies", async () => {
    const { companyId } = await startShop();
    const other = await startShop({ event_type: "shop.other", labels: { en: "Other" } });
    expect(await problemOf((await other.post("/api/v1/send", other.mail())).response)).toEqual([
      404,
      "template_not_found",
    ]);
    const foreign = await other.post("/api/v1/send", other.mail({ company_id: companyId }));
    expect(await problemOf(foreign.response)).toEqual([403, "company_mismatch"]);
    expect(await problemOf((await other.post("/api/v1/events", other.event())).response)).toEqual([
      400,
      "unknown_event",
    ]);
    const requests = [
      other.call("POST", "/api/v1/rules", { event_type: TYPE, content: { library_id: await libraryId() } }),
      other.call("GET", `/api/v1/templates?event_type=${TYPE}`),
      other.call("GET", `/api/v1/stats?event_type=${TYPE}`),
      other.call("GET", `/api/v1/decisions?event_type=${TYPE}`),
    ];
    for (const request of requests) expect(await problemOf(await request)).toEqual([400, "event_unknown"]);
    expect(await readRows(messages, eq(messages.company_id, other.companyId))).toEqual([]);
  });
});
