import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { message_attachments, messages } from "../../../db/email/schema";
import { createCompany, startDelivery, storeProvider } from "../../support/email/delivery";
import { createKey, startEmail, testEnv } from "../../support/email/email";
import { countRows, readRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

type Json = Record<string, unknown>;

const content = btoa("%PDF-1.7");
const mail = {
  from: "shop@aster.example",
  to: ["mina@example.com", "leo@example.com"],
  subject: "Invoice 1042",
  html: '<img src="cid:logo">',
  attachments: [
    { filename: "invoice.pdf", content },
    { filename: "logo.png", content, content_id: "logo" },
  ],
};

it("sends the attachments of an email to each recipient, and removes them", async () => {
  const company = createCompany();
  const delivery = startDelivery();
  const email = await startEmail();
  await storeProvider(company, { kind: "api", api_key: "key" }, { from_email: "shop@aster.example" });
  const { key } = await createKey({ service: `shop-${company}`, lanes: ["transactional"], companies: [company] });
  const call = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const response = await email.call(`/api/v1/emails${path}`, { method: "POST", bearer: key, json, headers });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const stored = async () => [
    await countRows(message_attachments, eq(message_attachments.company_id, company)),
    (await testEnv.ATTACHMENTS.list({ prefix: `attachments/${company}/` })).objects.length,
  ];

  const invalid = {
    ...mail,
    attachments: [
      { filename: "a.exe", content },
      { filename: "b", path: "https://b.test" },
    ],
  };
  expect(await call("", invalid)).toMatchObject({
    status: 400,
    body: { field_errors: { "attachments.0.filename": ["not_allowed"], "attachments.1.path": ["not_allowed"] } },
  });
  expect(await call("/batch", [mail])).toMatchObject({
    status: 400,
    body: { field_errors: { "emails.0.attachments": ["not_allowed"] } },
  });
  const reference = { ...mail, attachments: [{ storage: { bucket: "company", path: "a.pdf" } }] };
  expect((await call("", reference)).status).toBe(503);
  expect(await stored()).toEqual([0, 0]);

  const headers = { "idempotency-key": "invoice-1042" };
  const sent = await call("", mail, headers);
  expect(await call("", mail, headers)).toEqual(sent);
  expect(await stored()).toEqual([1, 2]);
  const rows = await readRows(messages, eq(messages.company_id, company));
  await delivery.consumeIds(
    rows.map(({ id }) => id),
    "transactional",
  );
  const files = [
    { filename: "invoice.pdf", content_type: "application/pdf", content },
    { filename: "logo.png", content_type: "image/png", content_id: "logo", content },
  ];
  expect(delivery.calls.map((request) => request.mail.attachments)).toEqual([files, files]);
  expect(await stored()).toEqual([0, 0]);

  const scheduled = await call("", { ...mail, scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });
  expect(await stored()).toEqual([1, 2]);
  expect((await call(`/${scheduled.body.id}/cancel`, {})).status).toBe(200);
  await expect.poll(stored).toEqual([0, 0]);
});
