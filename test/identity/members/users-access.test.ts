import { describe, expect, it } from "vitest";
import { callAs, codeOf, createAdministration } from "../../support/identity/administration";
import {
  callIdentity,
  createCompany,
  createUser,
  freshEmail,
  requestLink,
  rows,
  signIn,
} from "../../support/identity/identity";
import { addMembership, memberEvents, usersPath } from "../../support/identity/members";

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
    const { status, body } = await owner.call("PUT", `${usersPath}/${id}`, change);
    expect(status).toBe(200);
    expect(await state(company.id, id)).toBe(to);
    expect(body).toMatchObject({ is_active: to.startsWith("allowed"), access_state: to.split(" ")[0] });
  });

  it("mails a member who is let in, once, in their language, with the event beside it", async () => {
    const { owner, company, member, mailbox } = await createAdministration();
    const { id, email } = await member({ state: "pending", language: "fr" });
    const before = mailbox.sent.length;
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: true });
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: true });
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
    const events = await memberEvents(company.id, id);
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
      const elsewhere = callAs(two.env, (await signIn(two.env, two.mailbox, two.company, person.email)).access_token);
      const pat = `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, created_at, expires_at, parent_id)
        VALUES (?, ?, ?, ?, 1, 9e15, ?)`;
      const parent = crypto.randomUUID();
      await rows(pat, parent, one.company.id, person.id, crypto.randomUUID(), null);
      await rows(pat, crypto.randomUUID(), one.company.id, person.id, crypto.randomUUID(), parent);
      await rows(pat, crypto.randomUUID(), two.company.id, person.id, crypto.randomUUID(), null);
      expect((await person.call("GET", "/api/v1/user")).status).toBe(200);
      expect((await one.owner.call("PUT", `${usersPath}/${person.id}`, change)).body).toMatchObject({
        is_company_owner: false,
        is_active: false,
      });
      expect(await state(two.company.id, person.id)).toBe("allowed join_rule 1");
      expect((await elsewhere("GET", usersPath)).status).toBe(200);
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
      await one.owner.call("PUT", `${usersPath}/${person.id}`, { is_active: true });
      expect(codeOf(await person.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    },
  );

  it("lets no endpoint let a staff account in, but takes its access away for staff", async () => {
    const { company, actor, member } = await createAdministration();
    const staff = await actor({ staff: true });
    const other = await member({ staff: true, state: "denied", reason: "admin" });
    expect(codeOf(await staff.call("PUT", `${usersPath}/${other.id}`, { is_active: true }))).toEqual([
      403,
      "forbidden",
    ]);
    expect(await state(company.id, other.id)).toBe("denied admin 0");
    const third = await member({ staff: true });
    expect((await staff.call("PUT", `${usersPath}/${third.id}`, { is_active: true })).status).toBe(200);
    expect((await staff.call("PUT", `${usersPath}/${third.id}`, { is_active: false })).status).toBe(200);
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
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: false });
    expect(await open()).toEqual([403, "access_pending"]);
    await owner.call("PUT", `${usersPath}/${id}`, { access: "denied" });
    expect(await open()).toEqual([403, "access_denied"]);
    expect(await state(company.id, id)).toBe("denied admin 0");
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: true });
    expect(await open()).toEqual([200, undefined]);
  });

  it("sends nothing when access is taken", async () => {
    const { owner, member, mailbox } = await createAdministration();
    const { id } = await member();
    const before = mailbox.sent.length;
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: false });
    await owner.call("PUT", `${usersPath}/${id}`, { access: "denied" });
    expect(mailbox.sent.length).toBe(before);
  });

  it("mails once when an administrator lets a member in 20 times at once", async () => {
    const { owner, company, member, mailbox } = await createAdministration();
    const { id } = await member({ state: "denied" });
    const before = mailbox.sent.length;
    const calls = Array.from({ length: 20 }, () => owner.call("PUT", `${usersPath}/${id}`, { is_active: true }));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(mailbox.sent.length).toBe(before + 1);
    expect(await memberEvents(company.id, id)).toHaveLength(2);
  });

  it("lets nobody end their own", async () => {
    const { owner, company, actor } = await createAdministration();
    await actor({ owner: true });
    for (const body of [{ is_active: false }, { access: "denied" }]) {
      expect(codeOf(await owner.call("PUT", `${usersPath}/${owner.id}`, body))).toEqual([400, "self_not_allowed"]);
    }
    expect(codeOf(await owner.call("DELETE", `${usersPath}/${owner.id}`))).toEqual([400, "self_not_allowed"]);
    expect(await state(company.id, owner.id)).toBe("allowed join_rule 1");
    expect((await owner.call("PUT", `${usersPath}/${owner.id}`, { is_active: true, first_name: "Me" })).status).toBe(
      200,
    );
  });

  it("keeps the last owner, with names unchanged and sessions alive", async () => {
    const { owner, actor, company } = await createAdministration();
    const staff = await actor({ staff: true });
    for (const body of [{ is_active: false }, { access: "denied" }, { is_active: false, first_name: "Gone" }]) {
      expect(codeOf(await staff.call("PUT", `${usersPath}/${owner.id}`, body))).toEqual([409, "last_company_owner"]);
    }
    expect(codeOf(await staff.call("DELETE", `${usersPath}/${owner.id}`))).toEqual([409, "last_company_owner"]);
    expect(await state(company.id, owner.id)).toBe("allowed join_rule 1");
    expect((await owner.call("GET", `${usersPath}/${owner.id}`)).body).toMatchObject({ first_name: "Mina" });
    expect(await memberEvents(company.id, owner.id)).toEqual([]);
  });

  it.each([
    ["removals", "DELETE", undefined],
    ["withdrawals", "PUT", { is_active: false }],
  ])("leaves one owner of 50 after 50 parallel %s", async (_, method, body) => {
    const { owner, actor, company, member } = await createAdministration();
    const staff = await actor({ staff: true });
    const others = await Promise.all(Array.from({ length: 49 }, () => member({ owner: true })));
    const ids = [owner.id, ...others.map(({ id }) => id)];
    const answers = await Promise.all(ids.map((id) => staff.call(method, `${usersPath}/${id}`, body)));
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
    expect(await one.owner.call("DELETE", `${usersPath}/${person.id}`)).toEqual({ status: 204, body: {} });
    expect(codeOf(await person.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    expect(await rows("SELECT company_id FROM memberships WHERE user_id = ?", person.id)).toEqual([
      { company_id: two.company.id },
    ]);
    expect(codeOf(await one.owner.call("DELETE", `${usersPath}/${person.id}`))).toEqual([404, "not_found"]);
    const events = await memberEvents(one.company.id, person.id);
    expect(events.map((event) => event.event_type)).toEqual(["identity.user.deleted"]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({
      user_id: person.id,
      email: person.email,
      source: "admin",
    });
    expect(await memberEvents(two.company.id, person.id)).toEqual([]);
    expect((await two.owner.call("GET", `${usersPath}/${person.id}`)).status).toBe(200);
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
    expect((await owner.call("DELETE", `${usersPath}/${person.id}`)).status).toBe(204);
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
    expect((await owner.call("GET", usersPath)).body).toMatchObject({ count: 1 });
  });
});
