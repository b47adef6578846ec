import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages, stats_marks } from "../../../db/email/schema";
import { bytesToBase64 } from "../../../workers/kit/crypto/encoding";
import { openDb } from "../../../workers/kit/db/db";
import { meterDatabase } from "../../support/db/metered-database";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, startDelivery, storeProvider, withDb } from "../../support/email/delivery";
import { createKey, startEmail, testEnv } from "../../support/email/email";
import { readRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail();

async function startShop() {
  const company = createCompany();
  // A test with a later clock may have moved the roll-up mark. A message before the mark would also write roll-up rows.
  const [mark] = await readRows(stats_marks, undefined);
  const delivery = startDelivery({ at: Math.max(Date.now(), mark?.counted_before ?? 0) });
  await storeProvider(company, { kind: "api", api_key: "key" });
  const { key } = await createKey({ service: "shop", companies: [company] });
  const metered = meterDatabase(testEnv.DB);
  const post = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const init = { bearer: key, json, headers, bindings: { DB: metered.db } };
    const response = await email.call(`/api/v1/emails${path}`, init);
    expect(response.status, await response.clone().text()).toBe(200);
    return metered.takeStatements();
  };
  return { company, delivery, metered, post };
}

type Statements = ReturnType<ReturnType<typeof meterDatabase>["takeStatements"]>;

/** Returns the statements that wrote rows, with their number. */
const writesOf = (statements: Statements) =>
  statements.flatMap(({ statement, written }) => (written === 0 ? [] : [[statement, written]]));

const order = (overrides: object) => ({
  from: "hello@aster.example",
  to: "mina@example.com",
  subject: "Your order",
  ...overrides,
});

it("writes 14 rows for an email by the mail API, from its acceptance until it is purged", async () => {
  const { company, delivery, metered, post } = await startShop();
  // The first email of a key also looks up the key.
  await post("", order({ text: "First" }));
  const [first] = await readRows(messages, eq(messages.company_id, company));
  await deliverNow(delivery.build(), [first?.id ?? ""], "transactional");
  const accepted = writesOf(await post("", order({ html: "<p>Thank you</p>" }), { "idempotency-key": "order-1042" }));
  const id = (await readRows(messages, eq(messages.company_id, company))).find((row) => row.id !== first?.id)?.id ?? "";
  await deliverNow(withDb(delivery.build(), openDb(metered.db)), [id], "transactional");
  const sent = writesOf(metered.takeStatements());
  const deleted = [
    await testEnv.DB.prepare(
      "delete from event_log where company_id = ? and id = (select max(id) from event_log where company_id = ?)",
    )
      .bind(company, company)
      .run(),
    await testEnv.DB.prepare("delete from messages where id = ?").bind(id).run(),
  ];
  expect([...accepted, ...sent]).toEqual([
    // The message, and its entries in four indexes: company, address, open messages and idempotency key.
    ["insert into messages", 5],
    ["insert into direct_contents", 1],
    ["update messages set", 1],
    ["insert into event_log", 2],
    // The result, and the entry of the id of the mail API in its index.
    ["update messages set", 2],
    ["delete from direct_contents", 1],
  ]);
  expect(deleted.map(({ meta }) => meta.rows_written)).toEqual([1, 1]);
});

/** Returns a text that cannot be compressed. */
const randomText = (size: number) => bytesToBase64(crypto.getRandomValues(new Uint8Array((size / 4) * 3)));

it.each([
  ["text", () => "Thank you for your order. ".repeat(390)],
  ["random text", () => randomText(10_400)],
])("accepts a batch of 100 emails with 1 MB of %s in six statements after its checks", async (_kind, content) => {
  const { post } = await startShop();
  await post("", order({ text: "First" }));
  const emails = Array.from({ length: 100 }, (_, index) =>
    order({ html: `<p>${content()}</p>`, to: `reader${index}@example.com` }),
  );
  const statements = await post("/batch", emails, { "idempotency-key": "batch" });
  expect(statements.filter(({ text }) => !/^(?:select|with)/i.test(text)).map(({ statement }) => statement)).toEqual([
    // The first two free a key whose window is over.
    "delete from send_requests",
    "update messages set",
    "insert into send_requests",
    "insert into messages",
    "insert into stats_days",
    "insert into direct_contents",
  ]);
});
