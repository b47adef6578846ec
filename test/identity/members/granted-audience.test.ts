import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { companies, memberships, users } from "../../../db/identity/schema";
import type { AudienceInput } from "../../../schemas/rpc";
import { IdentityRpc } from "../../../workers/identity/rpc";
import { countRoundTrips } from "../../support/db/counted-database";
import { createAdministration } from "../../support/identity/administration";
import { storeGroup, updateRows } from "../../support/identity/rows";

/** Creates a company with its owner, a staff member and two members. `audience` calls the RPC with a grant of the owner. */
async function createPeople() {
  const administration = await createAdministration();
  const { env, company, owner, member } = administration;
  const staff = await member({ staff: true });
  const members = [await member({ language: "fr" }), await member()];
  const database = countRoundTrips(env.DB);
  const rpc = new IdentityRpc(createExecutionContext(), { ...env, DB: database.db });
  const input = { company_id: company.id, granted_by: owner.id, filter: {}, cursor: "", page_size: 1000 };
  const audience = (change: Partial<AudienceInput> = {}) => rpc.audience({ ...input, ...change });
  return { ...administration, staff, members, audience, trips: database.count };
}

const path = "/api/v1/users/audience";
const NOT_PERMITTED = { ok: false, reason: "not_permitted" };

describe("the audience of a grant", () => {
  it("is that of the HTTP route, page by page, in one round trip each", async () => {
    const { owner, members, audience, trips } = await createPeople();
    const filters = [{}, { roles: "member" }, { access: "any", user_ids: `${owner.id},${members[0]?.id}` }];
    for (const filter of filters) {
      const query = new URLSearchParams({ ...filter, cursor: "", page_size: "1000" });
      const { body } = await owner.call("GET", `${path}?${query}`);
      const before = trips();
      const page = await audience({ filter });
      expect(trips() - before).toBe(1);
      expect(page).toEqual({ ok: true, results: body.results, next_cursor: null });
    }
    const first = await audience({ page_size: 2 });
    if (!first.ok || first.next_cursor === null) throw new Error("a page is missing");
    const second = await audience({ page_size: 2, cursor: first.next_cursor });
    if (!second.ok) throw new Error("a page is missing");
    const ids = [...first.results, ...second.results].map(({ id }) => id);
    expect([first.results.length, ids.length, new Set(ids).size]).toEqual([2, 4, 4]);
  });

  it("needs an active owner of the active company, or active staff", async () => {
    const { company, owner, staff, members, audience } = await createPeople();
    const other = await createPeople();
    expect((await audience({ granted_by: staff.id })).ok).toBe(true);
    expect(await audience({ granted_by: members[0]?.id ?? 0 })).toEqual(NOT_PERMITTED);
    expect(await audience({ granted_by: other.owner.id })).toEqual(NOT_PERMITTED);
    expect(await audience({ granted_by: 4_000_000_000 })).toEqual(NOT_PERMITTED);
    // The user is checked first, so a foreign user learns nothing about filters.
    expect(await audience({ granted_by: other.owner.id, filter: { roles: "boss" } })).toEqual(NOT_PERMITTED);
    await updateRows(memberships, { state: "denied" }, eq(memberships.user_id, owner.id));
    expect(await audience()).toEqual(NOT_PERMITTED);
    await updateRows(memberships, { state: "allowed", is_owner: false }, eq(memberships.user_id, owner.id));
    expect(await audience()).toEqual(NOT_PERMITTED);
    await updateRows(memberships, { is_owner: true }, eq(memberships.user_id, owner.id));
    await updateRows(users, { is_active: false }, eq(users.id, owner.id));
    expect(await audience()).toEqual(NOT_PERMITTED);
    await updateRows(users, { is_active: true }, eq(users.id, owner.id));
    expect((await audience()).ok).toBe(true);
    await updateRows(companies, { is_active: false }, eq(companies.id, company.id));
    expect([await audience(), await audience({ granted_by: staff.id })]).toEqual([NOT_PERMITTED, NOT_PERMITTED]);
  });

  it("names the first invalid filter, and rejects groups of other companies", async () => {
    const { audience } = await createPeople();
    const other = await createPeople();
    const group = await storeGroup(other.company);
    const invalid: [Record<string, string>, string][] = [
      [{ roles: "boss" }, "roles"],
      [{ joined_after: "yesterday" }, "joined_after"],
      [{ user_ids: Array.from({ length: 1001 }, (_, index) => index + 1).join() }, "user_ids"],
      [{ group_ids: group }, "group_ids"],
    ];
    for (const [filter, field] of invalid) {
      expect(await audience({ filter })).toEqual({ ok: false, reason: "invalid", field });
    }
    expect(await audience({ cursor: "?" })).toEqual({ ok: false, reason: "invalid", field: "cursor" });
  });

  it.each([
    ["a page that is too large", { page_size: 1001 }],
    ["no user", { granted_by: 0 }],
    ["a filter that is no text", { filter: { roles: ["owner"] } }],
  ])("rejects %s", async (_description, change) => {
    const { audience } = await createPeople();
    await expect(audience(change as Partial<AudienceInput>)).rejects.toThrow("malformed input");
  });
});
