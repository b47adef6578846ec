import { and, eq, isNotNull } from "drizzle-orm";
import { expect, it } from "vitest";
import {
  audit_log,
  default_contents,
  event_types,
  rules,
  template_versions,
  templates,
} from "../../../db/email/schema";
import type { PublicEventType, PublicPreset } from "../../../schemas/email/content/event-types";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { paragraphDocument } from "../../support/email/custom-templates";
import { storeProvider } from "../../support/email/delivery";
import { createKey, startEmail } from "../../support/email/email";
import { loadFullLibrary } from "../../support/email/library";
import { recordMails } from "../../support/email/mail-api";
import { uniqueAddress } from "../../support/email/messages";
import { insertRows, readRows, updateRows } from "../../support/email/rows";
import { storedRule } from "../../support/email/rules";
import { command, OPERATOR_KEY } from "../../support/email/webhooks";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { EMAIL_DELIVER_SYNC: "true", OPERATOR_KEY } });
await loadFullLibrary();
const PATH = "/api/v1/event-types";
type Created = PublicEventType & { rule_id: number; template_id: number };

async function startShop() {
  const company = await startCompany(email);
  const { companyId, owner } = company;
  const call = (method: string, path: string, json?: unknown) => send(email, owner, { method, path, json });
  const create = (json: object) => call("POST", PATH, json);
  /** Returns the names of the company's event types and the numbers of its rules and custom templates. */
  const stored = async () => [
    (await readRows(event_types, eq(event_types.company_id, companyId))).map(({ event_type }) => event_type),
    (await readRows(rules, eq(rules.company_id, companyId))).length,
    (await readRows(templates, eq(templates.company_id, companyId))).length,
  ];
  return { ...company, call, create, stored };
}

const eur = (amount: string) => ({ amount, currency: "EUR" });
const order = {
  order_number: "1042",
  items: [{ name: "Mug & saucer", quantity: 4, amount: eur("48.00"), image_url: "https://shop.example.com/mug.png" }],
  total: eur("48.00"),
  order_url: "https://shop.example.com/orders/1042",
};

it("creates a type, its rule and its published mail in two round trips, and sends it in both languages", async () => {
  const { companyId, call, create, stored } = await startShop();
  const response = await create({ preset: "order.placed" });
  expect([response.status, email.acceptTripsOf(response)], await response.clone().text()).toEqual([201, 2]);
  const created = await response.json<Created>();
  const type = "shop.order.placed";
  expect(created).toMatchObject({ event_type: type, service: "shop", default_template: "studio.order-confirmation" });
  expect(await stored()).toEqual([[type], 1, 1]);
  expect(await (await call("GET", `/api/v1/rules/${created.rule_id}`)).json()).toMatchObject({
    ...{ event_type: type, service: "shop", enabled: true, language: "", recipient_mode: "hints", built_in: false },
    template_id: created.template_id,
  });
  expect(await (await call("GET", `/api/v1/templates/${created.template_id}`)).json()).toMatchObject({
    ...{ active_version: 1, source_key: "studio.order-confirmation", name: "Order placed" },
  });
  const isOfTemplate = and(eq(template_versions.template_id, created.template_id));
  expect(await readRows(template_versions, isOfTemplate)).toMatchObject([{ number: 1, state: "published" }]);
  const audit = await readRows(audit_log, eq(audit_log.company_id, companyId));
  expect(audit.map(({ action, target }) => [action, target])).toEqual([
    ["event_type.created", `event_type:${type}`],
    ["rule.created", `rule:${created.rule_id}`],
  ]);

  await storeProvider(companyId, { kind: "api", api_key: "re_shop" });
  const { key } = await createKey({ service: "shop", lanes: ["transactional"], companies: [companyId] });
  const mails = recordMails();
  const post = (path: string, json: object) =>
    email.call(`/api/v1/${path}`, { bearer: key, json: { company_id: companyId, ...json } });
  const recipients = [{ email: uniqueAddress(), language: "fr", name: "Mina" }];
  expect((await post("events", { event_type: type, payload: order, recipients })).status).toBe(202);
  const sent = await post("send", { template_key: type, to: [{ email: uniqueAddress() }], variables: order });
  expect(sent.status).toBe(202);
  const [french, english] = mails;
  expect(french).toMatchObject({ subject: "Votre commande 1042 est confirmée" });
  expect(french?.text).toMatch(
    /Bonjour Mina,[\s\S]*Mug & saucer\s: 48,00\s€\nQuantité\s: 4\n\nTotal\s: 48,00\s€\n[\s\S]*Une erreur/,
  );
  expect(english).toMatchObject({ subject: "Your order 1042 is confirmed" });
  expect(english?.text).toMatch(/\n\nMug & saucer: €48\.00\nQuantity: 4\n\nTotal: €48\.00\n/);
  expect(english?.html).toMatch(/<img src="https:\/\/shop\.example\.com\/mug\.png" alt=""[\s\S]*Mug &amp; saucer/);
});

it("sends changed texts in both languages while the template is unedited, also after the purge of the old texts", async () => {
  const { companyId, call, create } = await startShop();
  const { template_id } = await (await create({ preset: "order.placed" })).json<Created>();
  await storeProvider(companyId, { kind: "api", api_key: "re_shop" });
  const { key } = await createKey({ service: "shop", lanes: ["transactional"], companies: [companyId] });
  const change = { en: { subject: "Order {{ order_number }}", lead: "New." }, fr: { lead: "Nouveau." } };
  expect((await call("PATCH", `${PATH}/shop.order.placed`, { texts: change })).status).toBe(200);
  await updateRows(default_contents, { retired_at: 1 }, isNotNull(default_contents.retired_at));
  await command(email, "purge_expired_data", {});
  const mails = recordMails();
  const post = async (language: string) => {
    const message = { template_key: "shop.order.placed", to: [{ email: uniqueAddress() }], variables: order, language };
    const response = await email.call("/api/v1/send", { bearer: key, json: { company_id: companyId, ...message } });
    expect(await response.json()).toMatchObject({ messages: [{ language }] });
    return mails.at(-1);
  };
  expect(await post("en")).toMatchObject({ subject: "Order 1042", text: expect.stringContaining("\nNew.\n") });
  expect(await post("fr")).toMatchObject({
    ...{ subject: "Votre commande 1042 est confirmée", text: expect.stringContaining("\nNouveau.\n") },
  });
  await call("POST", `/api/v1/templates/${template_id}/versions`, {
    subject: "Mine",
    document: paragraphDocument("Mine."),
  });
  await call("POST", `/api/v1/templates/${template_id}/versions/2/publish`, {});
  expect(await post("en")).toMatchObject({ subject: "Mine", text: expect.stringContaining("Mine.") });
});

it("takes each given field instead of the one of the preset", async () => {
  const { call, create } = await startShop();
  const change = {
    ...{ preset: "invoice.issued", event_type: "billing.invoice", default_language: "fr" },
    ...{ default_template: "matte.subscription-update", labels: { en: "Invoice" } },
    texts: { fr: { subject: "Facture {{ invoice_number }}", lead: "" }, en: {} },
  };
  const created = await (await create(change)).json<Created>();
  expect(created).toMatchObject({
    ...{ event_type: "billing.invoice", default_language: "fr", default_template: "matte.subscription-update" },
    labels: { en: "Invoice", fr: "Facture émise" },
    texts: {
      en: { subject: "Your invoice {{ invoice_number }}", button: "View the invoice" },
      fr: { subject: "Facture {{ invoice_number }}", lead: "", button: "Voir la facture" },
    },
  });
  expect(created.variables[1]).toMatchObject({ name: "items", sample: [{ name: "Formule Studio, novembre" }, {}] });
  const template = await (await call("GET", `/api/v1/templates/${created.template_id}`)).json<object>();
  expect(template).toMatchObject({ language: "fr", set: "matte" });
});

it("stores nothing when the preset is unknown, the type exists, or the company has 200 rules", async () => {
  const { companyId, create, stored } = await startShop();
  const refusal = async (json: object) => problemOf(await create(json));
  expect(await refusal({ preset: "order.lost" })).toEqual([400, "validation_failed", { preset: ["unknown"] }]);
  expect(await refusal({ preset: "order.placed", event_type: "email.order" })).toEqual([
    ...[400, "validation_failed"],
    { event_type: ["reserved"] },
  ]);
  const withoutVariables = { preset: "order.placed", variables: [] };
  const [status, , fields] = await refusal(withoutVariables);
  expect([status, Object.keys(Object(fields))]).toEqual([400, ["texts.en.subject", "texts.fr.subject"]]);
  expect(await stored()).toEqual([[], 0, 0]);
  await create({ event_type: "shop.order.placed", labels: { en: "Mine" } });
  expect(await refusal({ preset: "order.placed" })).toEqual([409, "conflict"]);
  expect(await stored()).toEqual([["shop.order.placed"], 0, 0]);
  await insertRows(
    rules,
    Array.from({ length: 200 }, (_, index) => ({ ...storedRule(companyId), template_id: -companyId * 1000 - index })),
  );
  expect(await refusal({ preset: "order.shipped" })).toEqual([409, "limit_reached"]);
  expect(await stored()).toEqual([["shop.order.placed"], 200, 0]);
});

it("belongs to the company of the token, and creates the type once for two simultaneous requests", async () => {
  const { companyId, call, create, stored } = await startShop();
  const other = await startShop();
  expect(await problemOf(await other.create({ preset: "order.placed", company_id: companyId }))).toEqual([
    403,
    "company_mismatch",
  ]);
  expect(await stored()).toEqual([[], 0, 0]);
  const body = { preset: "account.created", event_type: "shop.welcome" };
  const both = await Promise.all([create(body), create(body), other.create(body)]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
  expect([await stored(), await other.stored()]).toEqual([
    [["shop.welcome"], 1, 1],
    [["shop.welcome"], 1, 1],
  ]);
  const { rule_id } = await (both[2] as Response).json<Created>();
  expect((await call("GET", `/api/v1/rules/${rule_id}`)).status).toBe(404);
});

it("lists the presets by name, in pages", async () => {
  const { call } = await startShop();
  type Page = { presets: PublicPreset[]; next_cursor: string | null };
  const list = async (query = "") => (await call("GET", `${PATH}/presets${query}`)).json<Page>();
  const all = await list();
  expect(all.presets).toHaveLength(19);
  expect([all.presets.map(({ preset }) => preset)[0], all.next_cursor]).toEqual([
    "account.confirmation_requested",
    null,
  ]);
  const first = await list("?limit=10");
  const rest = await list(`?limit=10&cursor=${first.next_cursor}`);
  expect([[...first.presets, ...rest.presets], rest.next_cursor]).toEqual([all.presets, null]);
  expect(all.presets.find(({ preset }) => preset === "order.placed")).toMatchObject({
    ...{
      event_type: "shop.order.placed",
      suitable_templates: ["studio.order-confirmation", "arcane.order-confirmation"],
    },
    texts: { fr: { subject: "Votre commande {{ order_number }} est confirmée" } },
  });
});
