import { createHash } from "node:crypto";
import { Resend } from "resend";
import { expect, it } from "vitest";
import { OPERATOR_KEY, sharePlatform } from "../support/platform/shared-platform";
import { runProgram } from "../support/python";

// Runs Resend's published clients for Node and Python against the email service. Only the base URL differs.

const MAIL_FROM = "no-reply@platform.example.com";
const DAY_MS = 86_400_000;
const daysAhead = (days: number) => new Date(Math.ceil(Date.now() / 1000) * 1000 + days * DAY_MS).toISOString();

/** The files that both clients attach: all bytes from 0 to 255 as `table.csv`, and an image that the HTML shows. */
const image = Buffer.from("iVBORw0KGgo=", "base64");
const fileOf = (fileName: string, bytes: Uint8Array) => ({
  fileName,
  length: bytes.length,
  checksum: createHash("md5").update(bytes).digest("hex"),
});
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const receivedFiles = [{ ...fileOf("logo.png", image), contentId: "logo" }, fileOf("table.csv", everyByte)];
const byName = (a: { fileName: string }, b: { fileName: string }) => a.fileName.localeCompare(b.fileName);

/** Returns the platform, the URL of its email service, and a service key that is limited to company 1. */
async function openShop() {
  const platform = await sharePlatform();
  const url = `${platform.url}/email/api/v1`;
  const response = await fetch(`${url}/management/create_service_key`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ flags: { service: "shop", lanes: "transactional", prefixes: "shop.", companies: "1" } }),
  });
  const key = /esk_[\w-]{43}/.exec(await response.text())?.[0] ?? "";
  return { platform, url, key };
}

it("the client for Node sends, repeats, batches, schedules, reschedules, shows and cancels emails", async () => {
  const { platform, url, key } = await openShop();
  const resend = new Resend(key, { baseUrl: url });
  const email = {
    from: `Aster Shop <${MAIL_FROM}>`,
    to: "node@example.com",
    subject: "Order from Node",
    html: "<p>Thank you, <b>Mina</b>.</p>",
    replyTo: "help@aster.example",
    tags: [{ name: "category", value: "node" }],
  };
  const attachments = [
    { filename: "table.csv", content: everyByte },
    { filename: "logo.png", content: image.toString("base64"), contentId: "logo" },
  ];
  const idempotencyKey = crypto.randomUUID();
  const sent = await resend.emails.send({ ...email, attachments }, { idempotencyKey });
  expect(sent).toMatchObject({ data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }, error: null });
  expect((await resend.emails.send({ ...email, attachments }, { idempotencyKey })).data).toEqual(sent.data);
  const mail = await platform.inbox.waitForMail("node@example.com");
  expect(mail).toMatchObject({ subject: "Order from Node", text: expect.stringContaining("Thank you, Mina.") });
  expect(mail.attachments?.sort(byName)).toMatchObject(receivedFiles);
  await expect
    .poll(async () => (await resend.emails.get(sent.data?.id ?? "")).data)
    .toMatchObject({ object: "email", to: ["node@example.com"], last_event: "sent", html: null, tags: email.tags });
  const later = await resend.emails.send({ ...email, scheduledAt: daysAhead(1) });
  const id = later.data?.id ?? "";
  const scheduledAt = daysAhead(2);
  expect((await resend.emails.update({ id, scheduledAt })).data).toEqual({ object: "email", id });
  expect((await resend.emails.get(id)).data).toMatchObject({
    from: email.from,
    subject: email.subject,
    html: email.html,
    reply_to: [email.replyTo],
    last_event: "scheduled",
    scheduled_at: scheduledAt,
  });
  expect((await resend.emails.cancel(id)).data).toEqual({ object: "email", id });
  const batch = await resend.batch.send([
    { ...email, to: ["a@example.com", "b@example.com"] },
    { ...email, to: "c@example.com" },
  ]);
  expect(batch).toMatchObject({ data: { data: [{ id: expect.any(String) }, { id: expect.any(String) }] } });
  expect(await resend.emails.send({ ...email, bcc: "ada@example.com" })).toMatchObject({
    data: null,
    error: { name: "validation_error", statusCode: 400, message: expect.stringContaining("`bcc` is not supported") },
  });
  expect(await new Resend("esk_unknown", { baseUrl: url }).emails.send(email)).toMatchObject({
    error: { name: "invalid_api_key", statusCode: 401, error_code: "unauthorized" },
  });
});

it("the client for Python sends, repeats, batches, schedules, reschedules, shows and cancels emails", async ({
  skip,
}) => {
  const { platform, url, key } = await openShop();
  const DAY_AFTER = daysAhead(2);
  const results = await runProgram("resend_calls.py", {
    RESEND_API_URL: url,
    RESEND_API_KEY: key,
    MAIL_FROM,
    IDEMPOTENCY_KEY: crypto.randomUUID(),
    TOMORROW: daysAhead(1),
    DAY_AFTER,
  });
  if (results === null) return skip();
  expect(results).toEqual({
    repeated: true,
    moved: true,
    shown: [`Aster Shop <${MAIL_FROM}>`, ["later@example.com"], "Order from Python", "scheduled", DAY_AFTER],
    cancelled: true,
    batch: [1, [1]],
    invalid: ["ValidationError", 400, "validation_error", expect.stringContaining("`cc` is not supported")],
    unknown: ["ResendError", 404, "not_found", expect.any(String)],
  });
  const mail = await platform.inbox.waitForMail("python@example.com");
  expect(mail).toMatchObject({ subject: "Order from Python", text: expect.stringContaining("Thank you, Mina.") });
  expect(mail.attachments?.sort(byName)).toMatchObject(receivedFiles);
});
