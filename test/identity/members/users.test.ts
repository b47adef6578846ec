import { describe, expect, it } from "vitest";
import { changesOf } from "../../support/identity/admin";
import { codeOf, createActor, createAdministration } from "../../support/identity/administration";
import { callIdentity, createCompany } from "../../support/identity/identity";
import { addMembership, memberEvents, usersPath } from "../../support/identity/members";
import { changeMemberships, changeUser, findUser, storeMembers } from "../../support/identity/rows";

type Row = Record<string, unknown> & { id: number };
type Page = { count: number; page: number; page_size: number; results: Row[] };

describe("list of members", () => {
  it("returns a page, newest id first, with exactly the documented fields", async () => {
    const { owner, company, member } = await createAdministration();
    const first = await member();
    const second = await member({ state: "pending", reason: "admin", staff: true });
    const { status, body } = await owner.call("GET", usersPath);
    expect(status).toBe(200);
    const page = body as Page;
    expect({ ...page, results: page.results.map((row) => row.id) }).toEqual({
      count: 3,
      page: 1,
      page_size: 20,
      results: [second.id, first.id, owner.id],
      next_cursor: null,
    });
    expect(page.results[0]).toEqual({
      id: second.id,
      email: second.email,
      username: second.email,
      first_name: "Mina",
      last_name: "",
      is_staff: true,
      is_company_owner: false,
      is_active: false,
      access_state: "pending",
      state_reason: "admin",
      groups: [],
      user_metadata: {},
      last_seen_at: null,
      created_at: "1970-01-01T00:00:00.001Z",
    });
    expect(page.results[2]).toMatchObject({ is_company_owner: true, is_active: true, access_state: "allowed" });
    expect((await owner.call("GET", `${usersPath}/${first.id}/`)).body).toEqual(page.results[1]);
    expect((await owner.call("GET", `${usersPath}?page=2&page_size=2`)).body).toMatchObject({
      count: 3,
      page: 2,
      results: [{ id: owner.id }],
    });
    expect((await owner.call("GET", `${usersPath}?page=9&company_id=${company.id}`)).body).toMatchObject({
      count: 3,
      results: [],
    });
    for (const bad of ["page=0", "page_size=101", "page=x", `q=${"x".repeat(255)}`]) {
      expect(codeOf(await owner.call("GET", `${usersPath}?${bad}`)), bad).toEqual([400, "validation_failed"]);
    }
  });

  it("finds parts of email, user name and names in any case, and ids, and treats pattern characters literally", async () => {
    const { owner, member } = await createAdministration();
    const tag = crypto.randomUUID().slice(0, 8);
    const mina = await member({ email: `mina_${tag}@example.com` });
    const leo = await member({ email: `leo.x${tag}@example.com` });
    await changeUser(leo.id, { first_name: "Zoë", last_name: "de la Cruz", username: `Z${tag}z` });
    const find = async (q: string, filters = "") => {
      const { body } = await owner.call("GET", `${usersPath}?q=${encodeURIComponent(q)}${filters}`);
      const page = body as Page;
      return [page.count, ...page.results.map((row) => row.id)];
    };
    expect(await find(tag)).toEqual([2, leo.id, mina.id]);
    expect(await find(tag, "&page_size=1&page=2")).toEqual([2, mina.id]);
    expect(await find(`_${tag}`)).toEqual([1, mina.id]);
    expect(await find(`%${tag}`)).toEqual([0]);
    expect(await find(`z${tag.toUpperCase()}Z`)).toEqual([1, leo.id]);
    expect(await find("DE LA CRUZ")).toEqual([1, leo.id]);
    expect(await find("Zoë de")).toEqual([1, leo.id]);
    expect((await find(String(mina.id))).slice(1)).toContain(mina.id);
    expect(await find("  ")).toEqual([3, leo.id, mina.id, owner.id]);
    expect(await find("\u0000")).toEqual([0]);
    await changeMemberships(leo.id, { profile: { first_name: "Otis" } });
    expect(await find("otis DE")).toEqual([1, leo.id]);
    expect(await find("Zoë")).toEqual([0]);
  });

  it("reads as many rows for the first page in a company of 5,000 members as in one of 50", async () => {
    const { owner, company } = await createAdministration();
    const cost = async () => {
      const lines: string[] = [];
      const log = console.log;
      console.log = (line: string) => lines.push(line);
      try {
        await owner.call("GET", `${usersPath}?page_size=10`);
      } finally {
        console.log = log;
      }
      const line = lines
        .map((text) => JSON.parse(text) as Record<string, unknown>)
        .find((first) => first.route === usersPath);
      return { trips: line?.db_round_trips, read: line?.db_rows_read, written: line?.db_rows_written };
    };
    const fill = async (count: number) => {
      await storeMembers(company.id, count);
    };
    await fill(50);
    const small = await cost();
    await fill(5000);
    const large = await cost();
    expect((await owner.call("GET", usersPath)).body).toMatchObject({ count: 5051 });
    expect(large).toEqual(small);
    expect(small).toMatchObject({ trips: 2, written: 0 });
  });

  it("admits staff and the company's owners, and only staff for another company", async () => {
    const { owner, actor, company, env, mailbox } = await createAdministration();
    const other = await createCompany();
    const stranger = await createActor(env, mailbox, other, { owner: true });
    const member = await actor();
    const staff = await actor({ staff: true });
    for (const path of [usersPath, `${usersPath}/${member.id}`]) {
      expect(codeOf(await member.call("GET", path))).toEqual([403, "forbidden"]);
      expect(codeOf(await stranger.call("GET", `${path}?company_id=${company.id}`))).toEqual([403, "company_mismatch"]);
      expect((await staff.call("GET", path)).status).toBe(200);
      expect((await callIdentity(env, path)).status).toBe(401);
    }
    expect(codeOf(await stranger.call("GET", `${usersPath}/${member.id}`))).toEqual([404, "not_found"]);
    expect((await staff.call("GET", `${usersPath}?company_id=${other.id}`)).body).toMatchObject({ count: 1 });
    expect((await staff.call("GET", `${usersPath}/${stranger.id}?company_id=${other.id}`)).status).toBe(200);
    expect(codeOf(await staff.call("GET", `${usersPath}?company_id=99999999`))).toEqual([404, "not_found"]);
    for (const id of ["0", "x", "1e3", "99999999999999999999", "-1"]) {
      expect(codeOf(await owner.call("GET", `${usersPath}/${id}`)), id).toEqual([404, "not_found"]);
    }
    expect((await owner.call("PATCH", `${usersPath}/${member.id}`, {})).status).toBe(405);
    expect((await owner.call("POST", usersPath, {})).status).toBe(405);
  });
});

describe("changes of a member", () => {
  it("changes names and metadata, emits one event per change, and none when nothing changed", async () => {
    const { owner, company, member } = await createAdministration();
    const { id } = await member();
    const put = (body: unknown) => owner.call("PUT", `${usersPath}/${id}`, body);
    const first = await put({ first_name: " Ada ", last_name: "Byron", data: { team: "red", floor: 3 } });
    expect(first).toMatchObject({
      status: 200,
      body: { first_name: "Ada", last_name: "Byron", user_metadata: { team: "red", floor: 3 } },
    });
    const second = await put({ data: { team: "blue", desk: { row: 1 }, is_staff: true, groups: ["x"], name: "Eve" } });
    expect(second.body.user_metadata).toEqual({ team: "blue", floor: 3, desk: { row: 1 } });
    await put({ first_name: "Ada", data: { team: "blue" } });
    await put({});
    expect(await findUser(id)).toMatchObject({ first_name: "Ada", last_name: "Byron" });
    const events = await memberEvents(company.id, id);
    expect(events.map(({ event_type }) => event_type)).toEqual(["identity.user.updated", "identity.user.updated"]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({
      user_id: id,
      source: "admin",
      language: "en",
      region: "UTC",
      changed_fields: ["first_name", "last_name", "user_metadata"],
    });
    expect(JSON.parse(events[0]?.actor ?? "")).toEqual({ kind: "session", user_id: owner.id });
    expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({ changed_fields: ["user_metadata"] });
    expect((await put({ first_name: "" })).body.first_name).toBe("");
  });

  it.each(["Mi\u200dna", "\u2800", "http://x", "mina.example"])("rejects the name %j", async (name) => {
    const { owner, member } = await createAdministration();
    const { id } = await member();
    for (const field of ["first_name", "last_name"]) {
      expect(await owner.call("PUT", `${usersPath}/${id}`, { [field]: name })).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors: { [field]: ["invalid"] } },
      });
    }
  });

  it("writes an audit entry with actor, hashed IP address and user agent, and no entry for a rejected change", async () => {
    const { owner, company, member, actor } = await createAdministration();
    const { id } = await member();
    const put = (body: unknown) => owner.call("PUT", `${usersPath}/${id}`, body);
    await put({ first_name: "Ada" });
    await put({ first_name: "Ada" });
    await put({ access: "denied", data: { team: "red" } });
    await put({ is_active: true });
    const staff = await actor({ staff: true });
    expect((await owner.call("PUT", `${usersPath}/${staff.id}`, { first_name: "x" })).status).toBe(403);
    expect((await owner.call("DELETE", `${usersPath}/${id}`)).status).toBe(204);
    const entries = await changesOf(company, "identity.member.");
    const device = { ip_hash: expect.stringMatching(/^[0-9a-f]{32}$/), user_agent: expect.any(String) };
    const entry = (type: string, changed_fields?: string[]) => ({
      type: `identity.member.${type}`,
      user_id: owner.id,
      actor: { kind: "session", user_id: owner.id },
      data: expect.objectContaining({ member_id: id, ...(changed_fields ? { changed_fields } : {}), ...device }),
    });
    expect(entries).toEqual([
      entry("updated", ["first_name"]),
      entry("updated", ["is_active", "access_state"]),
      entry("updated", ["user_metadata"]),
      entry("updated", ["is_active", "access_state"]),
      entry("removed"),
    ]);
  });

  it("returns 400 for invalid values and changes nothing", async () => {
    const { owner, member } = await createAdministration();
    const { id } = await member();
    const bad: [unknown, Record<string, string[]>][] = [
      [{ first_name: "x".repeat(151) }, { first_name: ["too_long"] }],
      [{ last_name: "a\u0007b" }, { last_name: ["invalid"] }],
      [{ first_name: 1 }, { first_name: ["invalid"] }],
      [{ is_active: "true" }, { is_active: ["invalid"] }],
      [{ access: "allowed" }, { access: ["invalid"] }],
      [{ access: "denied", is_active: true }, { access: ["invalid"] }],
      [{ data: [] }, { data: ["invalid"] }],
      [{ data: { a: "x".repeat(9000) } }, { data: ["too_long"] }],
      [{ group_ids: ["7d0c8f0e-3f0a-4a35-9d2c-1f2e3d4c5b6a"] }, { group_ids: ["invalid"] }],
      [{ group_ids: "x" }, { group_ids: ["invalid"] }],
    ];
    for (const [body, field_errors] of bad) {
      const response = await owner.call("PUT", `${usersPath}/${id}`, { first_name: "Ada", ...(body as object) });
      expect(response, JSON.stringify(body).slice(0, 80)).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors },
      });
    }
    for (const key of ["is_staff", "is_superuser", "is_company_owner"]) {
      expect(codeOf(await owner.call("PUT", `${usersPath}/${id}`, { [key]: true }))).toEqual([400, "admin_only_field"]);
    }
    expect(await findUser(id)).toMatchObject({ first_name: "Mina", is_staff: false });
    expect((await owner.call("PUT", `${usersPath}/${id}`, { group_ids: [] })).status).toBe(200);
    await owner.call("PUT", `${usersPath}/${id}`, { data: { a: "x".repeat(5000) } });
    expect(codeOf(await owner.call("PUT", `${usersPath}/${id}`, { data: { b: "x".repeat(5000) } }))).toEqual([
      400,
      "validation_failed",
    ]);
  });

  it("stores names and metadata of a user with several companies in the membership, invisible to the other companies", async () => {
    const first = await createAdministration();
    const second = await createAdministration();
    const { id } = await first.member();
    await addMembership(second.company.id, id);
    const change = { first_name: "Mallory", data: { role: "guest" } };
    expect((await first.owner.call("PUT", `${usersPath}/${id}`, change)).body).toMatchObject({
      first_name: "Mallory",
      last_name: "",
      user_metadata: { role: "guest" },
    });
    expect((await second.owner.call("GET", `${usersPath}/${id}`)).body).toMatchObject({
      first_name: "Mina",
      user_metadata: {},
    });
    const user = await findUser(id);
    expect([user?.first_name, user?.metadata]).toEqual(["Mina", {}]);
    await second.owner.call("PUT", `${usersPath}/${id}`, { last_name: "Murray" });
    expect((await first.owner.call("GET", `${usersPath}/${id}`)).body).toMatchObject({
      first_name: "Mallory",
      last_name: "",
    });
    // A company keeps its own profile of the user when it becomes the only company.
    expect((await second.owner.call("DELETE", `${usersPath}/${id}`)).status).toBe(204);
    expect((await first.owner.call("PUT", `${usersPath}/${id}`, { last_name: "Moss" })).body).toMatchObject({
      first_name: "Mallory",
      last_name: "Moss",
      user_metadata: { role: "guest" },
    });
  });

  it("returns 404 before 400, and rejects an owner who changes a staff account", async () => {
    const { owner, actor, member, env, mailbox } = await createAdministration();
    const staff = await actor({ staff: true });
    const { id } = await member();
    const other = await createCompany();
    const stranger = await createActor(env, mailbox, other, { owner: true });
    expect(codeOf(await stranger.call("PUT", `${usersPath}/${id}`, { first_name: 1 }))).toEqual([404, "not_found"]);
    expect(codeOf(await stranger.call("DELETE", `${usersPath}/${id}`))).toEqual([404, "not_found"]);
    expect(codeOf(await owner.call("PUT", `${usersPath}/${staff.id}`, { first_name: "X" }))).toEqual([
      403,
      "forbidden",
    ]);
    expect(codeOf(await owner.call("DELETE", `${usersPath}/${staff.id}`))).toEqual([403, "forbidden"]);
    expect((await staff.call("PUT", `${usersPath}/${id}`, { first_name: "Y" })).status).toBe(200);
    const plain = await actor();
    expect(codeOf(await plain.call("PUT", `${usersPath}/${id}`, { first_name: "Z" }))).toEqual([403, "forbidden"]);
    expect(codeOf(await plain.call("DELETE", `${usersPath}/${id}`))).toEqual([403, "forbidden"]);
  });
});
