import { describe, expect, it } from "vitest";
import { changesOf } from "../support/admin";
import { callAs, codeOf, createActor, createAdministration } from "../support/administration";
import { callIdentity, createCompany, createUser, freshEmail, requestLink, rows } from "../support/identity";

const users = "/api/v1/users";
type Row = Record<string, unknown> & { id: number };
type Page = { count: number; page: number; page_size: number; results: Row[] };

const eventsOf = (company: number, user: number) =>
  rows<{ event_type: string; data: string; actor: string }>(
    `SELECT event_type, data, actor FROM event_log WHERE company_id = ? AND user_id = ? AND outcome IS NULL
       AND event_type NOT LIKE 'identity.auth.%' ORDER BY id`,
    company,
    user,
  );

async function addMembership(company: number, user: number, more: { owner?: boolean; profile?: string } = {}) {
  await rows(
    `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, is_owner, profile, created_at)
     VALUES (?, ?, 'allowed', 'join_rule', 1, ?, ?, 5)`,
    company,
    user,
    more.owner ? 1 : 0,
    more.profile ?? null,
  );
}

describe("the list of members", () => {
  it("answers a page, newest id first, with exactly the fields of the row", async () => {
    const { owner, company, member } = await createAdministration();
    const first = await member();
    const second = await member({ state: "pending", reason: "admin", staff: true });
    const { status, body } = await owner.call("GET", users);
    expect(status).toBe(200);
    const page = body as Page;
    expect({ ...page, results: page.results.map((row) => row.id) }).toEqual({
      count: 3,
      page: 1,
      page_size: 20,
      results: [second.id, first.id, owner.id],
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
    expect((await owner.call("GET", `${users}/${first.id}/`)).body).toEqual(page.results[1]);
    expect((await owner.call("GET", `${users}?page=2&page_size=2`)).body).toMatchObject({
      count: 3,
      page: 2,
      results: [{ id: owner.id }],
    });
    expect((await owner.call("GET", `${users}?page=9&company_id=${company.id}`)).body).toMatchObject({
      count: 3,
      results: [],
    });
    for (const bad of ["page=0", "page_size=101", "page=x", `q=${"x".repeat(255)}`]) {
      expect(codeOf(await owner.call("GET", `${users}?${bad}`)), bad).toEqual([400, "validation_failed"]);
    }
  });

  it("finds a part of email, user name or names in any case, and an id; signs of patterns mean themselves", async () => {
    const { owner, company, member } = await createAdministration();
    const tag = crypto.randomUUID().slice(0, 8);
    const mina = await member({ email: `mina_${tag}@example.com` });
    const leo = await member({ email: `leo.x${tag}@example.com` });
    await rows(
      "UPDATE users SET first_name = 'Zoë', last_name = 'de la Cruz', username = ? WHERE id = ?",
      `Z${tag}z`,
      leo.id,
    );
    const find = async (q: string, more = "") => {
      const { body } = await owner.call("GET", `${users}?q=${encodeURIComponent(q)}${more}`);
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
    await rows(
      "UPDATE memberships SET profile = ? WHERE company_id = ? AND user_id = ?",
      '{"first_name":"Otis"}',
      company.id,
      leo.id,
    );
    expect(await find("otis DE")).toEqual([1, leo.id]);
    expect(await find("Zoë")).toEqual([0]);
  });

  it("reads as many rows for the first page of 5,000 members as for that of 50, in one round trip", async () => {
    const { owner, company } = await createAdministration();
    const cost = async () => {
      const lines: string[] = [];
      const log = console.log;
      console.log = (line: string) => lines.push(line);
      try {
        await owner.call("GET", `${users}?page_size=10`);
      } finally {
        console.log = log;
      }
      const line = lines.map((text) => JSON.parse(text) as Record<string, unknown>).find((one) => one.route === users);
      return { trips: line?.db_round_trips, read: line?.db_rows_read, written: line?.db_rows_written };
    };
    const fill = async (count: number) => {
      const start = crypto.randomUUID();
      await rows(
        `INSERT INTO users (email, username, created_at, updated_at) SELECT ?1 || value || '@example.com', ?1 || value, 1, 1
         FROM json_each(?2)`,
        start,
        JSON.stringify(Array.from({ length: count }, (_, index) => index)),
      );
      await rows(
        `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at)
         SELECT ?1, id, 'allowed', 'join_rule', 1, 1 FROM users WHERE email >= ?2 AND email < ?2 || 'x' AND instr(email, ?2) = 1`,
        company.id,
        start,
      );
    };
    await fill(50);
    const small = await cost();
    await fill(5000);
    const large = await cost();
    expect((await owner.call("GET", users)).body).toMatchObject({ count: 5051 });
    expect(large).toEqual(small);
    expect(small).toMatchObject({ trips: 1, written: 0 });
  });

  it("is for staff and the company's owners; staff name another company, and nobody else does", async () => {
    const { owner, actor, company, env, mailbox } = await createAdministration();
    const other = await createCompany();
    const stranger = await createActor(env, mailbox, other, { owner: true });
    const member = await actor();
    const staff = await actor({ staff: true });
    for (const path of [users, `${users}/${member.id}`]) {
      expect(codeOf(await member.call("GET", path))).toEqual([403, "forbidden"]);
      expect(codeOf(await stranger.call("GET", `${path}?company_id=${company.id}`))).toEqual([403, "company_mismatch"]);
      expect((await staff.call("GET", path)).status).toBe(200);
      expect((await callIdentity(env, path)).status).toBe(401);
    }
    expect(codeOf(await stranger.call("GET", `${users}/${member.id}`))).toEqual([404, "not_found"]);
    expect((await staff.call("GET", `${users}?company_id=${other.id}`)).body).toMatchObject({ count: 1 });
    expect((await staff.call("GET", `${users}/${stranger.id}?company_id=${other.id}`)).status).toBe(200);
    expect(codeOf(await staff.call("GET", `${users}?company_id=99999999`))).toEqual([404, "not_found"]);
    for (const id of ["0", "x", "1e3", "99999999999999999999", "-1"]) {
      expect(codeOf(await owner.call("GET", `${users}/${id}`)), id).toEqual([404, "not_found"]);
    }
    expect((await owner.call("PATCH", `${users}/${member.id}`, {})).status).toBe(405);
    expect((await owner.call("POST", users, {})).status).toBe(405);
  });
});

describe("a change of a member", () => {
  it("changes names and metadata, reports what changed once, and nothing when nothing did", async () => {
    const { owner, company, member } = await createAdministration();
    const { id } = await member();
    const put = (body: unknown) => owner.call("PUT", `${users}/${id}`, body);
    const first = await put({ first_name: " Ada ", last_name: "Byron", data: { team: "red", floor: 3 } });
    expect(first).toMatchObject({
      status: 200,
      body: { first_name: "Ada", last_name: "Byron", user_metadata: { team: "red", floor: 3 } },
    });
    const second = await put({ data: { team: "blue", desk: { row: 1 }, is_staff: true, groups: ["x"], name: "Eve" } });
    expect(second.body.user_metadata).toEqual({ team: "blue", floor: 3, desk: { row: 1 } });
    await put({ first_name: "Ada", data: { team: "blue" } });
    await put({});
    expect(await rows("SELECT first_name, last_name FROM users WHERE id = ?", id)).toEqual([
      { first_name: "Ada", last_name: "Byron" },
    ]);
    const events = await eventsOf(company.id, id);
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

  it("leaves an audit entry of who, from which hashed address and device; of a refused one none", async () => {
    const { owner, company, member, actor } = await createAdministration();
    const { id } = await member();
    const put = (body: unknown) => owner.call("PUT", `${users}/${id}`, body);
    await put({ first_name: "Ada" });
    await put({ first_name: "Ada" });
    await put({ access: "denied", data: { team: "red" } });
    await put({ is_active: true });
    const staff = await actor({ staff: true });
    expect((await owner.call("PUT", `${users}/${staff.id}`, { first_name: "x" })).status).toBe(403);
    expect((await owner.call("DELETE", `${users}/${id}`)).status).toBe(204);
    const entries = await changesOf(company, "identity.member.");
    const device = { ip_hash: expect.stringMatching(/^[0-9a-f]{32}$/), user_agent: expect.any(String) };
    const entry = (type: string, changed_fields?: string[]) => ({
      ...{ type: `identity.member.${type}`, user_id: owner.id, actor: { kind: "session", user_id: owner.id } },
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

  it("answers 400 for values that cannot be, and changes nothing", async () => {
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
      const answer = await owner.call("PUT", `${users}/${id}`, { first_name: "Ada", ...(body as object) });
      expect(answer, JSON.stringify(body).slice(0, 80)).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", field_errors },
      });
    }
    for (const key of ["is_staff", "is_superuser", "is_company_owner"]) {
      expect(codeOf(await owner.call("PUT", `${users}/${id}`, { [key]: true }))).toEqual([400, "admin_only_field"]);
    }
    expect(await rows("SELECT first_name, is_staff FROM users WHERE id = ?", id)).toEqual([
      { first_name: "Mina", is_staff: 0 },
    ]);
    expect((await owner.call("PUT", `${users}/${id}`, { group_ids: [] })).status).toBe(200);
    await owner.call("PUT", `${users}/${id}`, { data: { a: "x".repeat(5000) } });
    expect(codeOf(await owner.call("PUT", `${users}/${id}`, { data: { b: "x".repeat(5000) } }))).toEqual([
      400,
      "validation_failed",
    ]);
  });

  it("keeps names and metadata of a person with other companies with the membership, unseen by the others", async () => {
    const one = await createAdministration();
    const two = await createAdministration();
    const { id } = await one.member();
    await addMembership(two.company.id, id);
    const change = { first_name: "Mallory", data: { role: "guest" } };
    expect((await one.owner.call("PUT", `${users}/${id}`, change)).body).toMatchObject({
      first_name: "Mallory",
      last_name: "",
      user_metadata: { role: "guest" },
    });
    expect((await two.owner.call("GET", `${users}/${id}`)).body).toMatchObject({
      first_name: "Mina",
      user_metadata: {},
    });
    expect(await rows("SELECT first_name, metadata FROM users WHERE id = ?", id)).toEqual([
      { first_name: "Mina", metadata: "{}" },
    ]);
    await two.owner.call("PUT", `${users}/${id}`, { last_name: "Murray" });
    expect((await one.owner.call("GET", `${users}/${id}`)).body).toMatchObject({
      first_name: "Mallory",
      last_name: "",
    });
    // A company that keeps a view of its own keeps it when it is the only one left.
    expect((await two.owner.call("DELETE", `${users}/${id}`)).status).toBe(204);
    expect((await one.owner.call("PUT", `${users}/${id}`, { last_name: "Moss" })).body).toMatchObject({
      first_name: "Mallory",
      last_name: "Moss",
      user_metadata: { role: "guest" },
    });
  });

  it("tells 404 before 400, and refuses an owner who acts on a staff account", async () => {
    const { owner, actor, member, env, mailbox } = await createAdministration();
    const staff = await actor({ staff: true });
    const { id } = await member();
    const other = await createCompany();
    const stranger = await createActor(env, mailbox, other, { owner: true });
    expect(codeOf(await stranger.call("PUT", `${users}/${id}`, { first_name: 1 }))).toEqual([404, "not_found"]);
    expect(codeOf(await stranger.call("DELETE", `${users}/${id}`))).toEqual([404, "not_found"]);
    expect(codeOf(await owner.call("PUT", `${users}/${staff.id}`, { first_name: "X" }))).toEqual([403, "forbidden"]);
    expect(codeOf(await owner.call("DELETE", `${users}/${staff.id}`))).toEqual([403, "forbidden"]);
    expect((await staff.call("PUT", `${users}/${id}`, { first_name: "Y" })).status).toBe(200);
    const plain = await actor();
    expect(codeOf(await plain.call("PUT", `${users}/${id}`, { first_name: "Z" }))).toEqual([403, "forbidden"]);
    expect(codeOf(await plain.call("DELETE", `${users}/${id}`))).toEqual([403, "forbidden"]);
  });
});

describe("access", () => {
  const state = async (company: number, user: number) =>
    (
      await rows<{ s: string }>(
        "SELECT state || ' ' || state_reason || ' ' || is_owner AS s FROM memberships WHERE company_id = ? AND user_id = ?",
        company,
        user,
      )
    )[0]?.s;

  it.each([
    ["pending", "join_rule", { is_active: true }, "allowed admin 0"],
    ["denied", "join_rule", { is_active: true }, "allowed admin 0"],
    ["denied", "admin", { is_active: true }, "allowed admin 0"],
    ["denied", "scim", { is_active: true }, "allowed admin 0"],
    ["allowed", "join_rule", { is_active: true }, "allowed join_rule 0"],
    ["allowed", "join_rule", { is_active: false }, "pending admin 0"],
    ["denied", "scim", { is_active: false }, "denied scim 0"],
    ["pending", "join_rule", { is_active: false }, "pending join_rule 0"],
    ["allowed", "join_rule", { access: "denied" }, "denied admin 0"],
    ["pending", "admin", { access: "denied" }, "denied admin 0"],
    ["denied", "join_rule", { access: "denied" }, "denied admin 0"],
    ["allowed", "admin", { access: "denied", is_active: false }, "denied admin 0"],
  ])("moves %s (%s) by %j to %s", async (from, reason, change, to) => {
    const { owner, company, member } = await createAdministration();
    const { id } = await member({ state: from, reason });
    const { status, body } = await owner.call("PUT", `${users}/${id}`, change);
    expect(status).toBe(200);
    expect(await state(company.id, id)).toBe(to);
    expect(body).toMatchObject({ is_active: to.startsWith("allowed"), access_state: to.split(" ")[0] });
  });

  it("mails a member who is let in, once, in their language, with the event beside it", async () => {
    const { owner, company, member, mailbox } = await createAdministration();
    const { id, email } = await member({ state: "pending", language: "fr" });
    const before = mailbox.sent.length;
    await owner.call("PUT", `${users}/${id}`, { is_active: true });
    await owner.call("PUT", `${users}/${id}`, { is_active: true });
    expect(mailbox.sent.slice(before)).toMatchObject([
      {
        company_id: company.id,
        template_key: "identity.membership.enabled",
        language: "fr",
        to: [{ email, user_id: id }],
        variables: { app_url: `${company.origin}/login` },
      },
    ]);
    expect(
      await rows("SELECT state FROM mail_outbox WHERE company_id = ? AND kind = 'membership'", company.id),
    ).toEqual([{ state: "sent" }]);
    const events = await eventsOf(company.id, id);
    expect(events.map((event) => event.event_type)).toEqual(["identity.membership.enabled", "identity.user.updated"]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({
      user_id: id,
      email,
      source: "admin",
      access_state: "allowed",
    });
    expect(JSON.parse(events[1]?.data ?? "")).toMatchObject({ changed_fields: ["is_active", "access_state"] });
  });

  it.each([[{ is_active: false }], [{ access: "denied" }]])(
    "ends sessions, tokens and ownership in that company alone by %j",
    async (change) => {
      const one = await createAdministration();
      const two = await createAdministration();
      const person = await one.actor({ owner: true });
      await addMembership(two.company.id, person.id, { owner: true });
      const elsewhere = callAs(two.env, (await signInAgain(two, person.email)).access_token);
      const pat = `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, created_at, expires_at, parent_id)
        VALUES (?, ?, ?, ?, 1, 9e15, ?)`;
      const parent = crypto.randomUUID();
      await rows(pat, parent, one.company.id, person.id, crypto.randomUUID(), null);
      await rows(pat, crypto.randomUUID(), one.company.id, person.id, crypto.randomUUID(), parent);
      await rows(pat, crypto.randomUUID(), two.company.id, person.id, crypto.randomUUID(), null);
      expect((await person.call("GET", "/api/v1/user")).status).toBe(200);
      expect((await one.owner.call("PUT", `${users}/${person.id}`, change)).body).toMatchObject({
        is_company_owner: false,
        is_active: false,
      });
      expect(await state(two.company.id, person.id)).toBe("allowed join_rule 1");
      expect((await elsewhere("GET", users)).status).toBe(200);
      expect(
        await rows(
          "SELECT company_id, revoked_at IS NULL AS live, count(*) AS n FROM personal_access_tokens WHERE user_id = ? GROUP BY 1, 2",
          person.id,
        ),
      ).toEqual([
        { company_id: one.company.id, live: 0, n: 2 },
        { company_id: two.company.id, live: 1, n: 1 },
      ]);
      const live = "SELECT company_id FROM sessions WHERE user_id = ? AND revoked_at IS NULL";
      expect(await rows(live, person.id)).toEqual([{ company_id: two.company.id }]);
      await one.owner.call("PUT", `${users}/${person.id}`, { is_active: true });
      expect(codeOf(await person.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    },
  );

  it("lets no endpoint let a staff account in, but takes its access away for staff", async () => {
    const { company, actor, member } = await createAdministration();
    const staff = await actor({ staff: true });
    const other = await member({ staff: true, state: "denied", reason: "admin" });
    expect(codeOf(await staff.call("PUT", `${users}/${other.id}`, { is_active: true }))).toEqual([403, "forbidden"]);
    expect(await state(company.id, other.id)).toBe("denied admin 0");
    const third = await member({ staff: true });
    expect((await staff.call("PUT", `${users}/${third.id}`, { is_active: true })).status).toBe(200);
    expect((await staff.call("PUT", `${users}/${third.id}`, { is_active: false })).status).toBe(200);
    expect(await state(company.id, third.id)).toBe("pending admin 0");
  });

  it("holds against the join rules: only an administrator lifts what an administrator set, and the same link works then", async () => {
    const { owner, company, env, mailbox, member } = await createAdministration();
    const { id, email } = await member();
    const { token } = await requestLink(env, mailbox, company, email);
    const open = async () => {
      const body = JSON.stringify({ token, company_id: company.id });
      const headers = { "content-type": "application/json" };
      const answer = await callIdentity(env, "/api/v1/magic-link/verify", { method: "POST", body, headers });
      return [answer.status, (await answer.json<{ error_code?: string }>()).error_code];
    };
    await owner.call("PUT", `${users}/${id}`, { is_active: false });
    expect(await open()).toEqual([403, "access_pending"]);
    await owner.call("PUT", `${users}/${id}`, { access: "denied" });
    expect(await open()).toEqual([403, "access_denied"]);
    expect(await state(company.id, id)).toBe("denied admin 0");
    await owner.call("PUT", `${users}/${id}`, { is_active: true });
    expect(await open()).toEqual([200, undefined]);
  });

  it("sends nothing when access is taken", async () => {
    const { owner, member, mailbox } = await createAdministration();
    const { id } = await member();
    const before = mailbox.sent.length;
    await owner.call("PUT", `${users}/${id}`, { is_active: false });
    await owner.call("PUT", `${users}/${id}`, { access: "denied" });
    expect(mailbox.sent.length).toBe(before);
  });

  it("mails once when an administrator lets a member in 20 times at once", async () => {
    const { owner, company, member, mailbox } = await createAdministration();
    const { id } = await member({ state: "denied" });
    const before = mailbox.sent.length;
    const calls = Array.from({ length: 20 }, () => owner.call("PUT", `${users}/${id}`, { is_active: true }));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(mailbox.sent.length).toBe(before + 1);
    expect(await eventsOf(company.id, id)).toHaveLength(2);
  });

  it("lets nobody end their own", async () => {
    const { owner, company, actor } = await createAdministration();
    await actor({ owner: true });
    for (const body of [{ is_active: false }, { access: "denied" }]) {
      expect(codeOf(await owner.call("PUT", `${users}/${owner.id}`, body))).toEqual([400, "self_not_allowed"]);
    }
    expect(codeOf(await owner.call("DELETE", `${users}/${owner.id}`))).toEqual([400, "self_not_allowed"]);
    expect(await state(company.id, owner.id)).toBe("allowed join_rule 1");
    expect((await owner.call("PUT", `${users}/${owner.id}`, { is_active: true, first_name: "Me" })).status).toBe(200);
  });

  it("keeps the last owner, with names unchanged and sessions alive", async () => {
    const { owner, actor, company } = await createAdministration();
    const staff = await actor({ staff: true });
    for (const body of [{ is_active: false }, { access: "denied" }, { is_active: false, first_name: "Gone" }]) {
      expect(codeOf(await staff.call("PUT", `${users}/${owner.id}`, body))).toEqual([409, "last_company_owner"]);
    }
    expect(codeOf(await staff.call("DELETE", `${users}/${owner.id}`))).toEqual([409, "last_company_owner"]);
    expect(await state(company.id, owner.id)).toBe("allowed join_rule 1");
    expect((await owner.call("GET", `${users}/${owner.id}`)).body).toMatchObject({ first_name: "Mina" });
    expect(await eventsOf(company.id, owner.id)).toEqual([]);
  });

  it.each([
    ["removals", "DELETE", undefined],
    ["withdrawals", "PUT", { is_active: false }],
  ])("leaves one owner of 50 after 50 parallel %s", async (_, method, body) => {
    const { owner, actor, company, member } = await createAdministration();
    const staff = await actor({ staff: true });
    const others = await Promise.all(Array.from({ length: 49 }, () => member({ owner: true })));
    const ids = [owner.id, ...others.map(({ id }) => id)];
    const answers = await Promise.all(ids.map((id) => staff.call(method, `${users}/${id}`, body)));
    const done = method === "DELETE" ? 204 : 200;
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => done), 409]);
    expect(
      await rows(
        "SELECT count(*) AS n FROM memberships WHERE company_id = ? AND is_owner = 1 AND state = 'allowed'",
        company.id,
      ),
    ).toEqual([{ n: 1 }]);
  });
});

describe("a removal", () => {
  it("ends the membership, its sessions and tokens, and leaves other companies as they are", async () => {
    const one = await createAdministration();
    const two = await createAdministration();
    const person = await one.actor();
    await addMembership(two.company.id, person.id);
    expect(await one.owner.call("DELETE", `${users}/${person.id}`)).toEqual({ status: 204, body: {} });
    expect(codeOf(await person.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    expect(await rows("SELECT company_id FROM memberships WHERE user_id = ?", person.id)).toEqual([
      { company_id: two.company.id },
    ]);
    expect(codeOf(await one.owner.call("DELETE", `${users}/${person.id}`))).toEqual([404, "not_found"]);
    const events = await eventsOf(one.company.id, person.id);
    expect(events.map((event) => event.event_type)).toEqual(["identity.user.deleted"]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({
      user_id: person.id,
      email: person.email,
      source: "admin",
    });
    expect(await eventsOf(two.company.id, person.id)).toEqual([]);
    expect((await two.owner.call("GET", `${users}/${person.id}`)).status).toBe(200);
  });

  it("deletes the account of a last membership with all that belongs to it, and never gives its id again", async () => {
    const { owner, actor, env, mailbox, company } = await createAdministration();
    const person = await actor({ language: "fr" });
    await rows(
      `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, created_at, expires_at) VALUES (?, ?, ?, ?, 1, 9e15)`,
      crypto.randomUUID(),
      company.id,
      person.id,
      crypto.randomUUID(),
    );
    await rows(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_proven, created_at, last_used_at)
       VALUES (?, ?, 'google', 'https://accounts.google.com', ?, ?, 1, 1, 1)`,
      crypto.randomUUID(),
      person.id,
      crypto.randomUUID(),
      person.email,
    );
    const elsewhere = await createCompany();
    const link = await requestLink(env, mailbox, elsewhere, person.email);
    expect((await owner.call("DELETE", `${users}/${person.id}`)).status).toBe(204);
    for (const table of ["memberships", "preferences", "sessions", "personal_access_tokens", "identities"]) {
      expect(await rows(`SELECT 1 FROM ${table} WHERE user_id = ?`, person.id), table).toEqual([]);
    }
    expect(await rows("SELECT 1 FROM users WHERE id = ?", person.id)).toEqual([]);
    const body = JSON.stringify({ token: link.token, company_id: elsewhere.id });
    const spent = await callIdentity(env, "/api/v1/magic-link/verify", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(spent.status).toBe(400);
    expect(await createUser({ email: freshEmail() })).toBeGreaterThan(person.id);
    expect((await owner.call("GET", users)).body).toMatchObject({ count: 1 });
  });
});

async function signInAgain(
  { env, mailbox, company }: Awaited<ReturnType<typeof createAdministration>>,
  email: string,
): Promise<{ access_token: string }> {
  const { token } = await requestLink(env, mailbox, company, email);
  const response = await callIdentity(env, "/api/v1/magic-link/verify", {
    method: "POST",
    body: JSON.stringify({ token, company_id: company.id }),
    headers: { "content-type": "application/json" },
  });
  return response.json<{ access_token: string }>();
}
