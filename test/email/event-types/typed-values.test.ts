import { expect, it } from "vitest";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf } from "../../support/email/custom-templates";
import { storeProvider } from "../../support/email/delivery";
import { createKey, startEmail } from "../../support/email/email";
import { recordMails } from "../../support/email/mail-api";
import { uniqueAddress } from "../../support/email/messages";
import { libraryId } from "../../support/email/rules";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { EMAIL_DELIVER_SYNC: "true" } });
const TYPE = "shop.order.placed";
const fields = [
  { name: "name", value_type: "text", required: true, labels: { en: "Item", fr: "Article" } },
  { name: "price", value_type: "money", labels: { en: "Price", fr: "Prix" } },
];
const ORDER = {
  event_type: TYPE,
  labels: { en: "Order placed", fr: "Commande passée" },
  variables: [
    { name: "paid_at", value_type: "date", labels: { en: "Paid", fr: "Payée" } },
    { name: "total", value_type: "money" },
    { name: "items", value_type: "list", fields, sample: [{ name: "Sample", price: { amount: 1, currency: "EUR" } }] },
  ],
};
const eur = (amount: string | number) => ({ amount, currency: "EUR" });
const values = {
  paid_at: "2026-11-27T23:30:00Z",
  total: eur(1038),
  items: [
    { name: "Pen & ink", price: eur("38.00") },
    { name: "{{ total }}", price: eur(1000) },
  ],
};

const company = await startCompany(email);
const { companyId } = company;
await storeProvider(companyId, { kind: "api", api_key: "re_shop" });
const { key } = await createKey({ service: "shop", lanes: ["transactional"], companies: [companyId] });
const call = (method: string, path: string, json?: unknown) => send(email, company.owner, { method, path, json });
expect((await call("POST", "/api/v1/event-types", ORDER)).status).toBe(201);

const to = (time_zone?: string) => ({ email: uniqueAddress(), ...(time_zone === undefined ? {} : { time_zone }) });
const mail = (overrides: object) => ({ company_id: companyId, template_key: TYPE, variables: values, ...overrides });
const post = (path: string, json: object) => email.call(`/api/v1/${path}`, { bearer: key, json });
/** Returns the text with ordinary spaces, because formatted values contain several kinds of spaces. */
const plain = (text: string | undefined) => (text ?? "").replace(/[^\S\n]/g, " ");

it("formats values in the language of the message and the time zone of each recipient, also in the items of a list", async () => {
  const mails = recordMails();
  const sent = await post("send", mail({ language: "fr", to: [to("Europe/Paris"), to()] }));
  expect(sent.status, await sent.clone().text()).toBe(202);
  const [paris, utc] = mails.map(({ text }) => plain(text));
  expect(paris).toContain("Pen & ink : 38,00 €\n{{ total }} : 1 000,00 €\nTotal : 1 038,00 €\n");
  expect(paris).toContain("Payée : 28 novembre 2026 à 00:30 UTC+1\n");
  expect(utc).toContain("Payée : 27 novembre 2026 à 23:30 UTC\n");
  expect(mails[0]?.html).toContain("Pen &amp; ink");
  const items = [
    { to: to("America/New_York"), variables: values },
    { to: to(), variables: { ...values, total: 5 } },
  ];
  const batch = await post("send/batch", mail({ variables: undefined, items }));
  expect(await batch.json()).toMatchObject({ rejected: [{ index: 1, error_code: "validation_failed" }] });
  expect(plain(mails[2]?.text)).toContain("Paid: 27 November 2026 at 18:30 GMT-5\n");
});

it("rejects values of another type, long lists and more than 8192 bytes", async () => {
  const problem = async (variables: object) => problemOf(await post("send", mail({ to: [to()], variables })));
  const item = { name: "x" };
  expect(await problem({ paid_at: "soon", total: eur("1,5"), items: [item, { price: 3 }, 7] })).toEqual([
    400,
    "validation_failed",
    {
      "variables.paid_at": ["invalid"],
      "variables.total": ["invalid"],
      "variables.items.1.price": ["invalid"],
      "variables.items.2": ["invalid"],
    },
  ]);
  expect(await problem({ items: [item, {}] })).toEqual([
    400,
    "validation_failed",
    { "variables.items.1.name": ["required"] },
  ]);
  const many = Array.from({ length: 101 }, () => item);
  expect(await problem({ items: many })).toEqual([400, "validation_failed", { "variables.items": ["too_many"] }]);
  expect(await problem({ items: [{ name: "x".repeat(8200) }] })).toEqual([
    400,
    "validation_failed",
    { variables: ["too_large"] },
  ]);
});

it("repeats a section of a custom template over the list of the event", async () => {
  const mails = recordMails();
  const content = { library_id: await libraryId() };
  const rule = await call("POST", "/api/v1/rules", { event_type: TYPE, content });
  const { template_id: id } = await rule.json<{ template_id: number }>();
  const path = `/api/v1/templates/${id}`;
  const text = (value: string) => ({ type: "paragraph", content: [{ type: "text", text: value }] });
  const draftOf = (each: string, note = "") => ({
    subject: "{{ total }}",
    document: documentOf({
      type: "section",
      attrs: { each },
      content: [text(`{{ item.name }} {{ item.stock }}${note}`)],
    }),
  });
  const preview = await call("POST", `${path}/preview`, { ...draftOf("items"), variables: { total: eur(2) } });
  expect(await preview.json()).toMatchObject({
    subject: "€2.00",
    text: "Sample\n",
    warnings: [{ code: "unknown_token", detail: "items.stock" }],
  });
  const publish = async (each: string, note?: string) => {
    const { number } = await (await call("POST", `${path}/versions`, draftOf(each, note))).json<{ number: number }>();
    return call("POST", `${path}/versions/${number}/publish`);
  };
  expect(await problemOf(await publish("others"))).toEqual([400, "validation_failed", { document: ["list_unknown"] }]);
  // The mail would be too large with 100 items, although it is small with the sample.
  const tooLarge = [400, "validation_failed", { document: ["render_failed"] }];
  expect(await problemOf(await publish("items", "x".repeat(12_000)))).toEqual(tooLarge);
  expect((await publish("items")).status).toBe(200);
  const recipients = [{ ...to("Asia/Tokyo"), language: "fr" }];
  await post("events", { company_id: companyId, event_type: TYPE, payload: values, recipients });
  expect(mails.map((sent) => [plain(sent.subject), sent.text])).toEqual([["€1,038.00", "Pen & ink\n\n{{ total }}\n"]]);
});
