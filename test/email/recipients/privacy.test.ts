import { asc, eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { audit_log, erasures, messages, suppressions, unsubscribes } from "../../../db/email/schema";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import worker from "../../../workers/email/worker";
import { clock } from "../../../workers/kit/clock";
import { bytesToBase64 } from "../../../workers/kit/crypto/encoding";
import { DAY_MS } from "../../../workers/kit/time";
import { problemOf, startCompany } from "../../support/email/admin";
import { accept, startDelivery } from "../../support/email/delivery";
import {
  createKey,
  type EmailHarness,
  magicLink,
  startEmail,
  storeSuppression,
  testEnv,
} from "../../support/email/email";
import { countsOf, idAt, readMessage, storeMessage } from "../../support/email/messages";
import { countRows, deleteRows, insertRow, insertRows, readRows } from "../../support/email/rows";
import { tick } from "../../support/jobs/jobs";

const PATH = "/api/v1/privacy/erase";
const ADDRESS = "Mina@example.com";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const messagesOf = (companyId: number) => readRows(messages, eq(messages.company_id, companyId));
const erasuresOf = (companyId: number) => readRows(erasures, eq(erasures.company_id, companyId));
const totalsOf = async (companyId: number) => {
  const { queued = 0, sent = 0, cancelled = 0 } = await countsOf(companyId);
  return { queued, sent, cancelled };
};
const hashOf = async (address: string) => hashAddress((await keysOf(testEnv)).peppers[0] ?? new Uint8Array(), address);

async function start() {
  const email = await startEmail();
  const company = await startCompany(email);
  const { key } = await createKey({ service: "identity", companies: [company.companyId] });
  const erase = (json: unknown, bearer = key) => email.call(PATH, { bearer, json });
  const target = { company_id: company.companyId, email: ADDRESS };
  return { email, ...company, key, erase, target };
}

async function submit(email: EmailHarness, key: string, companyId: number, overrides: Record<string, unknown> = {}) {
  const response = await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId, overrides) });
  expect(response.status).toBe(202);
  return (await response.json()) as { messages: { id: string; to: string }[]; idempotent_replay: boolean };
}

it("deletes a company's messages to an address, with their events, and deletes nothing when repeated", async () => {
  const { email, key, companyId, erase, target } = await start();
  const other = await startCompany(email);
  await submit(email, (await createKey()).key, other.companyId);
  await submit(email, key, companyId);
  await submit(email, key, companyId);
  await submit(email, key, companyId, { to: [{ email: "anna@example.com" }] });
  const response = await erase({ ...target, email: " MINA@EXAMPLE.COM " });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ deleted_messages: 2, email_masked: "m***@example.com" });
  expect((await messagesOf(companyId)).map(({ to_masked }) => to_masked)).toEqual(["a***@example.com"]);
  expect(await messagesOf(other.companyId)).toHaveLength(1);
  expect((await messagesOf(companyId)).map(({ events }) => events[0]?.type)).toEqual(["queued"]);
  expect(await erasuresOf(companyId)).toEqual([]);
  expect(await (await erase(target)).json()).toEqual({ deleted_messages: 0, email_masked: "m***@example.com" });
});

it("erases in two round trips and keeps suppressions, unsubscribes and roll-ups", async () => {
  const { email, key, companyId, erase, target } = await start();
  await storeMessage(companyId, { status: "sent", email_hmac: await hashOf(ADDRESS) });
  await submit(email, key, companyId);
  await storeSuppression(companyId, ADDRESS, { reason: "complaint" });
  await storeSuppression(companyId, ADDRESS, { unsubscribed: "transactional" });
  const before = await totalsOf(companyId);
  const response = await erase(target);
  expect(email.acceptTripsOf(response)).toBeLessThanOrEqual(2);
  expect(await response.json()).toMatchObject({ deleted_messages: 2 });
  expect(await countRows(suppressions, eq(suppressions.company_id, companyId))).toBe(1);
  expect(await countRows(unsubscribes, eq(unsubscribes.company_id, companyId))).toBe(1);
  const after = await totalsOf(companyId);
  expect(after.sent).toBe(before.sent);
  expect(after.queued + after.cancelled).toBe(before.queued + before.cancelled);
});

it("erases messages with hashes of the previous pepper", async () => {
  const previous = new Uint8Array(32).fill(9);
  const email = await startEmail({ vars: { EMAIL_HASH_PEPPER_PREVIOUS: bytesToBase64(previous) } });
  const { companyId, staff } = await startCompany(email);
  await storeMessage(companyId, { status: "sent", email_hmac: await hashAddress(previous, ADDRESS) });
  const response = await email.call(PATH, { bearer: staff, json: { company_id: companyId, email: ADDRESS } });
  expect(await response.json()).toMatchObject({ deleted_messages: 1 });
});

it("masks the address in a replay of a request from before the erasure", async () => {
  const { email, key, companyId, erase, target } = await start();
  const idempotent = { idempotency_key: "once" };
  const first = await submit(email, key, companyId, idempotent);
  expect(first.messages[0]?.to).toBe(ADDRESS);
  await erase(target);
  const again = await submit(email, key, companyId, idempotent);
  expect(again).toMatchObject({
    idempotent_replay: true,
    messages: [{ id: first.messages[0]?.id, to: "m***@example.com" }],
  });
});

it("does not send erased messages that were waiting, and stores no result of an attempt that runs during the erasure", async () => {
  const delivery = startDelivery({ respond: accept });
  const { companyId, erase, target } = await start();
  const email_hmac = await hashOf(ADDRESS);
  const waiting = await storeMessage(companyId, { email_hmac });
  await erase(target);
  expect(await delivery.consumeIds([waiting])).toBe("acked");
  expect(delivery.calls).toEqual([]);
  const running = await storeMessage(companyId, { email_hmac });
  delivery.state.respond = async (_call, request) => {
    await erase(target);
    return Response.json({ id: `prov-${request.idempotencyKey}` });
  };
  expect(await delivery.consumeIds([running])).toBe("acked");
  expect(await messagesOf(companyId)).toEqual([]);
});

it("continues in the queue above 500 messages, returns the full count and keeps later messages", async () => {
  const { email, companyId, erase, target } = await start();
  const delivery = startDelivery();
  // Uses messages of yesterday, because messages that no roll-up has counted yet are deleted immediately.
  const old = { email_hmac: await hashOf(ADDRESS), accepted_at: Date.now() - DAY_MS };
  const template = await storeMessage(companyId, { ...old, status: "sent" });
  const row = await readMessage(template);
  const duplicates = Array.from({ length: 1200 }, () => ({ ...row, id: idAt(old.accepted_at) }));
  await insertRows(messages, duplicates);
  const waiting = await storeMessage(companyId, old);
  expect(await (await erase(target)).json()).toMatchObject({ deleted_messages: 1202 });
  expect((await messagesOf(companyId)).length).toBe(702);
  expect((await messagesOf(companyId)).filter(({ status }) => status === "queued")).toEqual([]);
  expect(await delivery.consumeIds([waiting])).toBe("acked");
  expect(delivery.calls).toEqual([]);
  const [erasure] = await erasuresOf(companyId);
  const wakeUp = { v: 1, kind: "erase", company_id: companyId, ids: [erasure?.id], request_id: expect.any(String) };
  expect(email.queueMessages.erasures).toEqual([wakeUp]);
  delivery.advance(1);
  const later = await storeMessage(companyId, { status: "sent", email_hmac: await hashOf(ADDRESS) });
  const continueErasure = () => delivery.consumeBodies([{ ...wakeUp, request_id: "r" }], "erasures");
  expect(await continueErasure()).toBe("acked");
  expect((await messagesOf(companyId)).length).toBe(203);
  expect(delivery.enqueued.at(-1)).toMatchObject({ lane: "erasures", ids: [erasure?.id] });
  const enqueuedCount = delivery.enqueued.length;
  expect(await continueErasure()).toBe("acked");
  expect((await messagesOf(companyId)).map(({ id }) => id)).toEqual([later]);
  expect(delivery.enqueued.length).toBe(enqueuedCount);
  expect(await erasuresOf(companyId)).toEqual([]);
  // The previous release enqueued erasures in `email-bulk`.
  expect(await delivery.consumeBodies([{ ...wakeUp, request_id: "r" }], "bulk")).toBe("acked");
  expect(await messagesOf(companyId)).toHaveLength(1);
});

it("enqueues an erasure again when it is unfinished after 30 s", async () => {
  const { email, companyId } = await start();
  const id = crypto.randomUUID().replaceAll("-", "");
  await insertRow(erasures, { id, company_id: companyId, hashes: [], requested_at: Date.now() });
  const minute = async () => {
    await tick(worker, email.bindings);
    return email.queueMessages.erasures?.some((wakeUp) => wakeUp.kind === "erase" && wakeUp.ids.includes(id));
  };
  expect(await minute()).toBe(false);
  clock.now = () => systemNow() + 31_000;
  expect(await minute()).toBe(true);
  await deleteRows(erasures, eq(erasures.id, id));
});

it("writes one audit entry per erasure, with the actor and the count and without the address", async () => {
  const { email, key, companyId, staff, erase, target } = await start();
  await submit(email, key, companyId);
  await erase(target);
  await erase(target, staff);
  const audit = await readRows(audit_log, eq(audit_log.company_id, companyId), asc(audit_log.id));
  expect(audit).toMatchObject([
    { actor_kind: "service", actor_user_id: null, action: "privacy.erased", changes: '{"deleted_messages":1}' },
    { actor_kind: "session", action: "privacy.erased", changes: '{"deleted_messages":0}' },
  ]);
  expect(JSON.stringify(audit).toLowerCase()).not.toContain("mina");
});

it("accepts erasures from staff, and from a key of identity for the companies that the key covers", async () => {
  const { email, companyId, owner, member, staff, erase, target } = await start();
  const other = (await createKey({ service: "billing", companies: null })).key;
  const elsewhere = (await createKey({ service: "identity", companies: [companyId + 1] })).key;
  const everywhere = (await createKey({ service: "identity", companies: null })).key;
  const ended = (await createKey({ service: "identity", active: false })).key;
  const none = await email.call(PATH, { json: target });
  expect(none.headers.get("www-authenticate")).toBe("Bearer");
  expect(await problemOf(none)).toEqual([401, "unauthorized"]);
  expect(await problemOf(await erase(target, ended))).toEqual([401, "unauthorized"]);
  expect(await problemOf(await erase(target, "nonsense"))).toEqual([401, "unauthorized"]);
  expect(await problemOf(await erase(target, other))).toEqual([403, "forbidden"]);
  expect(await problemOf(await erase(target, elsewhere))).toEqual([403, "company_mismatch"]);
  expect(await problemOf(await erase(target, owner))).toEqual([403, "forbidden"]);
  expect(await problemOf(await erase(target, member))).toEqual([403, "forbidden"]);
  expect(await problemOf(await erase({ ...target, company_id: companyId + 1 }, owner))).toEqual([
    403,
    "company_mismatch",
  ]);
  const readOnly = await email.token({ companyId, isStaff: true, pat: { readOnly: true } });
  expect(await problemOf(await erase(target, readOnly))).toEqual([403, "pat_read_only"]);
  expect((await erase(target, everywhere)).status).toBe(200);
  expect((await erase(target, staff)).status).toBe(200);
  const staffOfCompany = await email.token({ companyId, isStaff: true, userId: companyId + 3_000_000_000 });
  expect(await problemOf(await erase({ email: ADDRESS }, staffOfCompany))).toEqual([
    400,
    "validation_failed",
    { company_id: ["required"] },
  ]);
});

it.each([
  [{ email: "a@example.com" }, { company_id: ["required"] }],
  [{ company_id: 0, email: "a@example.com" }, { company_id: ["invalid"] }],
  [{ company_id: "1", email: "a@example.com" }, { company_id: ["invalid"] }],
  [{ company_id: 1.5, email: "a@example.com" }, { company_id: ["invalid"] }],
  [{}, { company_id: ["required"] }],
])("rejects the erasure %j from a key and from staff", async (json, fields) => {
  const { erase, staff } = await start();
  for (const bearer of [(await createKey({ service: "identity" })).key, staff]) {
    expect(await problemOf(await erase(json, bearer))).toEqual([400, "validation_failed", fields]);
  }
});

it.each([
  [undefined, { email: ["required"] }],
  ["", { email: ["required"] }],
  [5, { email: ["invalid_format"] }],
  [null, { email: ["invalid_format"] }],
  ["nobody", { email: ["invalid_format"] }],
  ["a\u0000@example.com", { email: ["invalid_format"] }],
  ["\ud800@example.com", { email: ["invalid_format"] }],
])("rejects an erasure of the address %j", async (address, fields) => {
  const { erase, companyId, staff, key } = await start();
  for (const bearer of [key, staff]) {
    expect(await problemOf(await erase({ company_id: companyId, email: address }, bearer))).toEqual([
      400,
      "validation_failed",
      fields,
    ]);
  }
});

it("rejects malformed erasure requests with the matching status, and a query that names another company than the body", async () => {
  const { email, companyId, key, target } = await start();
  const post = (body: string, type = "application/json") =>
    email.call(PATH, { method: "POST", bearer: key, body, headers: { "content-type": type } });
  expect((await post("[")).status).toBe(400);
  expect((await post("{}", "text/plain")).status).toBe(415);
  expect((await post(JSON.stringify({ a: "x".repeat(70_000) }))).status).toBe(413);
  expect((await email.call(PATH, { bearer: key })).status).toBe(405);
  const both = await email.call(`${PATH}?company_id=${companyId + 1}`, { bearer: key, json: target });
  expect(await problemOf(both)).toEqual([400, "validation_failed", { company_id: ["mismatch"] }]);
});

it("counts each erased message once across concurrent requests", async () => {
  const { email, key, companyId, erase, target } = await start();
  for (let i = 0; i < 5; i++) await submit(email, key, companyId);
  const responses = await Promise.all(Array.from({ length: 20 }, () => erase(target)));
  const counts = await Promise.all(
    responses.map(async (response) => ((await response.json()) as { deleted_messages: number }).deleted_messages),
  );
  expect(counts.sort((a, b) => b - a)).toEqual([5, ...Array<number>(19).fill(0)]);
  expect(await totalsOf(companyId)).toMatchObject({ queued: 0, cancelled: 5 });
});
