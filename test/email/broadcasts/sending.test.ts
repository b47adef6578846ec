import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { broadcasts, lane_states, newsletters, subscribers } from "../../../db/email/schema";
import { watchCalls } from "../../support/db/watched-database";
import { problemOf, send } from "../../support/email/admin";
import { createCompany, startEmail, storeSuppression, testEnv } from "../../support/email/email";
import { recordMails } from "../../support/email/mail-api";
import { storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { deleteRows, insertRow, pauseLane, readRows, updateRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const companyId = createCompany();
const otherCompany = createCompany();
const email = await startEmail({
  vars: {
    EMAIL_PLATFORM_COMPANY_IDS: `${companyId},${otherCompany}`,
    EMAIL_BROADCAST_MAX_RECIPIENTS: "4",
    API_MUTATION_RATE_LIMIT: "10000/min",
  },
});
const owner = await email.token({ companyId, isOwner: true, userId: companyId });
const staff = await email.token({ isStaff: true, userId: companyId + 2_000_000_000 });
const otherOwner = await email.token({ companyId: otherCompany, isOwner: true, userId: otherCompany });
const PATH = "/api/v1/broadcasts";

const person = (id: number, language: "en" | "fr" | null = null) => ({
  id,
  email: `person${id}@example.com`,
  first_name: "Mina",
  last_name: "Laurent",
  language,
});
email.setAudience(companyId, [person(1), person(2, "fr"), person(3)]);

type Json = Record<string, unknown> & { id: number; state: string };
const call = (method: string, path: string, json?: unknown, bearer = owner) =>
  send(email, bearer, { method, path, json });
const create = async (fields: object = {}, bearer = owner) => {
  const response = await call("POST", PATH, { name: "News", source_key: "barebone.text-only", ...fields }, bearer);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<Json>();
};
const post = async (draft: Json, verb: string, json?: unknown, bearer = owner) =>
  call("POST", `${PATH}/${draft.id}/${verb}`, json, bearer);
const rowOf = async ({ id }: Json) => {
  const [row] = await readRows(broadcasts, eq(broadcasts.id, id));
  if (row === undefined) throw new Error("no broadcast");
  return row;
};
const setState = (id: number, fields: Partial<typeof broadcasts.$inferInsert>) =>
  updateRows(broadcasts, fields, eq(broadcasts.id, id));
const invalidField = (fields: Record<string, string[]>) => [400, "validation_failed", fields];

it("previews the split of an audience", async () => {
  const draft = await create();
  await storeSuppression(companyId, "person1@example.com", { unsubscribed: "bulk" });
  await storeSuppression(companyId, "person1@example.com", { reason: "manual" });
  await storeSuppression(companyId, "person3@example.com", { reason: "manual", lanes: ["transactional"] });
  const preview = await post(draft, "preview");
  expect(await preview.json()).toEqual({
    total: 3,
    sendable: 2,
    unsubscribed: 1,
    suppressed: 0,
    languages: { en: 2, fr: 1 },
    samples: ["p***@example.com", "p***@example.com", "p***@example.com"],
    complete: true,
  });
  expect(email.audienceRequests.at(-1)).toMatchObject({ companyId, bearer: owner });
  const requests = email.audienceRequests.length;
  await storeSuppression(companyId, "noor@example.com", { reason: "complaint", lanes: ["bulk"] });
  const emails = ["noor@example.com", "leo@example.com"];
  const picked = await post(draft, "preview", { audience: { mode: "pick", emails } });
  expect(await picked.json()).toMatchObject({ total: 2, sendable: 1, suppressed: 1, complete: true });
  expect(email.audienceRequests).toHaveLength(requests);
  const users = await post(draft, "preview", {
    audience: { mode: "pick", user_ids: [2], emails: ["person2@example.com"] },
  });
  expect(await users.json()).toMatchObject({ total: 1, languages: { fr: 1 } });
});

it("previews the subscribers of a newsletter", async () => {
  const list = await insertRow(newsletters, {
    company_id: companyId,
    name: "News",
    public_key: `nl_${crypto.randomUUID()}`,
    default_language: "en",
    seal_id: crypto.randomUUID(),
    confirmation_template_id: 0,
    confirmed: 1,
    created_at: 1,
    updated_at: 1,
  });
  for (const status of ["confirmed", "pending"] as const)
    await insertRow(subscribers, {
      list_id: list.id,
      company_id: companyId,
      email_hmac: crypto.randomUUID(),
      email_masked: "m***@example.com",
      seal_id: crypto.randomUUID(),
      language: "fr",
      status,
      source: "form",
      created_at: 1,
    });
  const draft = await create({ audience: { mode: "newsletter", list_id: list.id } });
  expect(await (await post(draft, "preview")).json()).toMatchObject({
    total: 1,
    sendable: 1,
    languages: { fr: 1 },
    samples: ["m***@example.com"],
    complete: true,
  });
});

it("needs a token of the company, for staff too", async () => {
  const draft = await create();
  for (const verb of ["preview", "send"])
    expect(await problemOf(await post(draft, verb, {}, staff))).toEqual([403, "company_mismatch"]);
  expect(await problemOf(await post(draft, "send", {}, otherOwner))).toEqual([404, "broadcast_not_found"]);
  expect((await rowOf(draft)).state).toBe("draft");
});

it("queues a broadcast with a sealed token, and only once of 100 parallel requests", async () => {
  const draft = await create();
  const before = email.queueMessages.service?.length ?? 0;
  const responses = await Promise.all(Array.from({ length: 100 }, () => post(draft, "send")));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(99);
  const lost = responses.find(({ status }) => status === 409);
  expect(lost && (await problemOf(lost))).toEqual([409, "broadcast_not_draft"]);
  const won = await responses.find(({ status }) => status === 202)?.json<Json>();
  expect(won).toMatchObject({ state: "queued", delivery: "bulk_lane", template_version: 1, counts: { total: 0 } });
  const row = await rowOf(draft);
  expect(row.bearer_enc).toMatch(/^v1\./);
  expect(row.bearer_enc).not.toContain(owner);
  expect(row.bearer_expires_at).toBeLessThanOrEqual(Date.now() + 15 * 60_000);
  expect(row).toMatchObject({ granted_by: companyId, send_at: null, scope: "platform" });
  expect(row.version_id).not.toBeNull();
  const steps = (email.queueMessages.service ?? []).slice(before);
  expect(steps.filter(({ ids }) => ids.includes(String(draft.id)))).toHaveLength(1);
  expect(JSON.stringify(steps)).not.toContain(owner);
});

it.each([{ mode: "pick", emails: ["mina@example.com"] }, { mode: "newsletter" }])(
  "stores no token when identity need not read the audience (%j)",
  async (audience) => {
    const list = await storeNewsletter(companyId, { confirmed: 1 });
    const draft = await create({ audience: { ...audience, list_id: list.id } });
    expect((await post(draft, "send")).status).toBe(202);
    expect(await rowOf(draft)).toMatchObject({ state: "queued", bearer_enc: null, bearer_expires_at: null });
  },
);

it("schedules a broadcast without storing the token", async () => {
  const draft = await create();
  // A minute less than 90 days, the longest time ahead.
  const sendAt = new Date(Date.now() + 90 * 86_400_000 - 60_000).toISOString();
  const scheduled = await post(draft, "send", { send_at: sendAt });
  expect(await scheduled.json()).toMatchObject({ state: "scheduled", send_at: sendAt });
  expect(await rowOf(draft)).toMatchObject({
    bearer_enc: null,
    granted_by: companyId,
    next_step_at: Date.parse(sendAt),
  });
  expect(await problemOf(await post(draft, "send"))).toEqual([409, "broadcast_not_draft"]);
});

it("rejects a broadcast in the documented order", async () => {
  const draft = await create();
  for (const [sendAt, code] of [
    ["2026-03-01", "invalid"],
    ["soon", "invalid"],
    [5, "invalid"],
    [new Date(Date.now() - 1000).toISOString(), "out_of_range"],
    [new Date(Date.now() + 90 * 86_400_000 + 60_000).toISOString(), "out_of_range"],
  ])
    expect(await problemOf(await post(draft, "send", { send_at: sendAt }))).toEqual(
      invalidField({ send_at: [String(code)] }),
    );
  const empty = await create({ audience: { mode: "pick" } });
  expect(await problemOf(await post(empty, "send"))).toEqual([400, "audience_empty"]);
  const emails = Array.from({ length: 5 }, (_, index) => `a${index}@example.com`);
  const large = await create({ audience: { mode: "pick", emails } });
  const tooLarge = await post(large, "send");
  expect(await tooLarge.clone().json()).toMatchObject({ error_code: "audience_too_large", limit: 4 });
  email.setIdentityAway(true);
  expect(await problemOf(await post(draft, "send"))).toEqual([502, "identity_unavailable"]);
  email.setIdentityAway(false);
  email.rejectFilter("roles");
  expect(await problemOf(await post(draft, "send"))).toEqual(invalidField({ "audience.roles": ["invalid"] }));
  email.rejectFilter(null);
  await setState(draft.id, { state: "sent" });
  expect(await problemOf(await post(draft, "send"))).toEqual([409, "broadcast_not_draft"]);
  const other = await create({}, otherOwner);
  await pauseLane("bulk", otherCompany);
  const paused = await post(other, "send", undefined, otherOwner);
  expect(paused.headers.get("retry-after")).toBe("300");
  expect(await problemOf(paused)).toEqual([409, "lane_paused"]);
  const stranger = createCompany();
  const strangerOwner = await email.token({ companyId: stranger, isOwner: true, userId: stranger });
  const unsendable = await create({}, strangerOwner);
  expect(await problemOf(await post(unsendable, "send", undefined, strangerOwner))).toEqual([
    409,
    "platform_sender_not_allowed",
  ]);
});

it("is not sent to a newsletter that is deleted meanwhile, whenever that happens", async () => {
  for (let at = 1, isComplete = false; !isComplete; at++) {
    const list = await storeNewsletter(companyId, { confirmed: 1 });
    await storeSubscriber(list, "person1@example.com");
    const draft = await create({ audience: { mode: "newsletter", list_id: list.id } });
    let deleted = 0;
    const before = async (n: number) => {
      if (n === at) deleted = (await call("DELETE", `/api/v1/newsletters/${list.id}`)).status;
    };
    const bindings = { DB: watchCalls(testEnv.DB, { before }) };
    const sent = await email.call(`${PATH}/${draft.id}/send`, { method: "POST", bearer: owner, bindings });
    isComplete = deleted === 0;
    const { state } = await rowOf(draft);
    if (deleted === 204) expect([sent.status, state], `call ${at}`).toEqual([400, "draft"]);
    else expect([sent.status, state, isComplete || deleted], `call ${at}`).toEqual([202, "queued", isComplete || 409]);
  }
});

it("counts a picked member and their address once, in the preview and for the limit", async () => {
  const emails = ["PERSON1@example.com", "person2@example.com", "person3@example.com", "leo@example.com"];
  const draft = await create({ audience: { mode: "pick", user_ids: [1, 2, 3], emails } });
  expect(await (await post(draft, "preview")).json()).toMatchObject({ total: 4, complete: true });
  const { checks } = await (await call("GET", `${PATH}/${draft.id}/checks`)).json<{ checks: object[] }>();
  expect(checks).toContainEqual({ code: "audience", level: "ok", detail: "" });
  const sent = await post(draft, "send");
  expect(sent.status, await sent.clone().text()).toBe(202);
});

it("pauses, resumes and cancels", async () => {
  const draft = await create();
  const conflict = async (verb: string, state: string) => {
    const response = await post(draft, verb);
    expect(await response.json()).toMatchObject({ error_code: "broadcast_state_conflict", state });
    expect(response.status).toBe(409);
  };
  await conflict("pause", "draft");
  await conflict("resume", "draft");
  await conflict("cancel", "draft");
  await setState(draft.id, { state: "sending", pending: 3, messages: 2, started_at: Date.now() });
  expect(await (await post(draft, "pause")).json()).toMatchObject({ state: "paused" });
  await conflict("pause", "paused");
  expect(await (await post(draft, "resume")).json()).toMatchObject({ state: "sending" });
  expect(await rowOf(draft)).toMatchObject({ paused_state: null, next_step_at: expect.any(Number) });
  await setState(draft.id, { bearer_enc: "v1.x" });
  const cancelled = await (await post(draft, "cancel")).json<Json>();
  expect(cancelled).toMatchObject({ state: "cancelled", counts: { total: 5, pending: 0, cancelled: 3, sent: 2 } });
  expect(await rowOf(draft)).toMatchObject({ bearer_enc: null, removed: 3, pending: 0 });
  await conflict("cancel", "cancelled");
  const actions = await (await call("GET", `/api/v1/audit?company_id=${companyId}&limit=10`)).text();
  for (const action of ["paused", "resumed", "cancelled"]) expect(actions).toContain(`broadcast.${action}`);
});

it("checks a broadcast before it is sent", async () => {
  const draft = await create({ preheader: "" });
  const levels = async (bearer = owner) => {
    const { checks } = await (await call("GET", `${PATH}/${draft.id}/checks`, undefined, bearer)).json<{
      checks: { code: string; level: string; detail: string }[];
    }>();
    return Object.fromEntries(checks.map(({ code, level, detail }) => [code, `${level} ${detail}`.trim()]));
  };
  const first = await levels();
  expect(first).toMatchObject({
    sender: "ok",
    lane: "ok",
    unsubscribe_link: "ok",
    subject: "ok",
    size: "ok",
    audience: "ok",
  });
  expect(first.preheader).toBe("warning missing");
  expect(first.placeholder_text).toMatch(/^warning /);
  expect(await levels(staff)).toMatchObject({ audience: "error company_mismatch" });
  const link = { type: "link", attrs: { href: "{{ system.unsubscribe_url }}" } };
  const content = [
    { type: "paragraph", content: [{ type: "text", text: "Lorem ipsum dolor" }] },
    { type: "image", attrs: { src: "https://img.example.com/a.png" } },
    { type: "paragraph", content: [{ type: "text", text: "Stop", marks: [link] }] },
  ];
  const publish = async (content: object[]) => {
    const version = { subject: "Hi", document: { type: "doc", content } };
    const created = await call("POST", `/api/v1/templates/${draft.template_id}/versions`, version);
    const { number } = await created.json<{ number: number }>();
    const path = `/api/v1/templates/${draft.template_id}/versions/${number}/publish`;
    expect((await call("POST", path)).status).toBe(200);
  };
  await publish(content);
  await call("PATCH", `${PATH}/${draft.id}`, { audience: { mode: "pick" } });
  expect(await levels()).toMatchObject({
    alt_text: "warning 1 of 1 images",
    placeholder_text: "warning Lorem ipsum",
    audience: "error audience_empty",
    insecure_links: "ok",
  });
  const plain = { type: "link", attrs: { href: "http://localhost/offer" } };
  const text = { type: "text", text: "word ".repeat(25_000), marks: [plain] };
  await publish([...content, { type: "paragraph", content: [text] }]);
  await pauseLane("bulk", companyId);
  const last = await levels();
  expect(last).toMatchObject({ lane: "error lane_paused", insecure_links: "warning http://localhost/offer" });
  expect(last.size).toMatch(/^warning 1\d{5} bytes$/);
  await deleteRows(lane_states, eq(lane_states.company_id, companyId));
});

it("limits tests to members of the company", async () => {
  const draft = await create();
  const test = async (json: object) => problemOf(await post(draft, "send-test", json));
  expect(await test({ user_ids: [1, 2, 3, 4, 5, 6] })).toEqual(invalidField({ user_ids: ["too_many"] }));
  expect(await test({ user_ids: [1, 2, 3], emails: ["a@b.co", "c@d.co", "e@f.co"] })).toEqual(
    invalidField({ user_ids: ["too_many"] }),
  );
  const mails = recordMails();
  const sent = await post(draft, "send-test", { user_ids: [1], emails: ["person2@example.com"] });
  expect(await sent.json()).toMatchObject({ status: "sent", sent: 2, sender: { scope: "platform" } });
  expect(mails.map(({ to }) => to)).toEqual([["person1@example.com"], ["person2@example.com"]]);
  expect(mails[0]?.html).toContain(`/u/${companyId}.bulk.`);
  expect(await (await post(draft, "send-test")).json()).toMatchObject({ sent: 1 });
  expect(await test({ user_ids: [9] })).toEqual(invalidField({ user_ids: ["unknown"] }));
  expect(await test({ emails: ["stranger@example.com"] })).toEqual(invalidField({ emails: ["unknown"] }));
});
