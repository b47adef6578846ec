import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log, default_contents, event_types } from "../../../db/email/schema";
import type { PublicEventType } from "../../../schemas/email/content/event-types";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { paragraphDocument, storeLibraryTemplate } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";
import { insertRows, readRows, updateRows } from "../../support/email/rows";
import { command, OPERATOR_KEY } from "../../support/email/webhooks";

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min", OPERATOR_KEY } });
const PATH = "/api/v1/event-types";
const at = (type: string) => `${PATH}/${type}`;
const ORDER = {
  event_type: "shop.order.placed",
  labels: { en: "Order placed", fr: "Commande passée" },
  variables: [
    { name: "order_number", value_type: "text", required: true, sample: "1042", labels: { en: "Order" } },
    { name: "total", value_type: "money" },
    { name: "items", value_type: "list", fields: [{ name: "name", value_type: "text" }] },
    { name: "order_url", value_type: "url", required: true, labels: { en: "View your order" } },
  ],
};

async function startTypes() {
  const company = await startCompany(email);
  const call = (method: string, path: string, json?: unknown, bearer = company.owner) =>
    send(email, bearer, { method, path, json });
  const create = (json: object = ORDER) => call("POST", PATH, json);
  const get = async <T>(path: string) => (await call("GET", path)).json<T>();
  return { ...company, call, create, get };
}

const auditOf = async (companyId: number) =>
  (await readRows(audit_log, eq(audit_log.company_id, companyId))).map(({ action, target }) => [action, target]);

describe("an event type", () => {
  it("is created with labels, samples and texts in both languages, listed, changed and deleted, and audited", async () => {
    const { companyId, create, call, get } = await startTypes();
    const response = await create();
    expect(response.status, await response.clone().text()).toBe(201);
    const created = await response.json<PublicEventType>();
    const texts = { subject: "Order placed", preheader: "", lead: "", button: "" };
    expect(created).toMatchObject({
      company_id: companyId,
      event_type: "shop.order.placed",
      service: "shop",
      lane: "transactional",
      default_language: "en",
      default_template: "barebone.text-only",
      texts: { en: texts, fr: { ...texts, subject: "Commande passée" } },
    });
    expect(created.variables.map(({ name, labels, sample }) => [name, labels.fr, sample])).toEqual([
      ["order_number", "Order", "1042"],
      ["total", "Total", { amount: "19.90", currency: "EUR" }],
      ["items", "Items", [{ name: "Name" }]],
      ["order_url", "View your order", "https://shop.example.com/"],
    ]);
    await create({ event_type: "shop.alert", labels: { fr: "Alerte" } });
    const first = await get<{ event_types: PublicEventType[]; next_cursor: string }>(`${PATH}?limit=1`);
    expect(first.event_types.map(({ event_type }) => event_type)).toEqual(["shop.alert"]);
    const last = await get<typeof first>(`${PATH}?cursor=${first.next_cursor}`);
    expect([last.event_types, last.next_cursor]).toEqual([[created], null]);
    const change = { texts: { en: { lead: "Thank you." } }, default_language: "fr" };
    expect(await (await call("PATCH", at("shop.order.placed"), change)).json()).toMatchObject({
      labels: created.labels,
      variables: created.variables,
      default_language: "fr",
      texts: { en: { subject: "Order placed", lead: "Thank you." }, fr: { subject: "Commande passée" } },
    });
    await call("PATCH", at("shop.order.placed"), { default_language: "fr" });
    expect(await problemOf(await create())).toEqual([409, "conflict"]);
    expect((await call("DELETE", at("shop.order.placed"))).status).toBe(204);
    expect((await call("GET", at("shop.order.placed"))).status).toBe(404);
    expect(await auditOf(companyId)).toEqual([
      ["event_type.created", "event_type:shop.order.placed"],
      ["event_type.created", "event_type:shop.alert"],
      ["event_type.updated", "event_type:shop.order.placed"],
      ["event_type.deleted", "event_type:shop.order.placed"],
    ]);
  });

  it("keeps the labels and texts of a language that a change does not name", async () => {
    const { create, call } = await startTypes();
    const lead = "We pack it.";
    await create({ ...ORDER, texts: { en: { lead } } });
    const patch = async (json: object) => (await call("PATCH", at("shop.order.placed"), json)).json<PublicEventType>();
    const change = { labels: { en: "Order" }, description: { fr: "Une commande" }, texts: { fr: { lead: "Merci." } } };
    expect(await patch(change)).toMatchObject({
      labels: { en: "Order", fr: "Commande passée" },
      description: { en: "", fr: "Une commande" },
      texts: { en: { lead }, fr: { subject: "Commande passée", lead: "Merci." } },
    });
  });

  it("keeps replaced default content only while a message may need it", async () => {
    const { companyId, create, call } = await startTypes();
    await create();
    const contents = () =>
      readRows(default_contents, eq(default_contents.event_type, `${companyId}:shop.order.placed`));
    const [old] = await contents();
    await call("PATCH", at("shop.order.placed"), {
      labels: { en: "Order received" },
      texts: { en: { lead: "Thanks." } },
    });
    expect((await contents()).map(({ current, retired_at }) => [current, retired_at !== null])).toEqual(
      expect.arrayContaining([
        [false, true],
        [true, false],
      ]),
    );
    await updateRows(default_contents, { retired_at: 1 }, eq(default_contents.checksum, old?.checksum ?? ""));
    await command(email, "purge_expired_data", {});
    expect((await contents()).some(({ checksum }) => checksum === old?.checksum)).toBe(false);
  });

  it("gets its default mail composed again by a change without fields, after its design changed", async () => {
    const { companyId, create, call } = await startTypes();
    const { id, key } = await storeLibraryTemplate(companyId);
    await create({ ...ORDER, default_template: key });
    const currentHtml = async () => {
      const isOfType = eq(default_contents.event_type, `${companyId}:shop.order.placed`);
      const contents = await readRows(default_contents, isOfType);
      return contents.flatMap(({ current, html }) => (current ? [html.includes("Changed design")] : []));
    };
    const design = { name: "News", subject: "News", preheader: "", document: paragraphDocument("Changed design") };
    expect((await call("PUT", `/api/v1/library/${id}`, design)).status).toBe(200);
    expect(await currentHtml()).toEqual([false, false]);
    expect((await call("PATCH", at("shop.order.placed"), {})).status).toBe(200);
    expect(await currentHtml()).toEqual([true, true]);
    expect(await auditOf(companyId)).not.toContainEqual(["event_type.updated", "event_type:shop.order.placed"]);
  });

  it.each([
    [{ event_type: "identity.order" }, { event_type: ["reserved"] }],
    [{ event_type: "newsletter_confirmation.x" }, { event_type: ["reserved"] }],
    [{ event_type: "shop" }, { event_type: ["invalid_format"] }],
    [{ event_type: `shop.${"a".repeat(60)}.${"b".repeat(60)}` }, { event_type: ["too_long"] }],
    [{ labels: {} }, { labels: ["required"] }],
    [{ lane: "auth" }, { lane: ["invalid"] }],
    [{ default_template: "studio.nothing" }, { default_template: ["invalid"] }],
    [{ texts: { en: { subject: "Hi {{ nobody }}" }, fr: {} } }, { "texts.en.subject": ["unknown_token"] }],
    [{ texts: { en: { lead: "{{ system.nothing }}" }, fr: {} } }, { "texts.en.lead": ["unknown_token"] }],
    [{ variables: [{ name: "company_name", value_type: "text" }] }, { "variables.0.name": ["reserved"] }],
    [{ variables: [{ name: "Total", value_type: "text" }] }, { "variables.0.name": ["invalid_format"] }],
    [{ variables: [{ name: "a", value_type: "color" }] }, { "variables.0.value_type": ["invalid"] }],
    [{ variables: [{ name: "a", value_type: "list" }] }, { "variables.0.fields": ["required"] }],
    [{ variables: [{ name: "a", value_type: "date", sample: "today" }] }, { "variables.0.sample": ["invalid"] }],
    [
      { variables: [{ name: "a", value_type: "money", sample: { amount: 1, currency: "XYZ" } }] },
      { "variables.0.sample": ["invalid"] },
    ],
    [{ variables: ["a", "a"].map((name) => ({ name, value_type: "text" })) }, { "variables.1.name": ["duplicate"] }],
  ])("rejects %j", async (change, fields) => {
    const { companyId, create } = await startTypes();
    const answer = await problemOf(await create({ ...ORDER, variables: [], ...change }));
    expect(answer).toEqual([400, "validation_failed", fields]);
    expect(await readRows(event_types, eq(event_types.company_id, companyId))).toEqual([]);
  });

  it("is one of at most 200 of its company", async () => {
    const { companyId, create } = await startTypes();
    await create();
    const [row] = await readRows(event_types, eq(event_types.company_id, companyId));
    if (row === undefined) throw new Error("no row");
    await insertRows(
      event_types,
      Array.from({ length: 199 }, (_, index) => ({ ...row, event_type: `shop.type.${index}` })),
    );
    expect(await problemOf(await create({ ...ORDER, event_type: "shop.last" }))).toEqual([409, "limit_reached"]);
  });
});
