import { and, eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { event_log, memberships, scim_events, sessions, users } from "../../../db/identity/schema";
import worker from "../../../workers/identity/worker";
import { codeOf } from "../../support/identity/administration";
import { createCompany, createUser, freshEmail, signIn } from "../../support/identity/identity";
import { countRows, readRows, storeMembership } from "../../support/identity/rows";
import { createDirectory, type Directory, patchOf } from "../../support/identity/scim";
import { tick } from "../../support/jobs/jobs";

const setActive = (active: boolean) => ({ Operations: [{ op: "Replace", path: "active", value: String(active) }] });

async function createUserOf({ scim }: Directory, fields: object = {}): Promise<{ id: number; email: string }> {
  const email = freshEmail();
  const { status, body } = await scim("POST", "/Users", { userName: email, ...fields });
  expect(status).toBe(201);
  return { id: Number(body.id), email };
}

async function stateOf({ company }: Directory, userId: number) {
  const key = and(eq(memberships.company_id, company.id), eq(memberships.user_id, userId));
  const [row] = await readRows(memberships, key);
  return row && [row.state, row.state_reason, row.is_owner];
}

async function eventsOf({ company }: Directory, userId: number) {
  const rows = await readRows(event_log, eq(event_log.company_id, company.id));
  return rows
    .filter(({ user_id, actor }) => user_id === userId && actor === '{"kind":"scim"}')
    .map(({ event_type, data }) => ({ type: event_type, ...JSON.parse(data) }));
}

describe("access by the directory", () => {
  it("lets a provisioned user sign in, ends sessions and tokens with active false, and blocks until active true", async () => {
    const directory = await createDirectory({ access_mode: "invite" });
    const { env, mailbox, company, scim } = directory;
    const user = await createUserOf(directory);
    const { access_token } = await signIn(env, mailbox, company, user.email);
    expect(decodeJwt(access_token).sub).toBe(String(user.id));
    expect((await scim("PATCH", `/Users/${user.id}`, setActive(false))).status).toBe(200);
    expect(await stateOf(directory, user.id)).toEqual(["denied", "scim", false]);
    const [session] = await readRows(sessions, eq(sessions.user_id, user.id));
    expect(session?.revoke_reason).toBe("access_ended");
    await expect(signIn(env, mailbox, company, user.email)).rejects.toThrow();
    expect((await scim("PATCH", `/Users/${user.id}`, setActive(true))).body).toMatchObject({ active: true });
    await signIn(env, mailbox, company, user.email);
    expect((await eventsOf(directory, user.id)).map(({ type }) => type)).toEqual([
      "identity.user.created",
      "identity.scim.user.provisioned",
      "identity.user.updated",
      "identity.scim.user.deprovisioned",
      "identity.user.updated",
      "identity.scim.user.provisioned",
    ]);
  });

  it("keeps the names of a member whom a creation without names links", async () => {
    const directory = await createDirectory();
    const { company, scim } = directory;
    const email = freshEmail();
    const id = await createUser({ email, company: company.id });
    const created = await scim("POST", "/Users", { userName: email });
    expect([created.status, created.body]).toMatchObject([201, { id: String(id), name: { givenName: "Mina" } }]);
    expect(await eventsOf(directory, id)).toMatchObject([
      { type: "identity.user.updated", changed_fields: ["user_name"] },
      { type: "identity.scim.user.provisioned" },
    ]);
  });

  it("creates a user who is not active, without an event about the end of an access", async () => {
    const directory = await createDirectory();
    const { id } = await createUserOf(directory, { active: false });
    expect(await stateOf(directory, id)).toEqual(["denied", "scim", false]);
    expect((await eventsOf(directory, id)).map(({ type }) => type)).toEqual(["identity.user.created"]);
  });

  it("joins an existing account to the company without changing it, and ends only this membership", async () => {
    const directory = await createDirectory();
    const otherCompany = await createCompany();
    const email = freshEmail();
    const id = await createUser({ email, company: otherCompany.id });
    const { status, body } = await directory.scim("POST", "/Users", {
      userName: email,
      name: { givenName: "Changed", familyName: "Name" },
    });
    expect([status, body.id, body.name]).toEqual([201, String(id), { givenName: "Changed", familyName: "Name" }]);
    const [account] = await readRows(users, eq(users.id, id));
    expect([account?.first_name, account?.last_name]).toEqual(["Mina", ""]);
    const moved = await directory.scim("PATCH", `/Users/${id}`, {
      Operations: [{ op: "replace", path: "userName", value: freshEmail() }],
    });
    expect([moved.status, moved.body.error_code]).toEqual([409, "user_shared"]);
    expect((await directory.scim("DELETE", `/Users/${id}`)).status).toBe(204);
    const states = (await readRows(memberships, eq(memberships.user_id, id))).map(({ state }) => state);
    expect(states.sort()).toEqual(["allowed", "denied"]);
  });

  it("gives a deleted user access again with the same id, and refuses a name that is in use", async () => {
    const directory = await createDirectory();
    const { id, email } = await createUserOf(directory);
    const duplicate = await directory.scim("POST", "/Users", { userName: email.toUpperCase() });
    expect([duplicate.status, duplicate.body.scimType, duplicate.body.error_code]).toEqual([
      409,
      "uniqueness",
      "conflict",
    ]);
    await directory.scim("DELETE", `/Users/${id}`);
    const again = await directory.scim("POST", "/Users", { userName: email });
    expect(
      (await eventsOf(directory, id)).filter(({ type }) => type === "identity.scim.user.deprovisioned"),
    ).toHaveLength(1);
    expect([again.status, again.body.id, await stateOf(directory, id)]).toEqual([
      201,
      String(id),
      ["allowed", "scim", false],
    ]);
  });

  it("admits no staff account", async () => {
    const directory = await createDirectory();
    const email = freshEmail();
    const id = await createUser({ email, staff: true });
    const created = await directory.scim("POST", "/Users", { userName: email });
    expect([created.status, created.body.error_code]).toEqual([409, "user_shared"]);
    await storeMembership(directory.company.id, id, { state: "allowed", state_reason: "admin" });
    expect((await directory.scim("POST", "/Users", { userName: email })).status).toBe(201);
    expect((await directory.scim("PATCH", `/Users/${id}`, setActive(false))).status).toBe(200);
    const enabled = await directory.scim("PATCH", `/Users/${id}`, setActive(true));
    expect([enabled.status, enabled.body.error_code]).toEqual([409, "user_shared"]);
  });

  it("does not remove the last owner, and mails the owners once a day", async () => {
    const directory = await createDirectory();
    const { owner, scim, company, env, mailbox } = directory;
    expect((await scim("POST", "/Users", { userName: owner.email })).body.id).toBe(String(owner.id));
    for (const request of ["PATCH", "DELETE", "PATCH"]) {
      const refused = await scim(request, `/Users/${owner.id}`, request === "PATCH" ? setActive(false) : undefined);
      expect([refused.status, refused.body.error_code]).toEqual([409, "last_company_owner"]);
    }
    expect(await stateOf(directory, owner.id)).toEqual(["allowed", "join_rule", true]);
    const { body } = await owner.call("GET", "/api/v1/scim");
    expect(body).toMatchObject({
      configured: true,
      active_token_count: 1,
      last_provisioning_error: { code: "last_company_owner", type: "User" },
      recent_provisioning_events: [
        { ok: false },
        { ok: false },
        { ok: false, code: "last_company_owner" },
        { ok: true },
      ],
    });
    const conflicts = and(
      eq(event_log.company_id, company.id),
      eq(event_log.event_type, "identity.scim.provisioning_conflict"),
    );
    expect(await countRows(event_log, conflicts)).toBe(3);
    await tick(worker, env);
    const mails = mailbox.sent.filter(({ template_key }) => template_key === "identity.scim.provisioning_conflict");
    expect(mails).toMatchObject([
      { to: [{ email: owner.email }], variables: { display_name: owner.email, operation: "end_last_owner" } },
    ]);
  });
});

describe("parallel requests of a directory", () => {
  it("create a user once", async () => {
    const directory = await createDirectory();
    const email = freshEmail();
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await directory.scim("POST", "/Users", { userName: email })).status),
    );
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect(await countRows(users, eq(users.email, email))).toBe(1);
    expect(await eventsOf(directory, (await readRows(users, eq(users.email, email)))[0]?.id ?? 0)).toHaveLength(2);
  });

  it("store all changes of different attributes", async () => {
    const directory = await createDirectory();
    const { id } = await createUserOf(directory);
    const attributes = ["displayName", "externalId", "timezone", "name.formatted"];
    const responses = await Promise.all(
      attributes.map((path) =>
        directory.scim("PATCH", `/Users/${id}`, { Operations: [{ op: "add", path, value: `v-${path}` }] }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await directory.scim("GET", `/Users/${id}`)).body).toMatchObject({
      displayName: "v-displayName",
      externalId: "v-externalId",
      timezone: "v-timezone",
      name: { formatted: "v-name.formatted" },
    });
  });

  it("record one entry for each change of a group, and none for a rejected one as stored", async () => {
    const directory = await createDirectory();
    const { scim, company } = directory;
    const { body: group } = await scim("POST", "/Groups", { displayName: "Editors" });
    const users = await Promise.all(Array.from({ length: 4 }, () => createUserOf(directory)));
    const add = (value: string) =>
      scim("PATCH", `/Groups/${group.id}`, patchOf({ op: "add", path: "members", value: [{ value }] }));
    await Promise.all(users.map(({ id }) => add(String(id))));
    expect((await add("999999999")).status).toBe(400);
    const rows = await readRows(scim_events, eq(scim_events.company_id, company.id));
    const ofGroups = rows.filter(({ resource_type }) => resource_type === "Group").map(({ ok }) => ok);
    expect(ofGroups.toSorted()).toEqual([false, true, true, true, true, true]);
  });

  it("delete a user once", async () => {
    const directory = await createDirectory();
    const { id } = await createUserOf(directory);
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await directory.scim("DELETE", `/Users/${id}`)).status),
    );
    for (const status of statuses) expect([204, 404]).toContain(status);
    expect(statuses).toContain(204);
    const types = (await eventsOf(directory, id)).map(({ type }) => type);
    expect(types.filter((type) => type === "identity.scim.user.deprovisioned")).toHaveLength(1);
  });
});

describe("groups of the directory", () => {
  it("appear in tokens, and a deleted user leaves them", async () => {
    const directory = await createDirectory();
    const { env, mailbox, company, scim, owner } = directory;
    const { id, email } = await createUserOf(directory);
    const group = (await scim("POST", "/Groups", { displayName: "Editors", members: [{ value: String(id) }] })).body;
    const { access_token } = await signIn(env, mailbox, company, email);
    expect(decodeJwt(access_token).user_metadata).toMatchObject({ groups: ["Editors"] });
    const write = await owner.call("PATCH", `/api/v1/groups/${group.id}`, { display_name: "Writers" });
    expect(codeOf(write)).toEqual([403, "group_read_only"]);
    await scim("DELETE", `/Users/${id}`);
    expect((await scim("GET", `/Groups/${group.id}`)).body.members).toEqual([]);
    expect((await owner.call("GET", `/api/v1/groups/${group.id}`)).body.user_count).toBe(0);
  });

  it("do not take the name of another group, and report the conflict", async () => {
    const { scim, owner } = await createDirectory();
    await owner.call("POST", "/api/v1/groups", { display_name: "Editors" });
    const duplicate = await scim("POST", "/Groups", { displayName: "EDITORS" });
    expect([duplicate.status, duplicate.body.scimType]).toEqual([409, "uniqueness"]);
    const { results } = (await owner.call("GET", "/api/v1/events?event_type=identity.scim.provisioning_conflict"))
      .body as {
      results: { data: object }[];
    };
    expect(results.map(({ data }) => data)).toMatchObject([{ display_name: "EDITORS", operation: "create_group" }]);
  });

  it("refuse users of other companies and cycles", async () => {
    const directory = await createDirectory();
    const { scim } = directory;
    const foreign = await createUser({ email: freshEmail(), company: (await createCompany()).id });
    const refused = await scim("POST", "/Groups", { displayName: "A", members: [{ value: String(foreign) }] });
    expect([refused.status, refused.body.scimType]).toEqual([400, "invalidValue"]);
    const inner = (await scim("POST", "/Groups", { displayName: "Inner" })).body;
    const outer = (await scim("POST", "/Groups", { displayName: "Outer", members: [{ value: inner.id }] })).body;
    const cycle = await scim("PATCH", `/Groups/${inner.id}`, {
      Operations: [{ op: "add", path: "members", value: [{ value: outer.id }] }],
    });
    expect([cycle.status, cycle.body.scimType]).toEqual([400, "invalidValue"]);
  });
});

describe("the preview of a request", () => {
  it("returns response and changes, and writes nothing", async () => {
    const directory = await createDirectory();
    const { owner, scim } = directory;
    const { id } = await createUserOf(directory);
    const preview = (body: object) => owner.call("POST", "/api/v1/scim/preview", body);
    expect((await preview({ method: "PATCH", path: `/Users/${id}`, body: setActive(false) })).body).toMatchObject({
      status: 200,
      body: { id: String(id), active: false },
      changes: [{ change: "end_access" }],
    });
    const group = { displayName: "Editors", members: [{ value: String(id) }] };
    expect((await preview({ method: "POST", path: "/Groups", body: group })).body).toMatchObject({
      status: 201,
      body: { displayName: "Editors" },
      changes: [{ change: "create_group" }, { change: "add_users", ids: [String(id)] }],
    });
    const selection = `/Users/${id}?attributes=active`;
    expect((await preview({ method: "PATCH", path: selection, body: setActive(false) })).body).toMatchObject({
      status: 200,
      body: { schemas: [expect.any(String)], id: String(id), active: false },
    });
    expect((await preview({ method: "DELETE", path: "/Users/999999999" })).body).toMatchObject({
      status: 404,
      changes: [],
    });
    expect((await preview({ method: "POST", path: "/Users", body: {} })).body).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
    });
    expect((await scim("GET", `/Users/${id}`)).body.active).toBe(true);
    expect((await scim("GET", "/Groups")).body.totalResults).toBe(0);
  });

  it("shows an account of another company as a new one", async () => {
    const { owner } = await createDirectory();
    const email = freshEmail();
    await createUser({ email, company: (await createCompany()).id });
    const preview = async (userName: string) => {
      const { body } = await owner.call("POST", "/api/v1/scim/preview", {
        method: "POST",
        path: "/Users",
        body: { userName },
      });
      return JSON.parse(
        JSON.stringify(body)
          .replaceAll(userName, "u")
          .replace(/"\d{4}-[^"]+Z"/g, '"t"'),
      ) as object;
    };
    expect(await preview(email)).toEqual(await preview(freshEmail()));
  });
});
