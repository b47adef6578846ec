import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { event_log } from "../../../db/identity/schema";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  signIn,
} from "../../support/identity/identity";
import { deleteRows, entriesOf, storeEntries, storeEntry } from "../../support/identity/rows";

afterEach(() => {
  vi.restoreAllMocks();
});

const path = "/api/v1/login-events";
// Integer ids count from 2020.
const start = Date.UTC(2026, 0, 1);
type Row = Record<string, unknown> & { id: number };
type Page = { count: number; results: Row[]; next_cursor: string | null };

async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const ownerId = await createUser({ email, company: company.id, owner: true });
  const owner = (await signIn(env, mailbox, company, email)).access_token;
  const get = (suffix: string, token: string = owner) =>
    callIdentity(env, `${path}${suffix}`, { headers: { authorization: `Bearer ${token}` } });
  const page = async (suffix: string, token?: string) => {
    const response = await get(suffix, token);
    expect(response.status, suffix).toBe(200);
    return response.json<Page>();
  };
  return { env, mailbox, company, email, ownerId, owner, get, page };
}

/** Stores a login event and returns its id. */
const write = (company: number, entry: Parameters<typeof storeEntry>[1]): Promise<number> =>
  storeEntry(company, { event_type: "identity.auth.login.failed", outcome: "failure", ...entry });

describe("login events", () => {
  it("lists the successful and rejected sign-ins of the company with all stored fields", async () => {
    const { env, mailbox, company, email, ownerId, page, get } = await setUp();
    const { token } = await requestLink(env, mailbox, company, email, {
      client_timezone: "Europe/Paris",
      client_device_id: "laptop-7",
    });
    const client = { cf: { country: "FR", city: "Lyon" } } as unknown as RequestInit;
    const body = json({ token, company_id: company.id }, { "user-agent": "Probe/1.0" });
    for (let attempt = 0; attempt < 2; attempt++)
      await callIdentity(env, "/api/v1/magic-link/verify", { ...body, ...client });
    const list = await page("");
    expect(list.count).toBe(3);
    const [failed, succeeded, first] = list.results;
    const expected = {
      id: expect.any(Number),
      company_id: company.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      user_id: ownerId,
      user_email: email,
      provider: "magic_link",
      is_staff_at_event: false,
      ip_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      user_agent: "Probe/1.0",
      client_timezone: "Europe/Paris",
      client_device_id_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      client_country: "FR",
      client_city: "Lyon",
    };
    expect(failed).toEqual({ ...expected, outcome: "failure", failure_reason: "magic_link_invalid" });
    expect(succeeded).toEqual({ ...expected, outcome: "success", failure_reason: null });
    expect(first).toMatchObject({ client_timezone: null, client_device_id_hash: null, client_country: null });
    expect(await (await get(`/${failed?.id}`)).json()).toEqual(failed);
  });

  it("filters by each column alone and by all columns together", async () => {
    const { company, page, ownerId } = await setUp();
    await deleteRows(event_log, eq(event_log.company_id, company.id));
    const place = { country: "FR", city: "Lyon", timezone: "Europe/Paris" };
    const a = await write(company.id, {
      created_at: start + 1000,
      provider: "google",
      user_id: ownerId,
      is_staff_at_event: true,
      ...place,
    });
    const b = await write(company.id, {
      created_at: start + 2000,
      provider: "magic_link",
      outcome: "success",
      is_staff_at_event: false,
      ...place,
    });
    const c = await write(company.id, {
      created_at: start + 3000,
      provider: "magic_link",
      city: "Nice",
      timezone: "UTC",
      country: "DE",
    });
    await write((await createCompany()).id, {
      created_at: start + 1000,
      provider: "google",
      user_id: ownerId,
      ...place,
    });
    await write(company.id, { created_at: start + 1000, outcome: null, event_type: "identity.user.updated", ...place });
    const find = async (query: string) => {
      const list = await page(`?${query}`);
      expect(list.count).toBe(list.results.length);
      return list.results.map((row) => row.id);
    };
    expect(await find("")).toEqual([c, b, a]);
    expect(await find("outcome=failure")).toEqual([c, a]);
    expect(await find("outcome=success")).toEqual([b]);
    expect(await find("provider=magic_link")).toEqual([c, b]);
    expect(await find(`user_id=${ownerId}`)).toEqual([a]);
    expect(await find("is_staff_at_event=true")).toEqual([a]);
    expect(await find("is_staff_at_event=false")).toEqual([b]);
    expect(await find("country=FR")).toEqual([b, a]);
    expect(await find("city=Nice")).toEqual([c]);
    expect(await find("timezone=Europe%2FParis")).toEqual([b, a]);
    expect(await find("created_after=2026-01-01T00:00:02Z&created_before=2026-01-01T00:00:03Z")).toEqual([b]);
    expect(await find("country=FR&outcome=failure&provider=google&is_staff_at_event=true&city=Lyon")).toEqual([a]);
    expect(await find("country=FR&provider=nobody")).toEqual([]);
  });

  it("lists only login events, only of the company, and only for owners and staff", async () => {
    const { env, mailbox, company, get } = await setUp();
    const other = await createCompany();
    const member = (await signIn(env, mailbox, company, freshEmail())).access_token;
    const staffEmail = freshEmail();
    await createUser({ email: staffEmail, company: other.id, staff: true });
    const staff = (await signIn(env, mailbox, other, staffEmail)).access_token;
    const created = (await entriesOf(company.id)).find(({ outcome }) => outcome === null);
    const foreign = await write(other.id, { created_at: start + 1 });
    const status = async (suffix: string, token?: string) => (await get(suffix, token)).status;
    expect(await status("", member)).toBe(403);
    expect(await status(`/${foreign}`, member)).toBe(403);
    expect((await callIdentity(env, path)).status).toBe(401);
    expect(await status(`?company_id=${other.id}`)).toBe(403);
    for (const id of [created?.id, foreign, "abc", 2 ** 40]) expect(await status(`/${id}`)).toBe(404);
    // `staff` signed in to the other company.
    expect(await status(`/${foreign}`, staff)).toBe(200);
    expect(await status(`?company_id=${company.id}`, staff)).toBe(200);
    expect(await status(`/${foreign}?company_id=${company.id}`, staff)).toBe(404);
  });

  it.each(["outcome=maybe", "is_staff_at_event=1", "user_id=x", "created_after=today", "cursor=%7B"])(
    "returns 400 for the filter %s",
    async (query) => {
      const { get } = await setUp();
      const response = await get(`?${query}`);
      const name = query.split("=")[0] ?? "";
      expect([response.status, (await response.json<{ field_errors: object }>()).field_errors]).toEqual([
        400,
        { [name]: ["invalid"] },
      ]);
    },
  );

  it("reads a bounded number of rows per page, so a page before a rare match may be empty but have a cursor", async () => {
    const { company, env, owner, ownerId } = await setUp();
    await deleteRows(event_log, eq(event_log.company_id, company.id));
    await storeEntries(company.id, 12_000, {
      event_type: "identity.auth.login.succeeded",
      outcome: "success",
      provider: "magic_link",
      is_staff_at_event: false,
      country: "FR",
      city: "Lyon",
      timezone: "Europe/Paris",
      created_at: sql`${start} + i`,
    });
    const rare = {
      provider: "google",
      is_staff_at_event: true,
      country: "DE",
      city: "Kiel",
      timezone: "Europe/Berlin",
    };
    const id = await write(company.id, { created_at: start + 1, user_id: ownerId, ...rare });
    const lines: { db_rows_read: number }[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => {
      const entry = JSON.parse(line);
      if (entry.message === "request") lines.push(entry);
    });
    const get = async (query: string) => {
      lines.length = 0;
      const headers = { authorization: `Bearer ${owner}` };
      const page = await (await callIdentity(env, `${path}?${query}`, { headers })).json<Page>();
      return { page, cost: lines[0]?.db_rows_read ?? 0 };
    };
    for (const [name, value] of Object.entries({ ...rare, is_staff_at_event: "true", outcome: "failure" })) {
      const filter = `${name}=${encodeURIComponent(value)}`;
      const pages = [await get(filter)];
      while (pages.at(-1)?.page.next_cursor && pages.length < 10) {
        pages.push(await get(`${filter}&cursor=${pages.at(-1)?.page.next_cursor}`));
      }
      expect(pages[0]?.page, name).toMatchObject({ count: 0, page: 1, results: [], next_cursor: expect.any(String) });
      expect(pages.flatMap(({ page }) => page.results.map((row) => row.id))).toEqual([id]);
      expect(pages.length).toBe(7);
      for (const { cost } of pages) expect(cost, name).toBeLessThan(5020);
    }
    // Frequent values and the events of a user are indexed, so the query reads only the rows of the page.
    const { page, cost } = await get("country=FR&page_size=10");
    expect([page.results.length, page.count]).toEqual([10, 2000]);
    expect(cost).toBeLessThan(2600);
    const next = await get(`country=FR&page_size=10&cursor=${page.next_cursor}`);
    expect([next.page.results.length, next.cost < 60]).toEqual([10, true]);
    const ownerRows = await get(`user_id=${ownerId}&provider=google`);
    expect([ownerRows.page.results.map((row) => row.id), ownerRows.cost < 60]).toEqual([[id], true]);
    await deleteRows(event_log, eq(event_log.company_id, company.id));
  });
});
