import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { event_log } from "../../../db/identity/schema";
import { identityEvents } from "../../../schemas/identity/events";
import { clock } from "../../../workers/kit/clock";
import { idBefore } from "../../../workers/kit/ids";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  signIn,
} from "../../support/identity/identity";
import { createPat } from "../../support/identity/personal-access-tokens";
import { changeCompany, deleteRows, storeEntries, storeEntry } from "../../support/identity/rows";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

// Integer ids count from 2020.
const start = Date.UTC(2026, 0, 1);

type Row = Record<string, unknown> & { id: number; event_id: string; event_type: string; user_email: string | null };
type Page = { count?: number; page?: number; page_size: number; results: Row[]; next_cursor: string | null };

/** Stores an event that happened `at` (ms since the epoch) and returns its id. */
const write = (
  company: number | null,
  { at, ...event }: Partial<typeof event_log.$inferInsert> & { at: number },
): Promise<number> => storeEntry(company, { ...event, created_at: at });

async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const ownerId = await createUser({ email, company: company.id, owner: true });
  const owner = (await signIn(env, mailbox, company, email)).access_token;
  // Deletes the events of the sign-ins, because each test writes its own.
  await deleteRows(event_log, eq(event_log.company_id, company.id));
  const user = async (
    userCompany: { id: number; origin: string },
    options: Partial<Parameters<typeof createUser>[0]>,
  ) => {
    const address = freshEmail();
    await createUser({ email: address, company: userCompany.id, ...options });
    return (await signIn(env, mailbox, userCompany, address)).access_token;
  };
  const get = (path: string, token: string = owner) =>
    callIdentity(env, path, { headers: { authorization: `Bearer ${token}` } });
  const page = async (path: string, token?: string) => {
    const response = await get(path, token);
    expect(response.status, path).toBe(200);
    return response.json<Page>();
  };
  const code = async (path: string, token?: string) => {
    const response = await get(path, token);
    const body = await response.json<{ error_code?: string; field_errors?: object }>();
    return [response.status, body.error_code ?? null, ...(body.field_errors ? [body.field_errors] : [])];
  };
  return { env, mailbox, company, owner, ownerId, email, user, get, page, code };
}

const ids = ({ results }: Page) => results.map((row) => row.id);

describe.each(["/api/v1/events", "/api/v1/actions/event-log"])("%s", (path) => {
  it("lists rows newest first, with labels and without empty fields", async () => {
    const { company, ownerId, email, page } = await setUp();
    const data = { source: "admin", a: null, b: "", c: [], d: {}, e: false, f: 0, company_id: 1, user_id: 2, g: ["x"] };
    const first = await write(company.id, {
      at: start + 1000,
      user_id: ownerId,
      user_email: email,
      data: JSON.stringify(data),
    });
    const sameTime = await write(company.id, { at: start + 1000, event_type: "identity.auth.login.failed" });
    const last = await write(company.id, { at: start + 2000 });
    const list = await page(path);
    expect(list).toMatchObject({ count: 3, page: 1, page_size: 20, next_cursor: null });
    expect(ids(list)).toEqual([last, sameTime, first]);
    expect(list.results[2]).toEqual({
      id: first,
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      company_id: company.id,
      created_at: new Date(start + 1000).toISOString(),
      event_type: "identity.user.updated",
      label: "User updated",
      user_id: ownerId,
      user_email: email,
      data: { source: "admin", f: 0, g: ["x"] },
    });
    expect(list.results[1]).toMatchObject({ label: "Sign-in rejected", user_id: null, user_email: null, data: {} });
  });

  it("returns one row, and 404 for an id of another company, an unknown id and a malformed id", async () => {
    const { company, page, code, get, user } = await setUp();
    const other = await createCompany();
    const [companyEvent, foreign, platform] = [
      await write(company.id, { at: start + 1 }),
      await write(other.id, { at: start + 1 }),
      await write(null, { at: start + 1, event_type: "identity.scheduled_job.failed" }),
    ];
    expect(await (await get(`${path}/${companyEvent}`)).json()).toEqual((await page(path)).results[0]);
    for (const id of [foreign, platform, 2 ** 40, "abc", "0", "1.5", "%00"]) {
      expect(await code(`${path}/${id}`)).toEqual([404, "not_found"]);
    }
    const staff = await user(company, { staff: true });
    for (const id of [companyEvent, platform]) expect((await get(`${path}/${id}`, staff)).status).toBe(200);
    expect(await code(`${path}/${foreign}`, staff)).toEqual([404, "not_found"]);
    expect(await code(`${path}/${companyEvent}?company_id=${other.id}`, staff)).toEqual([404, "not_found"]);
    expect((await get(`${path}/${foreign}?company_id=${other.id}`, staff)).status).toBe(200);
    expect((await get(`${path}/${platform}?company_id=${other.id}`, staff)).status).toBe(200);
  });

  it("admits owners of the company and staff, including read-only tokens", async () => {
    const { env, company, ownerId, code, get, user } = await setUp();
    const other = await createCompany();
    const member = await user(company, {});
    const foreignOwner = await user(other, { owner: true });
    const staff = await user(other, { staff: true });
    const { token } = await createPat(env, { user: ownerId, company: company.id, readOnly: true });
    for (const suffix of ["", "/types", "/retention"]) {
      expect(await code(`${path}${suffix}`, member)).toEqual([403, "forbidden"]);
      expect(await code(`${path}${suffix}?company_id=${company.id}`, foreignOwner)).toEqual([403, "company_mismatch"]);
      expect(await code(`${path}${suffix}?company_id=abc`)).toEqual([
        400,
        "validation_failed",
        { company_id: ["invalid"] },
      ]);
      expect(await code(`${path}${suffix}?company_id=99999999`, staff)).toEqual([404, "not_found"]);
      expect((await get(`${path}${suffix}?company_id=${company.id}`, staff)).status).toBe(200);
      expect((await get(`${path}${suffix}`, token)).status).toBe(200);
    }
    expect((await callIdentity(env, path)).status).toBe(401);
  });
});

const path = "/api/v1/events";

describe("filters of events", () => {
  it("filters events by several types, a user, part of the address and an event id, alone and together", async () => {
    const { company, page } = await setUp();
    const [user, another] = [await createUser({ email: freshEmail() }), await createUser({ email: freshEmail() })];
    const writeUserEvent = (userId: number, address: string, type: string, at: number) =>
      write(company.id, { at: start + at, user_id: userId, user_email: address, event_type: `identity.user.${type}` });
    const a = await writeUserEvent(user, "mina.k@example.com", "created", 1);
    const b = await writeUserEvent(user, "mina.k@example.com", "updated", 2);
    const c = await writeUserEvent(another, "leo@example.com", "updated", 3);
    const d = await writeUserEvent(another, "leo@example.com", "deleted", 4);
    const foreign = await createCompany();
    await write(foreign.id, { at: start + 5, user_id: user, user_email: "mina.k@example.com" });
    const find = async (query: string) => {
      const list = await page(`${path}?${query}`);
      expect(list.count).toBe(list.results.length);
      return ids(list);
    };
    expect(await find("event_type=identity.user.updated")).toEqual([c, b]);
    expect(await find("event_type=identity.user.deleted,identity.user.created,identity.user.deleted")).toEqual([d, a]);
    expect(await find(`user_id=${user}`)).toEqual([b, a]);
    expect(await find(`user_id=${user}&event_type=identity.user.created`)).toEqual([a]);
    expect(await find("user=NA.K%40EX")).toEqual([b, a]);
    expect(await find("user=%25")).toEqual([]);
    expect(await find(`user=leo&event_type=identity.user.created,identity.user.updated`)).toEqual([c]);
    const eventId = (await page(path)).results.find(({ id }) => id === c)?.event_id;
    expect(await find(`event_id=${eventId}`)).toEqual([c]);
    expect(await find(`event_id=${eventId}&user_id=${user}`)).toEqual([]);
    expect(await find(`event_id=${eventId?.toUpperCase()}`)).toEqual([c]);
    expect(await find(`event_id=${crypto.randomUUID()}`)).toEqual([]);
  });

  it("treats created_after as inclusive and created_before as exclusive, in any UTC offset", async () => {
    const { company, page } = await setUp();
    const at = Date.parse("2026-03-01T10:00:00.000Z");
    const [before, exact, after] = [
      await write(company.id, { at: at - 1 }),
      await write(company.id, { at }),
      await write(company.id, { at: at + 1 }),
    ];
    const find = async (query: string) => ids(await page(`${path}?${query}`));
    expect(await find("created_after=2026-03-01T10:00:00Z")).toEqual([after, exact]);
    expect(await find("created_before=2026-03-01T10:00:00.000Z")).toEqual([before]);
    const offset = encodeURIComponent("2026-03-01T11:00:00+01:00");
    expect(await find(`created_after=${offset}&created_before=2026-03-01T10:00:00.001Z`)).toEqual([exact]);
    expect(await find(`created_after=${offset}&event_type=identity.user.updated`)).toEqual([after, exact]);
  });

  it.each([
    ["event_type", "identity.nothing"],
    ["event_type", ""],
    ["event_type", "identity.user.created,"],
    ["event_id", "nonsense"],
    ["user_id", "0"],
    ["user_id", "abc"],
    ["user_id", "1.0"],
    ["created_after", "2026-03-01"],
    ["created_after", "2026-03-01T10:00:00"],
    ["created_before", "2026-02-30T10:00:00Z"],
    ["created_before", "1772359200000"],
    ["scope", "all"],
    ["cursor", "nonsense"],
    ["page", "abc"],
    ["page_size", "x"],
  ])("returns 400 for the filter %s=%s", async (name, value) => {
    const { code } = await setUp();
    expect(await code(`${path}?${name}=${value}`)).toEqual([400, "validation_failed", { [name]: ["invalid"] }]);
  });

  it("returns 400 for pages out of range and filters that are too long, after the role check", async () => {
    const { code, user, company } = await setUp();
    const member = await user(company, {});
    expect(await code(`${path}?page_size=101`)).toEqual([400, "validation_failed", { page_size: ["out_of_range"] }]);
    expect(await code(`${path}?page=0`)).toEqual([400, "validation_failed", { page: ["out_of_range"] }]);
    expect(await code(`${path}?user=${"x".repeat(255)}`)).toEqual([400, "validation_failed", { user: ["too_long"] }]);
    expect(await code(`${path}?page_size=101`, member)).toEqual([403, "forbidden"]);
  });

  it("shows platform events only to staff, separately from the events of companies", async () => {
    const { company, user, page, code } = await setUp();
    const staff = await user(company, { staff: true });
    // All tests share the platform's events, so this time is later than the job runs of other tests.
    const at = clock.now() + 3650 * 86_400_000;
    const id = await write(null, { at, event_type: "identity.scheduled_job.succeeded" });
    const companyEvent = await write(company.id, { at });
    expect(await code(`${path}?scope=platform`)).toEqual([403, "forbidden"]);
    expect(await code(`${path}?scope=platform&event_type=nonsense`)).toEqual([403, "forbidden"]);
    const list = await page(`${path}?scope=platform&created_after=${new Date(at).toISOString()}`, staff);
    expect(list.results).toMatchObject([{ id, company_id: null, label: "Job succeeded" }]);
    const typed = await page(`${path}?scope=platform&event_type=identity.scheduled_job.succeeded&page_size=1`, staff);
    expect(ids(typed)).toEqual([id]);
    expect(ids(await page(`${path}?scope=company&page_size=1`, staff))).toEqual([companyEvent]);
    expect(ids(await page(`${path}?event_type=identity.scheduled_job.succeeded`))).toEqual([]);
  });
});

describe("pages of events", () => {
  it("pages events with equal times by number and by cursor, with and without a filter", async () => {
    const { company, page } = await setUp();
    const createdIds: number[] = [];
    for (let index = 0; index < 7; index++) {
      const event_type = index % 2 ? "identity.user.created" : "identity.user.updated";
      createdIds.unshift(await write(company.id, { at: start + 1000 + Math.floor(index / 3), event_type }));
    }
    for (const filter of ["", "&event_type=identity.user.created,identity.user.updated"]) {
      const numbered = await Promise.all([1, 2, 3, 4].map((n) => page(`${path}?page_size=3&page=${n}${filter}`)));
      expect(numbered.flatMap(ids)).toEqual(createdIds);
      expect(numbered.map(({ count }) => count)).toEqual([7, 7, 7, 7]);
      const walked: number[] = [];
      let next: string | null = numbered[0]?.next_cursor ?? null;
      walked.push(...ids(numbered[0] as Page));
      while (next) {
        const following: Page = await page(`${path}?page_size=3&cursor=${next}${filter}`);
        expect(Object.keys(following).sort()).toEqual(["next_cursor", "page_size", "results"]);
        walked.push(...ids(following));
        next = following.next_cursor;
      }
      expect(walked).toEqual(createdIds);
    }
  });

  it("stops counting at 4,000 events, and reads fewer than 120 rows for a deep cursor page", async () => {
    const { company, owner, env } = await setUp();
    await storeEntries(company.id, 12_000, {
      event_type: sql`'identity.user.' || case when i % 2 then 'created' else 'updated' end`,
      created_at: sql`${start} + i`,
    });
    const lines: { db_rows_read: number; db_round_trips: number }[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => {
      const entry = JSON.parse(line);
      if (entry.message === "request") lines.push(entry);
    });
    const get = async (query: string) => {
      lines.length = 0;
      const headers = { authorization: `Bearer ${owner}` };
      const page = await (await callIdentity(env, `${path}?${query}`, { headers })).json<Page>();
      return { page, cost: lines[0]?.db_rows_read ?? 0, trips: lines[0]?.db_round_trips };
    };
    const first = await get("page_size=10");
    // The credential check and the list run in parallel.
    expect([first.page.count, first.trips]).toEqual([4000, 2]);
    expect(first.cost).toBeLessThan(4000 + 50);
    const both = "event_type=identity.user.created,identity.user.updated";
    for (const query of ["page_size=10", `page_size=10&${both}`]) {
      const deep = btoa(JSON.stringify([`${idBefore(start + 500)}-7000-8000-000000000000`])).replace(/=+$/, "");
      const { page, cost } = await get(`${query}&cursor=${deep}`);
      expect(page.results).toHaveLength(10);
      expect(cost).toBeLessThan(120);
    }
    expect((await get(`created_before=${new Date(start + 100).toISOString()}&page_size=5`)).cost).toBeLessThan(300);
    await deleteRows(event_log, eq(event_log.company_id, company.id));
  });
});

it("lists event types with label, description and webhook availability, and staff types only for staff", async () => {
  const { company, user, get } = await setUp();
  const read = async (token?: string) =>
    (await (await get(`${path}/types`, token)).json<{ results: Record<string, unknown>[] }>()).results;
  const forOwner = await read();
  const forStaff = await read(await user(company, { staff: true }));
  expect(forStaff.map((entry) => entry.type)).toEqual(identityEvents.map((event) => event.type));
  expect(
    forStaff
      .filter((entry) => !forOwner.some((ownerEntry) => ownerEntry.type === entry.type))
      .map((entry) => entry.type),
  ).toEqual(["identity.scheduled_job.succeeded", "identity.scheduled_job.failed"]);
  expect(forOwner).toContainEqual({
    type: "identity.auth.magic_link.requested",
    label: "Magic link requested",
    description: "A user requested a sign-in link.",
    webhook: true,
  });
  expect(forOwner.find((entry) => entry.type === "identity.auth.login.failed")).toMatchObject({ webhook: false });
});

it("returns the retention, the oldest event, and whether events are more than one day past the retention", async () => {
  const { company, get } = await setUp();
  const retention = async () => (await get(`${path}/retention`)).json();
  expect(await retention()).toEqual({ data_retention_days: 7, oldest_event_at: null, stale_events: false });
  const now = clock.now();
  clock.now = () => now;
  const at = now - 8 * 86_400_000;
  await write(company.id, { at });
  expect(await retention()).toEqual({
    data_retention_days: 7,
    oldest_event_at: new Date(at).toISOString(),
    stale_events: false,
  });
  await write(company.id, { at: at - 1 });
  expect(await retention()).toMatchObject({ stale_events: true });
  await changeCompany(company.id, { data_retention_days: 8 });
  expect(await retention()).toMatchObject({ data_retention_days: 8, stale_events: false });
});
