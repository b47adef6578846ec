import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { message_attachments } from "../../../db/email/schema";
import type { ReadObjectResult } from "../../../schemas/rpc";
import type { NewAttachment } from "../../../workers/email/delivery/attachments/attachment-input";
import { storeAttachments, sweepAttachments } from "../../../workers/email/delivery/attachments/attachments";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { openDb } from "../../../workers/kit/db/db";
import { Problem } from "../../../workers/kit/problem";
import { HOUR_MS } from "../../../workers/kit/time";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, rejectWith, startDelivery, withDb } from "../../support/email/delivery";
import { createKey, startEmail, testEnv } from "../../support/email/email";
import { readMessage, storeMessage } from "../../support/email/messages";
import { readRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";
import { killAtEachCall, killable } from "../../support/storage/kill";

restoreAfterEach();

const bytes = new TextEncoder().encode("%PDF-1.7");
const invoice: NewAttachment = {
  filename: "Rechnung für März.pdf",
  contentType: "application/pdf",
  contentId: null,
  field: "attachments.0",
  source: { kind: "bytes", bytes },
};
const logo: NewAttachment = { ...invoice, filename: "logo.png", contentType: "image/png", contentId: "logo" };

const rowsOf = (companyId: number) => readRows(message_attachments, eq(message_attachments.company_id, companyId));

/** Returns the keys of the stored bytes of a company. */
const keysOf = async (companyId: number) =>
  (await testEnv.ATTACHMENTS.list({ prefix: `attachments/${companyId}/` })).objects.map(({ key }) => key);

/** Starts delivery for a new company that sends all mail through the platform. */
function start(options: Parameters<typeof startDelivery>[0] = {}) {
  const company = createCompany();
  const harness = startDelivery({ ...options, settings: { platformCompanyIds: new Set([company]) } });
  return { company, harness, services: harness.build() };
}

const waiting = (company: number, attachments_id: string | null) =>
  storeMessage(company, { lane: "transactional", attachments_id });

it("sends the attachments of a message, and removes them after the last message of the request", async () => {
  const { company, harness, services } = start();
  const set = await storeAttachments(services, company, [invoice, logo]);
  const [row] = await rowsOf(company);
  expect(row).toMatchObject({ id: set, file_count: 2 });
  expect(JSON.stringify(row)).not.toContain("logo");
  expect(await keysOf(company)).toEqual([`attachments/${company}/${set}/0`, `attachments/${company}/${set}/1`]);
  const [first, second] = [await waiting(company, set), await waiting(company, set)];
  harness.state.respond = rejectWith(500);
  await deliverNow(services, [first], "transactional");
  expect(await readMessage(first)).toMatchObject({ status: "retrying" });
  harness.state.respond = () => Response.json({ id: "accepted" });
  harness.advance(HOUR_MS);
  await deliverNow(services, [first], "transactional");
  const content = btoa("%PDF-1.7");
  expect(harness.calls.map(({ mail }) => mail.attachments)).toEqual(
    Array(2).fill([
      { filename: "Rechnung für März.pdf", content_type: "application/pdf", content },
      { filename: "logo.png", content_type: "image/png", content_id: "logo", content },
    ]),
  );
  // A check in between postpones the removal, because the second message waits.
  await sweepAttachments(services);
  expect(await keysOf(company)).toHaveLength(2);
  await deliverNow(services, [second], "transactional");
  expect([await rowsOf(company), await keysOf(company)]).toEqual([[], []]);
});

it("removes the attachments of a message that is cancelled, and of one that is erased", async () => {
  const { company, harness, services } = start();
  const email = await startEmail();
  const { key } = await createKey({ service: "identity", companies: [company] });
  const cancelled = await waiting(company, await storeAttachments(services, company, [invoice]));
  await email.call(`/api/v1/messages/${cancelled}/cancel`, { method: "POST", bearer: key });
  await expect.poll(() => keysOf(company)).toEqual([]);
  expect(await rowsOf(company)).toEqual([]);

  const address = `erased-${company}@example.com`;
  const { peppers } = await services.keys();
  const email_hmac = await hashAddress(peppers[0] ?? new Uint8Array(), address);
  const set = await storeAttachments(services, company, [invoice]);
  await storeMessage(company, { lane: "transactional", attachments_id: set, email_hmac, to: address });
  const json = { company_id: company, email: address };
  expect((await email.call("/api/v1/privacy/erase", { method: "POST", bearer: key, json })).status).toBe(200);
  harness.advance(1000);
  await sweepAttachments(services);
  expect([await rowsOf(company), await keysOf(company)]).toEqual([[], []]);
});

it("fails a message whose attachments are missing, and retries while they cannot be read", async () => {
  const { company, harness, services } = start();
  const missing = await waiting(company, "0".repeat(32));
  const unreadable = await waiting(company, await storeAttachments(services, company, [invoice]));
  const attachments = { get: () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket;
  await deliverNow({ ...services, attachments }, [missing, unreadable], "transactional");
  expect(await readMessage(missing)).toMatchObject({ status: "failed", last_error_code: "attachments_missing" });
  expect(await readMessage(unreadable)).toMatchObject({ status: "retrying", last_error_code: "provider_error" });
  expect(harness.calls).toEqual([]);
  expect(await keysOf(company)).toHaveLength(1);
});

it("loses and keeps nothing when it is killed before or after any call", async () => {
  const calls = await killAtEachCall(async (at) => {
    const { company, harness, services } = start();
    const { bindings, calls } = killable({ DB: testEnv.DB, OBJECTS: testEnv.ATTACHMENTS }, at);
    const killed = { ...withDb(services, openDb(bindings.DB)), attachments: bindings.OBJECTS };
    const stored = storeAttachments(killed, company, [invoice, logo]).catch(() => null);
    const set = await stored;
    if (set !== null) {
      const id = await waiting(company, set);
      await deliverNow(killed, [id], "transactional").catch(() => null);
      // The lease of an interrupted attempt ends, and the next attempt finds the files.
      harness.advance(HOUR_MS);
      await sweepQueue(services);
      harness.advance(HOUR_MS);
      await deliverNow(services, [id], "transactional");
      expect(await readMessage(id)).toMatchObject({ status: "sent" });
    }
    harness.advance(2 * HOUR_MS);
    await sweepAttachments(services);
    expect([await rowsOf(company), await keysOf(company)]).toEqual([[], []]);
    return calls();
  });
  // Insert the row, two files; claim, two files, result, search, removal of bytes and rows.
  expect(calls).toBe(10);
});

it("copies objects of storage, and returns an error for each object that it cannot copy", async () => {
  const { company, services } = start();
  const inputs: unknown[] = [];
  const attach = (result: () => ReadObjectResult, changes: Partial<NewAttachment> = {}) => {
    const storage = {
      readObject: async (input: unknown) => {
        inputs.push(input);
        return result();
      },
    };
    const source = { kind: "storage" as const, bucket: "company", path: "a/plan.pdf" };
    const reference = {
      ...invoice,
      filename: "plan.pdf",
      contentType: null,
      field: "attachments.1",
      source,
      ...changes,
    };
    return storeAttachments({ ...services, storage }, company, [invoice, reference]);
  };
  const found = (fields = {}) => ({
    ok: true as const,
    size: bytes.length,
    mime_type: "Application/PDF; x=1",
    body: new Response(bytes).body as ReadableStream<Uint8Array>,
    ...fields,
  });
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error) => (error instanceof Problem ? (error.options.field_errors ?? error.code) : error),
    );
  const set = await attach(found);
  expect(inputs).toEqual([{ company_id: company, bucket: "company", path: "a/plan.pdf", max_bytes: 5_242_880 - 8 }]);
  const copy = await testEnv.ATTACHMENTS.get(`attachments/${company}/${set}/1`);
  expect(await copy?.text()).toBe("%PDF-1.7");
  const reasons = ["bucket_not_found", "object_not_found", "encoded", "too_large"] as const;
  const failures = reasons.map((reason) => failureOf(attach(() => ({ ok: false, reason }))));
  expect(await Promise.all(failures)).toEqual([
    { "attachments.1.storage.bucket": ["unknown"] },
    { "attachments.1.storage.path": ["unknown"] },
    { "attachments.1.storage.path": ["not_allowed"] },
    { attachments: ["too_large"] },
  ]);
  const program = () => found({ mime_type: "application/x-msdownload" });
  expect(await failureOf(attach(program))).toEqual({ "attachments.1.content_type": ["not_allowed"] });
  expect(await failureOf(attach(() => found({ size: 9 })))).toBe("service_unavailable");
  const reference = { ...invoice, source: { kind: "storage" as const, bucket: "b", path: "p" } };
  expect(await failureOf(storeAttachments({ ...services, storage: null }, company, [reference]))).toBe(
    "service_unavailable",
  );
  const attachments = { put: () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket;
  expect(await failureOf(storeAttachments({ ...services, attachments }, company, [invoice]))).toBe("storage_error");
  expect(await rowsOf(company)).toHaveLength(2);
});
