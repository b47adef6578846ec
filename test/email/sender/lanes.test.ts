import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { company_providers, lane_states, messages } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import { fingerprintPlatform, type Scope } from "../../../workers/email/delivery/sender/sender";
import { keysOf } from "../../../workers/email/keys";
import { settingsOf } from "../../../workers/email/settings";
import { encodeCursor } from "../../../workers/kit/http/paging/cursor";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { storeProvider } from "../../support/email/delivery";
import { createCompany, type EmailHarness, startEmail } from "../../support/email/email";
import { deleteRows, insertRow, updateRows } from "../../support/email/rows";

const PATH = "/api/v1/lanes";

type Lanes = {
  lanes: { lane: string; paused: boolean; reason: string; paused_at: string | null; paused_by: number | null }[];
  companies: { company_id: number; lane: string; scope: string; reason: string }[];
  next_cursor: string | null;
};

// A pause for all companies would hold back the messages of other tests.
afterEach(async () => {
  await deleteRows(lane_states, eq(lane_states.company_id, 0));
});

async function startStaff() {
  const email = await startEmail();
  const company = await startCompany(email);
  const post = (path: string, json?: unknown) => send(email, company.staff, { method: "POST", path, json });
  const list = async (bearer = company.staff, query = "") =>
    (await (await email.call(`${PATH}${query}`, { bearer })).json()) as Lanes;
  return { email, ...company, post, list };
}

/** Stores a message that was accepted earlier and waits for its attempt. */
async function insertWaiting(
  companyId: number,
  lane: Lane,
  { nextAt, ...columns }: { nextAt?: number; status?: "queued" | "sent"; scope?: Scope } = {},
) {
  const { id } = await insertRow(messages, {
    id: crypto.randomUUID().replaceAll("-", ""),
    company_id: companyId,
    lane,
    category: lane,
    scope: "company",
    service: "identity",
    template_key: "t",
    event_type: "t",
    language: "en",
    status: "queued",
    to_enc: "x",
    to_masked: "a***@example.com",
    email_hmac: "h",
    trace: {},
    request_id: "r",
    next_attempt_at: nextAt ?? Date.now() - 1000,
    accepted_at: Date.now(),
    ...columns,
  });
  return id;
}

const enqueuedIds = (email: EmailHarness, lane: string) => (email.queueMessages[lane] ?? []).flatMap(({ ids }) => ids);

it("pauses and resumes a lane for all companies, and accepts repeated requests", async () => {
  const { post, list, owner, companyId } = await startStaff();
  for (let i = 0; i < 2; i++) {
    const paused = await post(`${PATH}/bulk/pause`, { reason: "  complaints é 🚧 " });
    expect(paused.status).toBe(200);
    expect(await paused.json()).toEqual({ lane: "bulk", paused: true });
  }
  const bulk = {
    lane: "bulk",
    paused: true,
    reason: "complaints é 🚧",
    paused_at: expect.stringMatching(/Z$/),
    paused_by: companyId + 2_000_000_000,
  };
  expect((await list()).lanes).toEqual([
    { lane: "auth", paused: false, reason: "", paused_at: null, paused_by: null },
    { lane: "transactional", paused: false, reason: "", paused_at: null, paused_by: null },
    bulk,
  ]);
  expect(await list(owner)).toMatchObject({ lanes: [{}, {}, bulk], companies: [], next_cursor: null });
  for (let i = 0; i < 2; i++) {
    const resumed = await post(`${PATH}/bulk/resume`);
    expect(await resumed.json()).toEqual({ lane: "bulk", paused: false });
  }
  expect((await list()).lanes.map(({ paused }) => paused)).toEqual([false, false, false]);
});

it("pauses one company for both of its senders, and keeps the pause when the lane is resumed for all", async () => {
  const { post, list, owner, companyId } = await startStaff();
  const paused = await post(`${PATH}/auth/pause?company_id=${companyId}`, { reason: "abuse" });
  expect(await paused.json()).toEqual({ lane: "auth", paused: true, company_id: companyId });
  await post(`${PATH}/auth/resume`);
  const companyPauses = [
    { company_id: companyId, lane: "auth", scope: "company", reason: "abuse", paused_at: expect.any(String) },
    { company_id: companyId, lane: "auth", scope: "platform", reason: "abuse", paused_at: expect.any(String) },
  ];
  expect((await list(owner)).companies).toEqual(companyPauses);
  expect((await list(undefined, `?company_id=${companyId}`)).companies).toEqual(companyPauses);
  const resumed = await post(`${PATH}/auth/resume`, { company_id: companyId });
  expect(await resumed.json()).toEqual({ lane: "auth", paused: false, company_id: companyId });
  expect((await list(owner)).companies).toEqual([]);
});

it("lists the pauses of all companies in pages for staff, and only their own for owners", async () => {
  const { email, post, list } = await startStaff();
  const companies = [createCompany(), createCompany(), createCompany()];
  for (const id of companies) await post(`${PATH}/bulk/pause?company_id=${id}`);
  const listed: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Lanes = await list(undefined, `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
    listed.push(...page.companies.map((row) => `${row.company_id} ${row.lane} ${row.scope}`));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(new Set(listed).size).toBe(listed.length);
  for (const id of companies)
    expect(listed).toEqual(expect.arrayContaining([`${id} bulk company`, `${id} bulk platform`]));
  const owner = await email.token({ companyId: companies[0] ?? 0, isOwner: true });
  expect((await list(owner)).companies.map((row) => row.company_id)).toEqual([companies[0], companies[0]]);
  for (const id of companies) await post(`${PATH}/bulk/resume?company_id=${id}`);
});

it("enqueues the due messages of a company when its pause ends", async () => {
  const { email, post, companyId } = await startStaff();
  await post(`${PATH}/bulk/pause?company_id=${companyId}`);
  // These messages are due before all others, because a resume of the whole lane enqueues a limited number, and other
  // test files leave messages.
  const due = await Promise.all(Array.from({ length: 51 }, () => insertWaiting(companyId, "bulk", { nextAt: 1 })));
  const later = await insertWaiting(companyId, "bulk", { nextAt: Date.now() + 60_000 });
  const sent = await insertWaiting(companyId, "bulk", { status: "sent" });
  const stranger = await insertWaiting(createCompany(), "bulk", { nextAt: 1 });
  await post(`${PATH}/bulk/resume?company_id=${companyId}`);
  expect(enqueuedIds(email, "bulk").sort()).toEqual(due.sort());
  expect(email.queueMessages.bulk?.every(({ ids, v, kind }) => ids.length <= 300 && v === 1 && kind === "send")).toBe(
    true,
  );
  await post(`${PATH}/bulk/pause?company_id=${companyId}`);
  await post(`${PATH}/bulk/resume`);
  const all = enqueuedIds(email, "bulk");
  expect(all).toContain(stranger);
  expect(all.filter((id) => id === due[0])).toHaveLength(1);
  expect(all).not.toContain(later);
  expect(all).not.toContain(sent);
  await deleteRows(messages, eq(messages.lane, "bulk"));
});

it("does not apply a pause for rejected credentials after they were replaced", async () => {
  const { email, post, list } = await startStaff();
  const keys = await keysOf(email.bindings);
  const platform = await fingerprintPlatform(settingsOf(email.bindings), keys);
  const pause = (companyId: number, scope: Scope, fingerprint: string) =>
    insertRow(lane_states, {
      lane: "bulk",
      company_id: companyId,
      scope,
      paused: true,
      reason: "provider_unauthorized",
      fingerprint,
      paused_at: 1,
    });
  // Each case is a company, with the credentials that were rejected and whether its mail of that scope still waits.
  const cases = [
    { scope: "company" as const, rejected: "present", waits: true },
    { scope: "company" as const, rejected: "replaced", waits: false },
    { scope: "platform" as const, rejected: platform, waits: true },
    { scope: "platform" as const, rejected: "replaced", waits: false },
  ].map((entry) => ({ ...entry, companyId: createCompany() }));
  for (const { companyId, scope, rejected, waits } of cases) {
    await storeProvider(companyId, { kind: "api", api_key: `key-${companyId}` });
    await updateRows(company_providers, { fingerprint: "present" }, eq(company_providers.company_id, companyId));
    await pause(companyId, scope, rejected);
    const id = await insertWaiting(companyId, "bulk", { nextAt: 1, scope });
    const owner = await email.token({ companyId, isOwner: true });
    const provider = (await (await email.call("/api/v1/provider", { bearer: owner })).json()) as Lanes;
    expect(provider.lanes.find(({ lane }) => lane === "bulk")).toMatchObject({ paused: waits });
    expect((await list(owner)).companies).toHaveLength(waits ? 1 : 0);
    const cursor = encodeCursor([companyId, "", ""]);
    const page = await list(undefined, `?limit=1&cursor=${cursor}`);
    expect(page.companies.some((row) => row.company_id === companyId)).toBe(waits);
    email.queueMessages.bulk = [];
    await post(`${PATH}/bulk/resume`);
    expect(enqueuedIds(email, "bulk").includes(id)).toBe(!waits);
    await deleteRows(messages, eq(messages.company_id, companyId));
  }
});

it("returns 404 for unknown lanes and verbs, and 405 for other methods", async () => {
  const { email, post, staff } = await startStaff();
  expect(await problemOf(await post(`${PATH}/news/pause`))).toEqual([404, "not_found"]);
  expect(await problemOf(await post(`${PATH}/AUTH/pause`))).toEqual([404, "not_found"]);
  expect(await problemOf(await post(`${PATH}/auth/stop`))).toEqual([404, "not_found"]);
  const read = await email.call(`${PATH}/auth/pause`, { bearer: staff });
  expect(read.headers.get("allow")).toBe("POST");
  expect(await problemOf(read)).toEqual([405, "method_not_allowed"]);
});

it.each([
  [{ reason: "x".repeat(201) }, { reason: ["too_long"] }],
  [{ reason: "a\nb" }, { reason: ["invalid"] }],
  [{ reason: 7 }, { reason: ["invalid"] }],
])("rejects a pause with %j", async (json, fields) => {
  const { post } = await startStaff();
  expect(await problemOf(await post(`${PATH}/bulk/pause`, json))).toEqual([400, "validation_failed", fields]);
});

it("rejects callers who may not list lanes, and changes by callers other than staff", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PATH });
  await expectGuards(email, { method: "POST", path: `${PATH}/auth/pause`, staffOnly: true });
  await expectGuards(email, { method: "POST", path: `${PATH}/auth/resume`, staffOnly: true });
});
