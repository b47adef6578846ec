import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { group_groups, group_members, memberships, users } from "../../../db/identity/schema";
import { meterDatabase } from "../../support/db/metered-database";
import { callAs, createAdministration } from "../../support/identity/administration";
import { insertRow, storeGroup, storeMembers, updateRows } from "../../support/identity/rows";

const path = "/api/v1/users/audience";
type Administration = Awaited<ReturnType<typeof createAdministration>>;
type Row = { id: number; email: string; first_name: string; language: string | null };

/** Returns the ids of a page. */
const idsOf = ({ body }: { body: Record<string, unknown> }) => (body.results as Row[]).map(({ id }) => id);

/** Creates an owner, a staff member, two members and two users without access. */
async function createPeople() {
  const administration = await createAdministration();
  const { member, owner } = administration;
  const staff = await member({ staff: true });
  const [mina, leo] = [await member({ language: "fr" }), await member({ language: "de" })];
  const denied = await member({ state: "denied" });
  const inactive = await member({ active: false });
  return { ...administration, owner, staff, mina, leo, denied, inactive };
}

describe("the audience", () => {
  it("has the allowed members with an active account by default, with names, address and language", async () => {
    const { owner, staff, mina, leo, denied, inactive } = await createPeople();
    const { status, body } = await owner.call("GET", path);
    expect([status, body.count, body.page, body.page_size, body.next_cursor]).toEqual([200, 4, 1, 100, null]);
    expect(body.results).toEqual([
      { id: owner.id, email: owner.email, first_name: "Mina", last_name: "", language: null },
      expect.objectContaining({ id: staff.id }),
      { id: mina.id, email: mina.email, first_name: "Mina", last_name: "", language: "fr" },
      expect.objectContaining({ id: leo.id, language: null }),
    ]);
    expect(idsOf(await owner.call("GET", `${path}?access=disabled`))).toEqual([denied.id, inactive.id]);
    expect((await owner.call("GET", `${path}?access=any&count_only=true`)).body).toEqual({ count: 6 });
    const profile = { first_name: "Mina", last_name: "Laurent" };
    await owner.call("PUT", `/api/v1/users/${mina.id}`, profile);
    expect((await owner.call("GET", `${path}?user_ids=${mina.id}`)).body.results).toMatchObject([profile]);
  });

  it("is filtered by role, time, id and nested group; all filters must match", async () => {
    const { owner, staff, mina, leo, company } = await createPeople();
    const [outer, inner] = [await storeGroup(company), await storeGroup(company)];
    await insertRow(group_groups, { group_id: outer, member_group_id: inner });
    await insertRow(group_members, { group_id: inner, user_id: mina.id });
    await insertRow(group_members, { group_id: outer, user_id: leo.id });
    await updateRows(memberships, { created_at: 5000, last_seen_at: 7000 }, eq(memberships.user_id, mina.id));
    await updateRows(memberships, { created_at: 6000, last_seen_at: null }, eq(memberships.user_id, leo.id));
    const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    const expected: [string, number[]][] = [
      ["roles=owner", [owner.id]],
      ["roles=staff,owner", [owner.id, staff.id]],
      ["roles=member", [mina.id, leo.id]],
      [`group_ids=${outer}`, [mina.id, leo.id]],
      [`group_ids=${inner.toUpperCase()}`, [mina.id]],
      [`joined_after=${time(5000)}&joined_before=${time(6000)}`, [mina.id, leo.id]],
      [`joined_after=${time(5001)}`, [leo.id]],
      [`seen_after=${time(7000)}&seen_before=${time(7000)}`, [mina.id]],
      [`seen_before=${time(6999)}&roles=member`, [leo.id]],
      [`user_ids=${leo.id},${mina.id},999999,${leo.id}`, [mina.id, leo.id]],
      [`user_ids=${leo.id}&roles=owner`, []],
    ];
    for (const [query, ids] of expected) {
      const numbered = await owner.call("GET", `${path}?${query}`);
      expect([query, idsOf(numbered), numbered.body.count]).toEqual([query, ids, ids.length]);
      expect([query, idsOf(await owner.call("GET", `${path}?${query}&cursor=`))]).toEqual([query, ids]);
      expect((await owner.call("GET", `${path}?${query}&count_only=true`)).body).toEqual({ count: ids.length });
    }
  });

  it("is limited to the company in scope", async () => {
    const [first, second] = [await createPeople(), await createPeople()];
    const { body } = await first.owner.call("GET", `${path}?user_ids=${second.mina.id}`);
    expect(body.results).toEqual([]);
    const group = await storeGroup(second.company);
    const rejected = await first.owner.call("GET", `${path}?group_ids=${group}`);
    expect([rejected.status, rejected.body]).toEqual([
      400,
      expect.objectContaining({ field_errors: { group_ids: ["invalid"] }, field: "group_ids" }),
    ]);
  });

  it("names the invalid filter in `field_errors` and `field`", async () => {
    const { owner } = await createAdministration();
    const many = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(",");
    const rejected: [string, string, string][] = [
      ["access=all", "access", "invalid"],
      ["roles=admin", "roles", "invalid"],
      ["group_ids=x", "group_ids", "invalid"],
      ["joined_after=yesterday", "joined_after", "invalid"],
      ["user_ids=1,x", "user_ids", "invalid"],
      [`user_ids=${many(1001)}`, "user_ids", "too_many"],
      ["count_only=yes", "count_only", "invalid"],
      ["page_size=1001", "page_size", "out_of_range"],
      ["page=0", "page", "out_of_range"],
      ["cursor=x", "cursor", "invalid"],
    ];
    for (const [query, field, code] of rejected) {
      const { status, body } = await owner.call("GET", `${path}?${query}`);
      expect([query, status, body.error_code, body.field_errors, body.field]).toEqual([
        query,
        400,
        "validation_failed",
        { [field]: [code] },
        field,
      ]);
    }
    expect((await owner.call("GET", `${path}?user_ids=${many(1000)}`)).status).toBe(200);
  });

  it("is read by cursor in pages that read at most 5,000 rows and may be short", async () => {
    const { owner, env, company }: Administration = await createAdministration();
    const mark = await storeMembers(company.id, 3000);
    const meter = meterDatabase(env.DB);
    const call = callAs({ ...env, DB: meter.db }, owner.token);
    for (const [query, count, pages] of [
      ["page_size=500", 3001, 7],
      ["page_size=1000&roles=owner", 1, 4],
    ] as const) {
      let cursor: string | null = "";
      let [read, pageCount] = [0, 0];
      const listedIds: number[] = [];
      while (cursor !== null) {
        meter.takeStatements();
        const page = await call("GET", `${path}?${query}&cursor=${cursor}`);
        read = Math.max(
          read,
          meter.takeStatements().reduce((sum, statement) => sum + statement.read, 0),
        );
        listedIds.push(...idsOf(page));
        cursor = page.body.next_cursor as string | null;
        pageCount += 1;
        expect(pageCount).toBeLessThan(10);
      }
      expect([query, new Set(listedIds).size, listedIds.length, pageCount]).toEqual([query, count, count, pages]);
      expect(read).toBeLessThan(5000);
    }
    const last = await call("GET", `${path}?page_size=1000&page=4`);
    expect([last.body.count, idsOf(last).length]).toEqual([3001, 1]);
    await updateRows(users, { is_active: false }, eq(users.email, `${mark}1@example.com`));
    expect((await call("GET", `${path}?count_only=true`)).body).toEqual({ count: 3000 });
  });
});
