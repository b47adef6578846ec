import { and, asc, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { company_quotas, event_log, user_quotas } from "../../../db/storage/schema";
import { readError } from "../../support/sibling/sibling";
import { startFiles } from "../../support/storage/files";
import { db, readRows, updateRows } from "../../support/webhooks/rows";

const GB = 1024 ** 3;

/** Returns the data of a company's events of a type, oldest first. */
async function eventsOf(companyId: number, type: string) {
  const rows = await readRows(
    event_log,
    and(eq(event_log.company_id, companyId), eq(event_log.event_type, type)) as never,
    asc(event_log.id),
  );
  return rows.map(({ data }) => (typeof data === "string" ? JSON.parse(data) : data));
}

describe("quotas", () => {
  it("returns the default quotas at the first request", async () => {
    const { storage, member, companyId, memberId } = await startFiles();
    const response = await storage.call("/storage/v1/quota", { bearer: member });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        company_id: companyId,
        company: { max_bytes: 10 * GB, used_bytes: 0, reserved_bytes: 0, remaining_bytes: 10 * GB },
        user: { user_id: memberId, max_bytes: null, used_bytes: 0, reserved_bytes: 0, remaining_bytes: null },
      },
    ]);
  });

  it("returns the default quotas at each quota path when an owner makes the first request of a company", async () => {
    for (const [path, expected] of [
      ["", { max_bytes: 10 * GB, used_bytes: 0 }],
      ["/users", { results: [], next_cursor: null }],
      ["/user/7", { user_id: 7, max_bytes: null, used_bytes: 0, reserved_bytes: 0, remaining_bytes: null }],
    ] as const) {
      const { storage, owner, companyId } = await startFiles();
      const response = await storage.call(`/storage/v1/quota/company/${companyId}${path}`, { bearer: owner });
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(expected)]);
    }
  });

  it("lets owners and staff change quotas, keeps omitted values and emits an event", async () => {
    const { storage, owner, member, companyId, memberId } = await startFiles();
    const path = `/storage/v1/quota/company/${companyId}`;
    const put = (json: unknown, bearer = owner) => storage.call(path, { method: "PUT", bearer, json });
    expect(await (await put({ max_bytes: 1000, max_bytes_per_user: 100 })).json()).toEqual({
      company_id: companyId,
      max_bytes: 1000,
      used_bytes: 0,
      max_bytes_per_user: 100,
    });
    const staff = await storage.token({ isStaff: true, companyId: companyId + 1, userId: 3 });
    expect(await (await put({ max_bytes: null }, staff)).json()).toMatchObject({
      max_bytes: null,
      max_bytes_per_user: 100,
    });
    expect(await (await put({ max_bytes_per_user: "" })).json()).toMatchObject({ max_bytes_per_user: null });
    expect(await readError(await put({ max_bytes: 1 }, member))).toEqual([403, "forbidden"]);
    const other = await storage.token({ isOwner: true, companyId: companyId + 1, userId: 4 });
    expect(await readError(await put({ max_bytes: 1 }, other))).toEqual([403, "company_mismatch"]);
    for (const max_bytes of [-1, 2 ** 53, 1.5, "1G", true]) expect((await put({ max_bytes })).status).toBe(400);
    expect((await put({ max_bytes_per_user: "x" })).status).toBe(400);
    expect(await eventsOf(companyId, "storage.quota.changed")).toEqual([
      { scope: "company", user_id: null, max_bytes: 1000, max_bytes_per_user: 100 },
      { scope: "company", user_id: null, max_bytes: null, max_bytes_per_user: 100 },
      { scope: "company", user_id: null, max_bytes: null, max_bytes_per_user: null },
    ]);
    const memberQuota = await (await storage.call("/storage/v1/quota", { bearer: member })).json();
    expect(memberQuota).toMatchObject({
      company: { max_bytes: null, remaining_bytes: null },
      user: { user_id: memberId },
    });
  });

  it("applies a user's quota instead of the company's default: 0 is unlimited, null and DELETE remove the user's quota", async () => {
    const { storage, owner, companyId, put, memberId } = await startFiles();
    const company = `/storage/v1/quota/company/${companyId}`;
    await storage.call(company, { method: "PUT", bearer: owner, json: { max_bytes_per_user: 10 } });
    const path = `${company}/user/${memberId}`;
    const setQuota = (max_bytes: unknown) => storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes } });
    expect(await readError(await put("a", "12345678901"))).toEqual([413, "user_quota_exceeded"]);
    expect(await (await setQuota(0)).json()).toEqual({
      company_id: companyId,
      user_id: memberId,
      max_bytes: 0,
      used_bytes: 0,
    });
    expect((await put("a", "12345678901")).status).toBe(200);
    expect((await setQuota(null)).status).toBe(200);
    expect(await readError(await put("b", "1"))).toEqual([413, "user_quota_exceeded"]);
    expect((await setQuota(12)).status).toBe(200);
    expect(await (await storage.call(path, { bearer: owner })).json()).toMatchObject({
      max_bytes: 12,
      remaining_bytes: 1,
    });
    expect((await storage.call(path, { method: "DELETE", bearer: owner })).status).toBe(204);
    expect(await (await storage.call(path, { bearer: owner })).json()).toMatchObject({
      max_bytes: null,
      remaining_bytes: 0,
    });
    expect(await readError(await storage.call(path, { method: "PUT", bearer: owner, json: {} }))).toEqual([
      400,
      "validation_failed",
    ]);
    const list = await (await storage.call(`${company}/users`, { bearer: owner })).json();
    expect(list).toEqual({
      count: 1,
      page: 1,
      page_size: 50,
      results: [
        {
          company_id: companyId,
          user_id: memberId,
          max_bytes: null,
          used_bytes: 11,
          reserved_bytes: 0,
          remaining_bytes: 0,
        },
      ],
      next_cursor: null,
    });
  });

  it("writes no row and no event when a missing user quota is removed", async () => {
    const { storage, owner, member, companyId, memberId } = await startFiles();
    const company = `/storage/v1/quota/company/${companyId}`;
    const path = `${company}/user/${memberId}`;
    const remove = async () => (await storage.call(path, { method: "DELETE", bearer: owner })).status;
    const rowsOfUsers = () => readRows(user_quotas, eq(user_quotas.company_id, companyId));
    const changes = () => eventsOf(companyId, "storage.quota.changed");
    expect(await remove()).toBe(204);
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toEqual([]);
    await storage.call("/storage/v1/quota", { bearer: member });
    expect(await remove()).toBe(204);
    expect([await rowsOfUsers(), await changes()]).toEqual([[], []]);
    await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 5 } });
    expect([await remove(), await remove()]).toEqual([204, 204]);
    expect(await rowsOfUsers()).toMatchObject([{ max_bytes: null }]);
    expect((await changes()).map(({ max_bytes }) => max_bytes)).toEqual([5, null]);
  });

  it("lists quotas of companies and users in pages, by page number or cursor", async () => {
    const { storage, member, put, owner, companyId, memberId } = await startFiles();
    await put("a", "1");
    const staff = await storage.token({ isStaff: true, userId: 3 });
    const list = async (path: string) =>
      (await (await storage.call(`/storage/v1/quota${path}`, { bearer: staff })).json()) as Record<string, unknown>;
    const companies = await list("/companies?page_size=1");
    expect(companies).toMatchObject({ count: expect.any(Number), page: 1, page_size: 1, results: [expect.anything()] });
    expect(await list("/companies?limit=1")).toMatchObject({ page_size: 1, results: companies.results });
    const users = `/company/${companyId}/users?page_size=1`;
    for (const userId of [memberId + 1, memberId + 2]) {
      const path = `/storage/v1/quota/company/${companyId}/user/${userId}`;
      await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 5 } });
    }
    const second = await list(`${users}&page=2`);
    expect(second).toMatchObject({
      count: 3,
      page: 2,
      results: [{ user_id: memberId + 1 }],
      next_cursor: expect.any(String),
    });
    const third = await list(`${users}&cursor=${second.next_cursor}`);
    expect(third).toEqual({
      page_size: 1,
      results: [expect.objectContaining({ user_id: memberId + 2 })],
      next_cursor: null,
    });
    for (const bearer of [member, owner]) {
      expect(await readError(await storage.call("/storage/v1/quota/companies", { bearer }))).toEqual([
        403,
        "forbidden",
      ]);
    }
  });

  it("emits one event at 80 and at 100 percent of a quota, and one for the first rejection in an hour", async () => {
    const { storage, owner, put, companyId } = await startFiles();
    const path = `/storage/v1/quota/company/${companyId}`;
    await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 100 } });
    const bytes = (size: number) => "x".repeat(size);
    const thresholdEvents = async () =>
      (await eventsOf(companyId, "storage.quota.threshold_reached")).map(({ scope, threshold, used_bytes }) => [
        scope,
        threshold,
        used_bytes,
      ]);
    await put("a", bytes(79));
    expect(await thresholdEvents()).toEqual([]);
    await put("b", bytes(1));
    await put("c", bytes(1));
    expect(await thresholdEvents()).toEqual([["company", 80, 80]]);
    await put("d", bytes(19));
    expect(await thresholdEvents()).toEqual([
      ["company", 80, 80],
      ["company", 100, 100],
    ]);
    expect((await put("e", bytes(1))).status).toBe(413);
    expect((await put("f", bytes(1))).status).toBe(413);
    expect(await thresholdEvents()).toEqual([
      ["company", 80, 80],
      ["company", 100, 100],
      ["company", 100, 100],
    ]);
  });

  it("notifies identity of a threshold once, and again while identity is unavailable", async () => {
    const { storage, owner, put, companyId } = await startFiles();
    await storage.call(`/storage/v1/quota/company/${companyId}`, {
      method: "PUT",
      bearer: owner,
      json: { max_bytes: 100 },
    });
    const notices = () => storage.identity.quotaNotices.filter(({ company_id }) => company_id === companyId);
    await put("a", "x".repeat(85));
    storage.identity.setUnavailable(true);
    await storage.runCron("* * * * *");
    storage.identity.setUnavailable(false);
    expect(notices()).toEqual([]);
    await storage.runCron("* * * * *");
    await storage.runCron("* * * * *");
    const notice = { company_id: companyId, used_bytes: 85, max_bytes: 100, notice_at: expect.any(Number) };
    expect(notices()).toEqual([{ ...notice, threshold: 80 }]);
    expect((await put("b", "x".repeat(16))).status).toBe(413);
    await storage.runCron("* * * * *");
    expect(notices()[1]).toEqual({ ...notice, threshold: 100 });
  });

  it("emits the bytes of a quota event as JSON integers", async () => {
    const { storage, owner, put, companyId, memberId } = await startFiles();
    const path = `/storage/v1/quota/company/${companyId}`;
    await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 10, max_bytes_per_user: 10 } });
    await put("a", "12345678");
    expect((await put("b", "123")).status).toBe(413);
    await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 100 } });
    expect((await put("b", "123")).status).toBe(413);
    const events = await db
      .select({ text: sql<string>`${event_log.data}` })
      .from(event_log)
      .where(and(eq(event_log.company_id, companyId), eq(event_log.event_type, "storage.quota.threshold_reached")));
    const text = (scope: string, threshold: number, max: number) =>
      `{"max_bytes":${max},"scope":"${scope}","threshold":${threshold},"used_bytes":8,"user_id":${scope === "user" ? memberId : null}}`;
    const expected = [text("company", 80, 10), text("user", 80, 10), text("company", 100, 10), text("user", 100, 10)];
    expect(events.map((row) => row.text).toSorted()).toEqual(expected.toSorted());
  });

  it("rejects only growth when a quota is below the current usage", async () => {
    const { storage, owner, put, companyId } = await startFiles();
    await put("a", "12345");
    const path = `/storage/v1/quota/company/${companyId}`;
    await storage.call(path, { method: "PUT", bearer: owner, json: { max_bytes: 2 } });
    const upsert = { headers: { "x-upsert": "true" } };
    expect(await readError(await put("a", "123456", upsert))).toEqual([413, "company_quota_exceeded"]);
    expect((await put("a", "1234", upsert)).status).toBe(200);
    expect((await put("a", "4321", upsert)).status).toBe(200);
    expect((await put("empty", "")).status).toBe(200);
  });

  it("charges the last uploader of an object and credits the previous owner", async () => {
    const { put, owner, companyId, memberId, ownerId } = await startFiles();
    await put("a", "12345");
    await put("a", "123", { bearer: owner, headers: { "x-upsert": "true" } });
    const rows = await readRows(user_quotas, eq(user_quotas.company_id, companyId));
    expect(Object.fromEntries(rows.map(({ user_id, used_bytes }) => [user_id, used_bytes]))).toEqual({
      [memberId]: 0,
      [ownerId]: 3,
    });
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([{ used_bytes: 3 }]);
  });
});

it("creates the bucket and event of a company when staff of another company first request its quota", async () => {
  const { storage, companyId } = await startFiles();
  const staff = await storage.token({ isStaff: true, companyId: companyId + 1, userId: 3 });
  const path = `/storage/v1/quota/company/${companyId}`;
  expect((await storage.call(path, { method: "PUT", bearer: staff, json: { max_bytes: 5 } })).status).toBe(200);
  expect(await eventsOf(companyId, "storage.bucket.created")).toHaveLength(1);
});

describe("quota commands", () => {
  /** Runs a command as the operator and returns its last line. */
  async function manage(
    storage: Awaited<ReturnType<typeof startFiles>>["storage"],
    command: string,
    flags: object,
    bindings: object = {},
  ) {
    const response = await storage.call(`/api/v1/management/${command}`, {
      bearer: String(storage.bindings.OPERATOR_KEY),
      json: { flags },
      bindings,
    });
    if (response.status !== 200) return response.json();
    return JSON.parse((await response.text()).trim().split("\n").at(-1) ?? "");
  }

  it("sets a quota from a size with a unit", async () => {
    const { storage, companyId, memberId } = await startFiles();
    expect(await manage(storage, "set_quota", { company: companyId, max_bytes: "20G" })).toMatchObject({
      line: `set_quota: company=${companyId} max_bytes=${20 * GB} max_bytes_per_user=none used_bytes=0`,
    });
    expect(await manage(storage, "set_quota", { company: companyId, user: memberId, max_bytes: "1K" })).toMatchObject({
      line: `set_quota: company=${companyId} user=${memberId} max_bytes=1024 used_bytes=0`,
    });
    expect(await manage(storage, "set_quota", { company: companyId, max_bytes: "lots" })).toMatchObject({
      field_errors: { "flags.max_bytes": ["invalid"] },
    });
    expect(await manage(storage, "set_quota", { company: companyId })).toMatchObject({
      field_errors: { "flags.max_bytes": ["required"] },
    });
    expect(await manage(storage, "set_quota", { company: companyId, max_bytes_per_user: "1G" })).toMatchObject({
      line: `set_quota: company=${companyId} max_bytes=${20 * GB} max_bytes_per_user=${GB} used_bytes=0`,
    });
  });

  it("reports an unknown company", async () => {
    const { storage, companyId } = await startFiles();
    const identity = { IDENTITY_RPC: { company: async () => null } };
    expect(await manage(storage, "set_quota", { company: companyId, max_bytes: "1G" }, identity)).toMatchObject({
      exit_code: 1,
      line: "CommandError: set_quota failed: not_found: There is no such company. (run_id=-)",
    });
    expect(await manage(storage, "recount_quota", { company_id: companyId }, identity)).toMatchObject({
      exit_code: 1,
      line: "CommandError: recount_quota failed: not_found: There is no such company. (run_id=-)",
    });
    expect(await manage(storage, "recount_quota", { company_id: companyId })).toMatchObject({
      line: "recount_quota: companies=0 corrected=0 bytes_delta=0",
    });
  });

  it("corrects drifted counters and changes nothing else", async () => {
    const { storage, put, companyId, memberId } = await startFiles();
    await put("a", "12345");
    await put("b/c", "123");
    const flags = { company_id: companyId };
    const unchanged = {
      line: "recount_quota: companies=1 corrected=0 bytes_delta=0",
      counts: { companies: 1, corrected: 0, bytes_delta: 0, complete: true },
    };
    expect(await manage(storage, "recount_quota", flags)).toMatchObject(unchanged);
    await updateRows(company_quotas, { used_bytes: 520, object_count: 9 }, eq(company_quotas.company_id, companyId));
    await updateRows(user_quotas, { used_bytes: 2 }, eq(user_quotas.user_id, memberId));
    const corrected = "companies=1 corrected=1 bytes_delta=-512";
    expect(await manage(storage, "recount_quota", { ...flags, dry_run: true })).toMatchObject({
      line: `recount_quota: would recount ${corrected}`,
    });
    expect(await manage(storage, "recount_quota", flags)).toMatchObject({ line: `recount_quota: ${corrected}` });
    expect(await readRows(company_quotas, eq(company_quotas.company_id, companyId))).toMatchObject([
      { used_bytes: 8, object_count: 2 },
    ]);
    expect(await readRows(user_quotas, eq(user_quotas.user_id, memberId))).toMatchObject([{ used_bytes: 8 }]);
    await updateRows(user_quotas, { used_bytes: 2 }, eq(user_quotas.user_id, memberId));
    const users = "companies=1 corrected=1 bytes_delta=0";
    expect(await manage(storage, "recount_quota", { ...flags, dry_run: true })).toMatchObject({
      line: `recount_quota: would recount ${users}`,
    });
    expect(await manage(storage, "recount_quota", flags)).toMatchObject({ line: `recount_quota: ${users}` });
    expect(await manage(storage, "recount_quota", flags)).toMatchObject(unchanged);
  });
});
