import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log, broadcast_recipients, subscribers } from "../../../db/email/schema";
import { RECIPIENT_STATUSES } from "../../../schemas/email/audience/recipients";
import { sealContact } from "../../../workers/email/audience/recipients/seal";
import { problemOf, startCompany } from "../../support/email/admin";
import { testKeys } from "../../support/email/delivery";
import { storeDraftBroadcast } from "../../support/email/draft-broadcasts";
import { startEmail, testEnv } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { insertRow, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail();
const STATUSES = [
  ...(["queued", "sending", "retrying", "sent", "delivery_delayed", "delivered"] as const),
  ...(["bounced", "complained", "failed", "expired", "suppressed", "cancelled"] as const),
];

type Recipient = Record<string, unknown> & { status: string; email_masked: string };
type List = { recipients: Recipient[]; next_cursor: string | null };

/** Starts a company with a broadcast that is being sent. */
async function startList() {
  const { companyId, owner } = await startCompany(email);
  const now = Date.now();
  const newsletter = await storeNewsletter(companyId);
  const broadcast = await storeDraftBroadcast(companyId, {
    state: "sending",
    started_at: now - 1000,
    list_id: newsletter.id,
  });
  const path = `/api/v1/broadcasts/${broadcast.id}/recipients`;
  const get = (query = "", bearer = owner) => email.call(`${path}${query}`, { bearer });
  const list = async (query = "") => {
    const response = await get(query);
    expect(response.status, await response.clone().text()).toBe(200);
    return response.json<List>();
  };
  /** Returns all recipients, in pages of `limit`. */
  const all = async (query: string, limit: number) => {
    const recipients: Recipient[] = [];
    let cursor = "";
    for (let pages = 0; pages < 20; pages++) {
      const page = await list(`?limit=${limit}${query}${cursor}`);
      expect(page.recipients.length).toBeLessThanOrEqual(limit);
      recipients.push(...page.recipients);
      if (page.next_cursor === null) return recipients;
      cursor = `&cursor=${page.next_cursor}`;
    }
    throw new Error("the list does not end");
  };
  const waiting = async (hmac: string, fields: Partial<typeof broadcast_recipients.$inferInsert>, address?: string) => {
    const contact = { email: address ?? "", first_name: "", last_name: "" };
    const sealed = sealContact(contact, { broadcastId: broadcast.id, emailHmac: hmac }, await testKeys());
    await insertRow(broadcast_recipients, {
      broadcast_id: broadcast.id,
      email_hmac: hmac,
      status: "pending",
      contact_enc: address === undefined ? null : await sealed,
      email_masked: "w***@a.example",
      language: "",
      ...fields,
    });
  };
  const sent = (fields: Parameters<typeof storeMessage>[1]) =>
    storeMessage(companyId, {
      ...({ lane: "bulk", event_type: "broadcast", service: "broadcast", accepted_at: now } as const),
      ...{ template_key: broadcast.template_key, broadcast_id: broadcast.id, list_id: newsletter.id },
      ...fields,
    });
  const entries = (action: string) =>
    readRows(audit_log, and(eq(audit_log.company_id, companyId), eq(audit_log.action, action)));
  return { companyId, owner, broadcast, newsletter, now, path, get, list, all, waiting, sent, entries };
}

it("lists the recipients of every status, first those with a message, without gaps", async () => {
  const { companyId, broadcast, now, list, all, waiting, sent } = await startList();
  for (const [index, status] of STATUSES.entries()) await sent({ status, accepted_at: now + index, to_user_id: index });
  await storeMessage(companyId, { accepted_at: now });
  await waiting("aa", { user_id: 7 });
  await waiting("bb", { status: "skipped_unsubscribed" });
  await waiting("cc", { status: "skipped_suppressed", email_masked: "s***@a.example" });
  const expected = [
    ...(["queued", "queued", "queued", "sent", "sent", "delivered", "bounced", "complained"] as const),
    ...(["failed", "failed", "failed", "cancelled", "pending", "skipped_unsubscribed", "skipped_suppressed"] as const),
  ];
  const { recipients, next_cursor } = await list();
  expect([recipients.map(({ status }) => status), next_cursor]).toEqual([expected, null]);
  for (const limit of [1, 4, 12, 15]) expect(await all("", limit), String(limit)).toEqual(recipients);
  for (const status of RECIPIENT_STATUSES)
    expect(await all(`&status=${status}`, 2), status).toEqual(recipients.filter((row) => row.status === status));
  expect(recipients[3]).toEqual({
    email_masked: "m***@example.com",
    user_id: 3,
    subscriber_id: null,
    status: "sent",
    message_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
    language: "en",
    last_error_code: null,
    accepted_at: new Date(now + 3).toISOString(),
    sent_at: expect.any(String),
  });
  expect(recipients[12]).toEqual({
    email_masked: "w***@a.example",
    user_id: 7,
    subscriber_id: null,
    status: "pending",
    message_id: null,
    language: broadcast.language,
    last_error_code: null,
    accepted_at: null,
    sent_at: null,
  });
});

it("reveals addresses with an audit entry per page, and names subscribers", async () => {
  const { newsletter, all, list, waiting, sent, entries } = await startList();
  const zoe = await storeSubscriber(newsletter, "zoe@a.example");
  const max = await storeSubscriber(newsletter, "max@a.example");
  const wiped = await storeSubscriber(newsletter, "wiped@a.example");
  await updateRows(subscribers, { email_enc: null }, eq(subscribers.id, wiped.id));
  await sent({ to: "zoe@a.example", email_hmac: zoe.email_hmac });
  await waiting("aa", { user_id: 7 }, "mina@a.example");
  await waiting("bb", { subscriber_id: max.id });
  await waiting("cc", { subscriber_id: wiped.id });
  await waiting("dd", { status: "skipped_suppressed" });
  expect((await list()).recipients.some((row) => "email" in row)).toBe(false);
  expect((await list("?reveal=false")).recipients.some((row) => "email" in row)).toBe(false);
  expect(await entries("recipients.read")).toEqual([]);
  const revealed = await all("&reveal=true", 3);
  expect(revealed.map(({ email: address, subscriber_id }) => [address, subscriber_id])).toEqual([
    ["zoe@a.example", zoe.id],
    ["mina@a.example", null],
    ["max@a.example", max.id],
    [null, wiped.id],
    [null, null],
  ]);
  expect(await entries("recipients.read")).toHaveLength(2);
});

it("exports the recipients as CSV, safe for spreadsheets, with one audit entry", async () => {
  const { broadcast, path, owner, now, waiting, sent, entries } = await startList();
  for (let index = 0; index < 3; index++) await sent({ status: "bounced", to: `=b${index}@a.example` });
  const id = await sent({ status: "failed", last_error_code: "provider_rejected", accepted_at: now + 1 });
  await waiting("aa", { user_id: 7 }, "mina@a.example");
  const csv = async (query = "") => {
    const response = await email.call(`${path}.csv${query}`, { bearer: owner });
    expect([
      response.status,
      response.headers.get("content-type"),
      response.headers.get("content-disposition"),
    ]).toEqual([200, "text/csv; charset=utf-8", `attachment; filename="broadcast-${broadcast.id}-recipients.csv"`]);
    return (await response.text()).split("\r\n");
  };
  const [header, ...lines] = await csv();
  expect(header).toBe("email,status,message_id,last_error_code,accepted_at,sent_at");
  expect(
    lines
      .map((line) => line.split(",")[0])
      .slice(0, 3)
      .sort(),
  ).toEqual([0, 1, 2].map((index) => `'=b${index}@a.example`));
  expect(lines.slice(3)).toEqual([
    `mina@example.com,failed,msg_${id},provider_rejected,${new Date(now + 1).toISOString()},`,
    "mina@a.example,pending,,,,",
    "",
  ]);
  expect(await entries("recipients.exported")).toHaveLength(1);
  expect(await csv("?status=pending")).toEqual([header, "mina@a.example,pending,,,,", ""]);
});

it("exports a long list in parts, past pages without a match", async () => {
  const { path, owner, broadcast } = await startList();
  const insert = `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 2600)
    insert into broadcast_recipients (broadcast_id, email_hmac, status, email_masked, language)
    select ?, printf('%08x', n), iif(n = 2600, 'skipped_suppressed', 'pending'), n || '***@a.example', '' from numbers`;
  await testEnv.DB.prepare(insert).bind(broadcast.id).run();
  const read = async (query = "") =>
    (await (await email.call(`${path}.csv${query}`, { bearer: owner })).text()).split("\r\n").slice(1, -1);
  expect((await read()).map((line) => line.split(",")[0])).toEqual(
    Array.from({ length: 2601 }, (_, index) => `${index}***@a.example`),
  );
  expect(await read("?status=skipped_suppressed")).toEqual(["2600***@a.example,skipped_suppressed,,,,"]);
});

it("returns no recipients of a draft, and rejects unknown filters and other companies", async () => {
  const { companyId, get, path } = await startList();
  const draft = await storeDraftBroadcast(companyId);
  const { owner } = await startCompany(email);
  const company = await email.token({ companyId, isOwner: true, userId: companyId });
  const empty = await email.call(`/api/v1/broadcasts/${draft.id}/recipients`, { bearer: company });
  expect(await empty.json()).toEqual({ recipients: [], next_cursor: null });
  for (const [query, field, code] of [
    ["?status=retrying", "status", "invalid"],
    ["?reveal=1", "reveal", "invalid"],
    ["?limit=0", "limit", "out_of_range"],
    ["?cursor=WyJhIl0", "cursor", "invalid"],
  ] as const)
    expect(await problemOf(await get(query))).toEqual([400, "validation_failed", { [field]: [code] }]);
  expect(await problemOf(await get(".csv?status=x"))).toEqual([400, "validation_failed", { status: ["invalid"] }]);
  for (const suffix of ["", ".csv"])
    expect(await problemOf(await email.call(`${path}${suffix}`, { bearer: owner }))).toEqual([
      404,
      "broadcast_not_found",
    ]);
  const member = await email.token({ companyId, userId: companyId + 1 });
  expect(await problemOf(await get("", member))).toEqual([403, "forbidden"]);
});
