import { createExecutionContext } from "cloudflare:test";
import { and, eq, inArray } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { event_log, group_members, groups, memberships } from "../../../db/identity/schema";
import { IdentityRpc } from "../../../workers/identity/rpc";
import { meterDatabase } from "../../support/db/metered-database";
import { callAs, codeOf, createAdministration } from "../../support/identity/administration";
import { callIdentity, createCompany, createUser, freshEmail, json, signIn } from "../../support/identity/identity";
import { usersPath } from "../../support/identity/members";
import { countRows, readRows, storeMembers } from "../../support/identity/rows";
import { callScim, createDirectory, createScimGroup, patchOf } from "../../support/identity/scim";

const path = "/api/v1/groups";
const unknown = "0b0f4a4e-7c1d-4f0b-9a51-0d7f6a1f3c21";

type Administration = Awaited<ReturnType<typeof createAdministration>>;

/** Creates a group and returns its id. */
async function createGroup({ owner }: Administration, body: object): Promise<string> {
  const { status, body: group } = await owner.call("POST", path, body);
  expect(status).toBe(201);
  return String(group.id);
}

/** Returns the stored group names of a member. */
async function namesOf({ company }: Administration, userId: number) {
  const [row] = await readRows(
    memberships,
    and(eq(memberships.company_id, company.id), eq(memberships.user_id, userId)),
  );
  return row?.group_names ?? null;
}

/** Returns type and data of the group events of a company, oldest first. */
async function eventsOf({ company }: Administration) {
  const rows = await readRows(event_log, eq(event_log.company_id, company.id));
  return rows
    .filter(({ event_type }) => event_type.startsWith("identity.group."))
    .map(({ event_type, data, user_id }) => ({ type: event_type, user_id, ...JSON.parse(data) }));
}

describe("groups", () => {
  it("are created, listed by name, shown with their members, renamed and deleted", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const mina = await member();
    const inner = await createGroup(administration, { display_name: "Writers" });
    const { status, body } = await owner.call("POST", path, {
      display_name: "Editors",
      user_ids: [mina.id, mina.id],
      member_group_ids: [inner.toUpperCase()],
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        display_name: "Editors",
        source: "admin",
        user_count: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        members: [{ user_id: mina.id, email: mina.email }],
        member_groups: [{ id: inner, display_name: "Writers" }],
      },
    ]);
    const list = await owner.call("GET", `${path}?page_size=1`);
    expect(list.body).toMatchObject({ count: 2, results: [{ display_name: "Editors", user_count: 1 }] });
    const next = await owner.call("GET", `${path}?page_size=1&page=2`);
    expect(next.body).toMatchObject({ results: [{ id: inner, display_name: "Writers", user_count: 0 }] });
    const renamed = await owner.call("PATCH", `${path}/${body.id}`, { display_name: "Publishers" });
    expect(renamed.body).toMatchObject({ display_name: "Publishers", user_count: 1, members: [{ user_id: mina.id }] });
    expect((await owner.call("GET", `${path}/${body.id}`)).body).toEqual(renamed.body);
    expect((await owner.call("DELETE", `${path}/${body.id}`)).status).toBe(204);
    expect(codeOf(await owner.call("GET", `${path}/${body.id}`))).toEqual([404, "not_found"]);
    expect(codeOf(await owner.call("DELETE", `${path}/${body.id}`))).toEqual([404, "not_found"]);
    expect(await countRows(group_members, eq(group_members.group_id, String(body.id)))).toBe(0);
    expect(await namesOf(administration, mina.id)).toBeNull();
  });

  it("have names that no other group has, in any case and in both Unicode forms of an accent", async () => {
    const directory = await createDirectory();
    const { owner, scim } = directory;
    const [composed, decomposed] = ["\u00c91", "E\u03011"];
    await createGroup(directory, { display_name: composed });
    for (const display_name of [decomposed, decomposed.toLowerCase(), composed.toLowerCase()])
      expect(codeOf(await owner.call("POST", path, { display_name }))).toEqual([409, "conflict"]);
    const other = await createGroup(directory, { display_name: "Other" });
    expect(codeOf(await owner.call("PATCH", `${path}/${other}`, { display_name: decomposed }))).toEqual([
      409,
      "conflict",
    ]);
    const group = { displayName: decomposed };
    expect((await scim("POST", "/Groups", group)).body).toMatchObject({ scimType: "uniqueness" });
    const preview = await owner.call("POST", "/api/v1/scim/preview", { method: "POST", path: "/Groups", body: group });
    expect(preview.body).toMatchObject({ status: 409 });
    expect((await scim("POST", "/Groups", { displayName: "\u00c92" })).status).toBe(201);
    const filter = encodeURIComponent('displayName eq "e\u03012"');
    expect((await scim("GET", `/Groups?filter=${filter}`)).body).toMatchObject({ totalResults: 1 });
  });

  it("report each change once, with its changed fields and users", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const [mina, leo] = [await member(), await member()];
    const id = await createGroup(administration, { display_name: "Editors", user_ids: [mina.id] });
    const changes = [{ display_name: "Writers" }, { user_ids: [mina.id, leo.id] }, { user_ids: [leo.id] }];
    for (const change of changes) {
      for (const method of ["PUT", "PATCH"])
        expect((await owner.call(method, `${path}/${id}`, change)).status).toBe(200);
    }
    await owner.call("PUT", `${path}/${id}`, { user_ids: [mina.id] });
    await owner.call("DELETE", `${path}/${id}`);
    const common = { group_id: id, source: "admin", user_id: owner.id };
    const moved = { ...common, type: "identity.group.membership_changed", display_name: "Writers" };
    expect(await eventsOf(administration)).toEqual([
      { ...common, type: "identity.group.created", display_name: "Editors" },
      { ...common, type: "identity.group.updated", display_name: "Writers", changed_fields: ["display_name"] },
      { ...moved, change: "members_added", user_ids: [leo.id] },
      { ...moved, change: "members_removed", user_ids: [mina.id] },
      { ...moved, change: "members_replaced", user_ids: [mina.id, leo.id] },
      { ...common, type: "identity.group.deleted", display_name: "Writers" },
    ]);
  });

  it("reject names that are taken or invalid, unknown ids and long lists, and change nothing", async () => {
    const administration = await createAdministration();
    const { owner } = administration;
    const other = await createCompany();
    const stranger = await createUser({ email: freshEmail(), company: other.id });
    const id = await createGroup(administration, { display_name: "Editors" });
    const second = await createGroup(administration, { display_name: "Writers" });
    const rejected: [object, number, unknown][] = [
      [{ display_name: "EDITORS" }, 409, undefined],
      [{ display_name: "" }, 400, { display_name: ["blank"] }],
      [{ display_name: "x".repeat(151) }, 400, { display_name: ["too_long"] }],
      [{ display_name: "Ed\u202eitors" }, 400, { display_name: ["invalid"] }],
      [{ display_name: "New", user_ids: [stranger] }, 400, { user_ids: ["invalid"] }],
      [
        { display_name: "New", user_ids: Array.from({ length: 1001 }, (_, at) => at + 1) },
        400,
        { user_ids: ["too_many"] },
      ],
      [{ display_name: "New", member_group_ids: [unknown] }, 400, { member_group_ids: ["invalid"] }],
      [{ display_name: "New", member_group_ids: ["x"] }, 400, { "member_group_ids.0": ["invalid"] }],
    ];
    for (const [body, status, fields] of rejected) {
      for (const [method, target] of [
        ["POST", path],
        ["PUT", `${path}/${second}`],
      ] as const) {
        const response = await owner.call(method, target, body);
        expect([response.status, response.body.field_errors], JSON.stringify(body).slice(0, 80)).toEqual([
          status,
          fields,
        ]);
      }
    }
    expect((await owner.call("GET", path)).body).toMatchObject({
      results: [
        { id, display_name: "Editors" },
        { id: second, display_name: "Writers" },
      ],
    });
    expect(await eventsOf(administration)).toHaveLength(2);
  });

  it("are shown but cannot be changed through the API if the directory manages them", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const mina = await member();
    const id = await createGroup(administration, { display_name: "Staff", user_ids: [mina.id] });
    const { env } = administration;
    await env.DB.prepare("update groups set source = 'scim' where id = ?").bind(id).run();
    for (const [method, body] of [["PUT", {}], ["PATCH", { user_ids: [] }], ["DELETE"]] as const) {
      expect(codeOf(await owner.call(method, `${path}/${id}`, body))).toEqual([403, "group_read_only"]);
    }
    const change = await owner.call("PUT", `${usersPath}/${mina.id}`, { group_ids: [] });
    expect(change.body.groups).toEqual([{ id, display_name: "Staff" }]);
    const rejected = await owner.call("PUT", `${usersPath}/${owner.id}`, { group_ids: [id] });
    expect([rejected.status, rejected.body.field_errors]).toEqual([400, { group_ids: ["invalid"] }]);
  });
});

describe("group names of a member", () => {
  it("contain direct and outer groups, sorted, in tokens and in the user object, and follow changes of groups", async () => {
    const administration = await createAdministration();
    const { env, mailbox, company, owner, actor } = administration;
    const user = await actor();
    const inner = await createGroup(administration, { display_name: "Writers", user_ids: [user.id] });
    const middle = await createGroup(administration, { display_name: "Publishers", member_group_ids: [inner] });
    await createGroup(administration, { display_name: "All staff", member_group_ids: [middle] });
    await createGroup(administration, { display_name: "Unrelated" });
    const { access_token } = await signIn(env, mailbox, company, user.email);
    expect(decodeJwt(access_token).user_metadata).toMatchObject({ groups: ["All staff", "Publishers", "Writers"] });
    const account = (await user.call("GET", "/api/v1/user")).body as { user_metadata: object };
    expect(account.user_metadata).toMatchObject({ groups: ["All staff", "Publishers", "Writers"] });
    const events = await eventsOf(administration);
    await owner.call("PATCH", `${path}/${middle}`, { member_group_ids: [], display_name: "Press" });
    expect(await namesOf(administration, user.id)).toEqual(["Writers"]);
    expect((await eventsOf(administration)).slice(events.length)).toMatchObject([
      { type: "identity.group.updated", group_id: middle, changed_fields: ["display_name", "member_group_ids"] },
    ]);
    await owner.call("PATCH", `${path}/${middle}`, { member_group_ids: [inner] });
    expect(await namesOf(administration, user.id)).toEqual(["All staff", "Press", "Writers"]);
    await owner.call("DELETE", `${path}/${middle}`);
    expect(await namesOf(administration, user.id)).toEqual(["Writers"]);
  });

  it("follow a change of a nested group in the next refreshed token, and at once in `introspect`", async () => {
    const administration = await createAdministration();
    const { env, mailbox, company, owner, actor } = administration;
    const user = await actor();
    const inner = await createGroup(administration, { display_name: "Writers", user_ids: [user.id] });
    const outer = await createGroup(administration, { display_name: "Press" });
    const tokens = await signIn(env, mailbox, company, user.email);
    const introspect = () =>
      new IdentityRpc(createExecutionContext(), env).introspect({ token: tokens.access_token, method: "GET" });
    expect(await introspect()).toMatchObject({ active: true, groups: ["Writers"] });
    await owner.call("PATCH", `${path}/${outer}`, { member_group_ids: [inner] });
    expect(await introspect()).toMatchObject({ active: true, groups: ["Press", "Writers"] });
    const { refresh_token } = tokens;
    const refreshed = await callIdentity(env, "/api/v1/token?grant_type=refresh_token", json({ refresh_token }));
    const { access_token } = await refreshed.json<{ access_token: string }>();
    expect(decodeJwt(access_token).user_metadata).toMatchObject({ groups: ["Press", "Writers"] });
  });

  it("are truncated to 4,096 bytes in a token, which then contains `groups_truncated`", async () => {
    const administration = await createAdministration();
    const { env, mailbox, company, actor, owner } = administration;
    const user = await actor();
    const now = Date.now();
    const names = Array.from({ length: 60 }, (_, at) => `${String(at).padStart(3, "0")} ${"é".repeat(60)}`);
    await env.DB.batch(
      names.flatMap((name, at) => {
        const id = `${company.id}-${at}`;
        return [
          env.DB.prepare(
            "insert into groups (id, company_id, source, display_name, name_key, revision, created_at, updated_at) values (?, ?, 'admin', ?, ?, 'r', ?, ?)",
          ).bind(id, company.id, name, name, now, now),
          env.DB.prepare("insert into group_members (group_id, user_id) values (?, ?)").bind(id, user.id),
        ];
      }),
    );
    const created = await owner.call("POST", path, { display_name: "Last", user_ids: [user.id] });
    expect(created.status).toBe(201);
    const { access_token } = await signIn(env, mailbox, company, user.email);
    const metadata = decodeJwt(access_token).user_metadata as { groups: string[]; groups_truncated?: boolean };
    expect(metadata.groups_truncated).toBe(true);
    expect(metadata.groups).toEqual(names.slice(0, metadata.groups.length));
    const bytes = new TextEncoder().encode(JSON.stringify(metadata.groups)).length;
    expect(bytes).toBeLessThanOrEqual(4096);
    expect(bytes).toBeGreaterThan(4096 - 140);
  });
});

describe("nested groups", () => {
  it("reject cycles, including a cycle that only two parallel changes together would form", async () => {
    const administration = await createAdministration();
    const { owner } = administration;
    const a = await createGroup(administration, { display_name: "A" });
    const b = await createGroup(administration, { display_name: "B", member_group_ids: [a] });
    const c = await createGroup(administration, { display_name: "C", member_group_ids: [b] });
    for (const ids of [[a], [c], [b, c]]) {
      const { status, body } = await owner.call("PUT", `${path}/${a}`, { member_group_ids: ids });
      expect([status, body.field_errors]).toEqual([400, { member_group_ids: ["invalid"] }]);
    }
    for (let round = 0; round < 5; round += 1) {
      const d = await createGroup(administration, { display_name: `D${round}` });
      const e = await createGroup(administration, { display_name: `E${round}` });
      const responses = await Promise.all([
        owner.call("PUT", `${path}/${d}`, { member_group_ids: [e] }),
        owner.call("PUT", `${path}/${e}`, { member_group_ids: [d] }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });
});

/** Compares the number of statements that change groups, besides the outbox, with the limit. */
function expectFiveStatements(writes: { text: string; statement: string }[]): void {
  const ofGroups = writes.filter(({ text }) => !/action_deliveries|set "?envelope/.test(text));
  expect(ofGroups.length, ofGroups.map(({ statement }) => statement).join("; ")).toBeLessThanOrEqual(5);
}

describe("a nested group with thousands of users", () => {
  it("is added to a group of the directory and removed with five statements", async () => {
    const directory = await createDirectory();
    const { env, company, base, token, scim } = directory;
    const [outer, inner] = [await createScimGroup(directory), await createScimGroup(directory)];
    await storeMembers(company.id, 3000);
    await env.DB.prepare("insert into group_members select ?1, user_id from memberships where company_id = ?2")
      .bind(inner, company.id)
      .run();
    expect((await scim("GET", "/ServiceProviderConfig")).status).toBe(200);
    const meter = meterDatabase(env.DB);
    for (const op of ["add", "remove"]) {
      const change = patchOf({ op, path: "members", value: [{ value: inner, type: "Group" }] });
      const { status } = await callScim({ ...env, DB: meter.db }, { base, token }, "PATCH", `/Groups/${outer}`, change);
      const writes = meter.takeStatements().filter(({ text, written }) => written > 0 || !/^select/i.test(text));
      expect([status, writes.length > 0]).toEqual([204, true]);
      expectFiveStatements(writes);
    }
  });

  it("is added and removed with two round trips, five statements, one row written per user and a bounded number of rows read", async () => {
    const administration = await createAdministration();
    const { env, company, owner } = administration;
    const users = 3000;
    const inner = await createGroup(administration, { display_name: "Writers" });
    const outer = await createGroup(administration, { display_name: "Press" });
    await storeMembers(company.id, users);
    await env.DB.prepare("insert into group_members select ?1, user_id from memberships where company_id = ?2")
      .bind(inner, company.id)
      .run();
    let roundTrips = 0;
    const meter = meterDatabase(env.DB, async () => {
      roundTrips += 1;
    });
    const call = callAs({ ...env, DB: meter.db }, owner.token);
    for (const ids of [[inner], []]) {
      expect((await call("PUT", `${path}/${outer}`, { member_group_ids: ids })).status).toBe(200);
      expect(roundTrips).toBe(2);
      roundTrips = 0;
      const writes = meter.takeStatements().filter(({ text, written }) => written > 0 || !/^select/i.test(text));
      expectFiveStatements(writes);
      const total = (key: "read" | "written") => writes.reduce((sum, statement) => sum + statement[key], 0);
      expect(total("written")).toBeLessThan(users + 30);
      expect(total("read")).toBeLessThan(32 * users);
    }
  });
});

describe("parallel requests about a group", () => {
  it("leave users, user count and group names in agreement", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const users = await Promise.all(Array.from({ length: 6 }, () => member()));
    const id = await createGroup(administration, { display_name: "Editors" });
    const ids = users.map((user) => user.id);
    const responses = await Promise.all(
      ids.map((_, at) => owner.call("PUT", `${path}/${id}`, { user_ids: ids.slice(0, at + 1) })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const listed = await readRows(group_members, eq(group_members.group_id, id));
    const [group] = await readRows(groups, eq(groups.id, id));
    expect(group?.user_count).toBe(listed.length);
    const storedMemberships = await readRows(memberships, inArray(memberships.user_id, ids));
    expect(
      storedMemberships
        .filter(({ group_names }) => group_names !== null)
        .map(({ user_id }) => user_id)
        .sort(),
    ).toEqual(listed.map(({ user_id }) => user_id).sort());
  });

  it("leave no removed user in the group", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const users = await Promise.all(Array.from({ length: 4 }, () => member()));
    const ids = users.map((user) => user.id);
    const id = await createGroup(administration, { display_name: "Editors", user_ids: ids.slice(0, 2) });
    await Promise.all([
      ...ids.map((user) => owner.call("DELETE", `${usersPath}/${user}`)),
      owner.call("PUT", `${path}/${id}`, { user_ids: ids }),
      owner.call("PUT", `${path}/${id}`, { display_name: "Writers" }),
    ]);
    expect((await owner.call("GET", `${path}/${id}`)).body).toMatchObject({ user_count: 0, members: [] });
  });
});

describe("groups of a member", () => {
  it("are replaced by a change of the member, with one event for each group that changed", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const mina = await member();
    const first = await createGroup(administration, { display_name: "Editors", user_ids: [mina.id] });
    const second = await createGroup(administration, { display_name: "Writers" });
    const target = `${usersPath}/${mina.id}`;
    const changed = await owner.call("PUT", target, { first_name: "Mina", group_ids: [second] });
    expect(changed.body).toMatchObject({ first_name: "Mina", groups: [{ id: second, display_name: "Writers" }] });
    expect((await owner.call("PUT", target, { group_ids: [second] })).status).toBe(200);
    expect(await namesOf(administration, mina.id)).toEqual(["Writers"]);
    expect((await eventsOf(administration)).slice(2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ group_id: first, change: "members_removed", user_ids: [mina.id] }),
        expect.objectContaining({ group_id: second, change: "members_added", user_ids: [mina.id] }),
      ]),
    );
    expect(await eventsOf(administration)).toHaveLength(4);
    const counts = await readRows(groups, inArray(groups.id, [first, second]));
    expect(counts.sort((a, b) => a.user_count - b.user_count).map(({ id, user_count }) => [id, user_count])).toEqual([
      [first, 0],
      [second, 1],
    ]);
    const rejected = await owner.call("PUT", target, { last_name: "Laurent", group_ids: [unknown] });
    expect([rejected.status, rejected.body.field_errors]).toEqual([400, { group_ids: ["invalid"] }]);
    expect((await owner.call("GET", target)).body).toMatchObject({ last_name: "", groups: [{ id: second }] });
  });
});
