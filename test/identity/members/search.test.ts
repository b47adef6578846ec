import { describe, expect, it } from "vitest";
import { rowsReadBy } from "../../support/http/read-rows";
import { createAdministration } from "../../support/identity/administration";
import { addMembership, usersPath } from "../../support/identity/members";
import { changeMemberships, changeUser, storeMembers } from "../../support/identity/rows";

type Page = { count?: number; results: { id: number; email: string }[]; next_cursor: string | null };

/** Maximum rows that a request may read in addition to the rows of its page. */
const MAX_ROWS_READ = 5000;

async function setUp() {
  const administration = await createAdministration();
  const page = async (query: string) => {
    const { status, body } = await administration.owner.call("GET", `${usersPath}?${query}`);
    expect(status, query).toBe(200);
    return body as Page;
  };
  const find = async (q: string, filters = "") =>
    (await page(`q=${encodeURIComponent(q)}${filters}`)).results.map(({ id }) => id);
  /** Follows the cursors and returns all pages. */
  const walk = async (query: string) => {
    const ids: number[] = [];
    let calls = 0;
    for (let next: string | null = ""; next !== null; calls++) {
      const memberPage: Page = await page(`${query}${next === "" ? "" : `&cursor=${next}`}`);
      ids.push(...memberPage.results.map(({ id }) => id));
      next = memberPage.next_cursor;
    }
    return { ids, calls };
  };
  return { ...administration, page, find, walk };
}

describe("search of members", () => {
  it("finds a user by address, name and company profile in each of their companies", async () => {
    const { find, member } = await setUp();
    const second = await setUp();
    const tag = crypto.randomUUID().slice(0, 8);
    const { id } = await member({ email: `old-${tag}@example.com` });
    await addMembership(second.company.id, id);
    expect([await find(`OLD-${tag}`), await second.find(`old-${tag}`)]).toEqual([[id], [id]]);
    await changeUser(id, {
      email: `new-${tag}@example.com`,
      username: `new-${tag}@example.com`,
      last_name: `Ünal${tag}`,
    });
    for (const { find: findIn } of [{ find }, second]) {
      expect(await findIn(`old-${tag}`)).toEqual([]);
      expect(await findIn(`new-${tag}`)).toEqual([id]);
      expect(await findIn(`ünal${tag}`)).toEqual([id]);
    }
    await changeMemberships(id, { profile: { last_name: `Own${tag}` } });
    expect([await find(`own${tag}`), await find(`ünal${tag}`)]).toEqual([[id], []]);
    await changeMemberships(id, { profile: null });
    expect([await find(`own${tag}`), await find(`ünal${tag}`)]).toEqual([[], [id]]);
    expect((await second.owner.call("DELETE", `${usersPath}/${id}`)).status).toBe(204);
    expect([await find(`new-${tag}`), await second.find(`new-${tag}`)]).toEqual([[id], []]);
  });

  it("treats quotes, operators and stars literally", async () => {
    const { find, member } = await setUp();
    const { id } = await member();
    await changeUser(id, { first_name: 'Q"uo', last_name: "a OR b*" });
    for (const text of ['q"uo', "a or b*", 'Q"uo a', "OR b"]) expect(await find(text), text).toEqual([id]);
    for (const text of ['"""', "NOT q", "email:q", "b* OR a", "a\u0000b", "q^uo"]) {
      expect(await find(text), text).toEqual([]);
    }
  });

  it("finds texts of one or two characters, and an id of any length", async () => {
    const { find, member } = await setUp();
    const { id } = await member();
    await changeUser(id, { first_name: "李", last_name: "Xu", email: `${crypto.randomUUID()}@zq.example` });
    expect([await find("李"), await find("@Z"), await find("李 x")]).toEqual([[id], [id], [id]]);
    expect(await find(String(id))).toContain(id);
    expect(await find("0000000")).toEqual([]);
  });

  it("reads at most 5,000 rows per page of a large company, and returns every member once across cursor pages", async () => {
    const { company, page, find, walk, member } = await setUp();
    const oldest = await member({ email: `qx-${crypto.randomUUID()}@example.com` });
    const tag = await storeMembers(company.id, 7000);
    const newest = await member({ email: `qx-${crypto.randomUUID()}@example.com` });
    const cost = (query: string) => rowsReadBy(() => page(query));
    expect(await find("qx-")).toEqual([newest.id, oldest.id]);
    expect(await cost("q=qx-")).toBeLessThan(100);
    expect((await page(`q=${tag}&page_size=100`)).count).toBe(2000);
    for (const q of [tag, "example.com", "qx", "zz"])
      expect(await cost(`q=${q}&page_size=100`), q).toBeLessThan(MAX_ROWS_READ + 400);
    const first = await page(`q=${tag}&page_size=100`);
    expect(await cost(`q=${tag}&page_size=100&cursor=${first.next_cursor}`)).toBeLessThan(700);
    const short = await walk("q=qx&page_size=100");
    expect(short.ids).toEqual([newest.id, oldest.id]);
    expect(short.calls).toBeGreaterThan(1);
    const all = await walk(`q=${tag}&page_size=100`);
    expect(all.ids).toHaveLength(7000);
    expect(new Set(all.ids).size).toBe(7000);
    expect(all.ids).toEqual(all.ids.toSorted((a, b) => b - a));
  });
});

describe("list of members", () => {
  it("supports cursors at the same cost at any depth, and page numbers up to row 10,000", async () => {
    const { company, page, owner } = await setUp();
    await storeMembers(company.id, 10_200);
    const deep = await page("page=100&page_size=100");
    expect(deep).toMatchObject({ count: 10_201, results: { length: 100 } });
    const next = `page_size=100&cursor=${deep.next_cursor}`;
    expect(Object.keys(await page(next)).sort()).toEqual(["next_cursor", "page_size", "results"]);
    const [first, later] = [await rowsReadBy(() => page("page_size=100")), await rowsReadBy(() => page(next))];
    expect(later).toBeLessThanOrEqual(first);
    for (const query of ["page=101&page_size=100", "page=10001&page_size=1", "page=999999999"]) {
      expect(await owner.call("GET", `${usersPath}?${query}`), query).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors: { page: ["use_cursor"] } },
      });
    }
    // A cursor overrides the page number, which must still be valid.
    expect((await page(`${next}&page=101`)).results).toHaveLength(100);
    expect(await owner.call("GET", `${usersPath}?${next}&page=-1.9e-238`)).toMatchObject({
      status: 400,
      body: { field_errors: { page: ["invalid"] } },
    });
    for (const cursor of ["x", "e30", btoa("[0]"), btoa('["1"]'), btoa("[99999999999]")]) {
      expect(await owner.call("GET", `${usersPath}?cursor=${cursor}`), cursor).toMatchObject({
        status: 400,
        body: { field_errors: { cursor: ["invalid"] } },
      });
    }
  });
});
