import { and, eq, like } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log, messages, newsletters, subscribers, suppressions, unsubscribes } from "../../../db/email/schema";
import { openMessage } from "../../../workers/email/delivery/messages/mail";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { problemOf, startCompany } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { type PublicSubscriber, startNewsletter } from "../../support/email/newsletters";
import { deleteRows, insertRow, pauseLane, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

type Added = { outcome: string; subscriber: PublicSubscriber | null };
type Page = {
  count?: number;
  page?: number;
  page_size: number;
  results: PublicSubscriber[];
  next_cursor: string | null;
};

const hashOf = async (address: string) => {
  const { peppers } = await keysOf(email.bindings);
  return hashAddress(peppers[0] as Uint8Array, address);
};
const mailsOf = async (companyId: number) =>
  readRows(messages, and(eq(messages.company_id, companyId), eq(messages.event_type, "newsletter_confirmation")));

it("sends a confirmation mail whose link has the stored token", async () => {
  const { companyId, list, add, rows } = await startNewsletter(email);
  const address = uniqueAddress();
  const response = await add({ email: ` ${address} `, first_name: "Mina", language: "fr" });
  expect(response.status).toBe(201);
  expect(await response.json<Added>()).toMatchObject({
    outcome: "sent",
    subscriber: {
      email: address,
      first_name: "Mina",
      language: "fr",
      status: "pending",
      source: "admin",
      consent: null,
    },
  });
  const [row] = await rows();
  const [message] = await mailsOf(companyId);
  if (message === undefined || row === undefined) throw new Error("no message or subscriber");
  expect(message).toMatchObject({
    lane: "transactional",
    category: "transactional",
    service: "email",
    status: "queued",
    list_id: list.id,
    language: "fr",
    email_hmac: await hashOf(address),
    default_checksum: row.text_version,
  });
  expect(email.queueMessages.transactional?.some(({ ids }) => ids.includes(message.id))).toBe(true);
  const opened = await openMessage(message, await keysOf(email.bindings));
  expect(opened).toMatchObject({ to: address, variables: { list_name: "Product news", first_name: "Mina" } });
  const url = String(opened?.variables.confirm_url);
  expect(url).toMatch(/\/api\/v1\/public\/newsletters\/confirm\/[A-Za-z0-9_-]{43}$/);
  expect(row.token_hash).toBe(await sha256Hex(url.slice(url.lastIndexOf("/") + 1)));
  expect(JSON.stringify([row, message])).not.toContain(address.split("@")[0]);
});

it("uses the custom mail in its language and the default mail in the other", async () => {
  const { companyId, list, call, add } = await startNewsletter(email);
  const path = `/api/v1/templates/${list.confirmation_template_id}/versions`;
  const button = { type: "button", attrs: { href: "{{ confirm_url }}" }, content: [{ type: "text", text: "Yes" }] };
  await call("POST", path, { subject: "Our own words", document: { type: "doc", content: [button] } });
  expect((await call("POST", `${path}/2/publish`)).status).toBe(200);
  for (const language of ["en", "fr"]) await add({ email: uniqueAddress(), language });
  const mails = (await mailsOf(companyId)).sort((a, b) => (a.language < b.language ? -1 : 1));
  expect(
    mails.map(({ language, template_version, default_checksum }) => [language, template_version, default_checksum]),
  ).toEqual([
    ["en", 2, null],
    ["fr", null, expect.any(String)],
  ]);
});

it("sends at most one mail per 10 minutes and three per day to an address", async () => {
  const { companyId, add, rows } = await startNewsletter(email);
  const address = uniqueAddress();
  const outcomes: string[] = [];
  const ask = async () => outcomes.push((await (await add({ email: address })).json<Added>()).outcome);
  await ask();
  await ask();
  for (let i = 0; i < 3; i++) {
    const [row] = await rows();
    await updateRows(subscribers, { mailed_at: (row?.mailed_at ?? 0) - 601_000 }, eq(subscribers.id, row?.id ?? 0));
    await ask();
  }
  expect(outcomes).toEqual(["sent", "throttled", "sent", "sent", "throttled"]);
  expect(await mailsOf(companyId)).toHaveLength(3);
  const [row] = await rows();
  await updateRows(
    subscribers,
    { mail_day: (row?.mail_day ?? 0) - 86_400_001, mailed_at: 1 },
    eq(subscribers.id, row?.id ?? 0),
  );
  await ask();
  expect(outcomes.at(-1)).toBe("sent");
  expect((await rows())[0]?.mail_count).toBe(1);
});

it("asks parallel requests for the same address only once", async () => {
  const { companyId, call, path, expectCounts } = await startNewsletter(email);
  const address = uniqueAddress();
  const json = { email: address };
  const responses = await Promise.all(Array.from({ length: 8 }, () => call("POST", `${path}/subscribers`, json)));
  const outcomes = await Promise.all(responses.map(async (response) => (await response.json<Added>()).outcome));
  expect(outcomes.filter((outcome) => outcome === "sent")).toHaveLength(1);
  expect(await mailsOf(companyId)).toHaveLength(1);
  expect(await expectCounts()).toEqual({ pending: 1, confirmed: 0, unsubscribed: 0 });
});

it("adds people with consent, confirms pending ones, and never changes confirmed ones", async () => {
  const { companyId, add, expectCounts, rows } = await startNewsletter(email);
  const address = uniqueAddress();
  await add({ email: address });
  expect(await (await add({ email: address, mode: "consented" })).json()).toMatchObject({
    outcome: "added",
    subscriber: { status: "confirmed" },
  });
  const [before] = await rows();
  for (const mode of ["consented", "confirm"]) {
    expect(await (await add({ email: address.toUpperCase(), first_name: "Other", mode })).json()).toMatchObject({
      outcome: "existing",
      subscriber: { email: address, first_name: "" },
    });
  }
  expect(await rows()).toEqual([before]);
  expect(await mailsOf(companyId)).toHaveLength(1);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
});

it("keeps suppressed and unsubscribed addresses out", async () => {
  const { companyId, list, add, rows } = await startNewsletter(email);
  const suppressed = uniqueAddress();
  const row = { company_id: companyId, email_hmac: await hashOf(suppressed), email_masked: "u***@example.com" };
  const { id } = await insertRow(suppressions, { ...row, reason: "hard_bounce", lanes: [], created_at: 1 });
  expect(await problemOf(await add({ email: suppressed, mode: "consented" }))).toEqual([409, "subscriber_suppressed"]);
  expect(await (await add({ email: suppressed })).json()).toEqual({ outcome: "suppressed", subscriber: null });
  expect(await rows()).toEqual([]);
  await deleteRows(suppressions, eq(suppressions.id, id));
  expect((await add({ email: suppressed, mode: "consented" })).status).toBe(201);
  for (const category of ["bulk", `list-${list.id}`]) {
    const address = uniqueAddress();
    await insertRow(unsubscribes, {
      company_id: companyId,
      email_hmac: await hashOf(address),
      category,
      source: "page",
      created_at: 1,
    });
    expect(await problemOf(await add({ email: address, mode: "consented" }))).toEqual([409, "subscriber_unsubscribed"]);
    // Asking them first changes nothing: only they can confirm.
    expect(await (await add({ email: address })).json()).toMatchObject({ outcome: "sent" });
    expect(await problemOf(await add({ email: address, mode: "consented" }))).toEqual([409, "subscriber_unsubscribed"]);
  }
});

it("keeps a person unsubscribed until they confirm again", async () => {
  const { list, add, rows } = await startNewsletter(email);
  const address = uniqueAddress();
  await add({ email: address, mode: "consented" });
  const change = {
    status: "unsubscribed",
    unsubscribed_at: 1,
    email_enc: null,
    first_name_enc: null,
    cleared_at: 2,
  } as const;
  await updateRows(subscribers, change, eq(subscribers.list_id, list.id));
  await updateRows(newsletters, { confirmed: 0, unsubscribed: 1 }, eq(newsletters.id, list.id));
  expect(await problemOf(await add({ email: address, mode: "consented" }))).toEqual([409, "subscriber_unsubscribed"]);
  expect(await (await add({ email: address })).json()).toMatchObject({
    outcome: "sent",
    subscriber: { email: address, status: "unsubscribed" },
  });
  expect((await rows())[0]).toMatchObject({ status: "unsubscribed", token_hash: expect.any(String), cleared_at: null });
});

it("lists subscribers by page and cursor, filters them, and audits each reading", async () => {
  const { companyId, call, path, add, list } = await startNewsletter(email);
  const addresses = [uniqueAddress(), uniqueAddress(), uniqueAddress()];
  for (const [i, address] of addresses.entries())
    await add({ email: address, mode: i === 1 ? "confirm" : "consented" });
  const get = async (query: string) => (await call("GET", `${path}/subscribers${query}`)).json<Page>();
  const emails = ({ results }: Page) => results.map((row) => row.email);
  const newest = [...addresses].reverse();
  const all = await get("");
  expect([emails(all), all.count, all.page, all.page_size, all.next_cursor]).toEqual([newest, 3, 1, 50, null]);
  const first = await get("?page_size=2");
  expect([emails(first), emails(await get(`?page_size=2&cursor=${first.next_cursor}`))]).toEqual([
    newest.slice(0, 2),
    newest.slice(2),
  ]);
  expect(emails(await get("?page_size=2&page=2"))).toEqual(newest.slice(2));
  expect([emails(await get("?status=pending")), (await get("?status=pending")).count]).toEqual([[addresses[1]], 1]);
  expect(emails(await get(`?email=${addresses[0]}`))).toEqual([addresses[0]]);
  expect(emails(await get(`?email=${addresses[0]}&status=pending`))).toEqual([]);
  expect(await problemOf(await call("GET", `${path}/subscribers?status=x`))).toEqual([
    400,
    "validation_failed",
    { status: ["invalid"] },
  ]);
  await updateRows(subscribers, { email_enc: null, first_name_enc: null }, eq(subscribers.list_id, list.id));
  expect(emails(await get("?page_size=1"))).toEqual(["u***@example.com"]);
  const audits = await readRows(
    audit_log,
    and(eq(audit_log.company_id, companyId), like(audit_log.action, "subscribers.%")),
  );
  expect(audits).toHaveLength(9);
  expect(JSON.stringify(audits)).not.toContain("@");
});

it("deletes a subscriber with its count", async () => {
  const { call, path, add, expectCounts } = await startNewsletter(email);
  const { subscriber } = await (await add({ email: uniqueAddress(), mode: "consented" })).json<Added>();
  const at = `${path}/subscribers/${subscriber?.id}`;
  const other = await startNewsletter(email);
  expect(await problemOf(await other.call("DELETE", `${other.path}/subscribers/${subscriber?.id}`))).toEqual([
    404,
    "subscriber_not_found",
  ]);
  expect(await problemOf(await other.call("DELETE", at))).toEqual([404, "newsletter_not_found"]);
  expect((await call("DELETE", at)).status).toBe(204);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 0, unsubscribed: 0 });
  expect(await problemOf(await call("DELETE", at))).toEqual([404, "subscriber_not_found"]);
});

it("needs a sender and an open lane to ask for confirmations", async () => {
  const { companyId, call, path, add, rows } = await startNewsletter(email);
  await pauseLane("transactional", companyId, "company");
  expect(await problemOf(await add({ email: uniqueAddress() }))).toEqual([409, "lane_paused"]);
  await call("DELETE", "/api/v1/provider");
  expect((await problemOf(await add({ email: uniqueAddress() })))[0]).toBe(409);
  expect(await rows()).toEqual([]);
  expect((await call("POST", `${path}/subscribers`, { email: uniqueAddress(), mode: "consented" })).status).toBe(201);
});

it("rejects malformed input and other callers", async () => {
  const { add, path } = await startNewsletter(email);
  expect(await problemOf(await add({}))).toEqual([400, "validation_failed", { email: ["required"] }]);
  expect(await problemOf(await add({ email: "mina" }))).toEqual([
    400,
    "validation_failed",
    { email: ["invalid_format"] },
  ]);
  expect(await problemOf(await add({ email: "a@example.com", mode: "x" }))).toEqual([
    400,
    "validation_failed",
    { mode: ["invalid"] },
  ]);
  expect(await problemOf(await add({ email: "a@example.com", first_name: "x".repeat(151) }))).toEqual([
    400,
    "validation_failed",
    { first_name: ["too_long"] },
  ]);
  expect(await (await add({ email: uniqueAddress(), language: "de", mode: "consented" })).json()).toMatchObject({
    subscriber: { language: "en" },
  });
  const { owner } = await startCompany(email);
  const stranger = await email.call(`${path}/subscribers`, { bearer: owner });
  expect(await problemOf(stranger)).toEqual([404, "newsletter_not_found"]);
});
