import { and, eq, isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ownsCompany } from "../../../db/identity/conditions/membership";
import { mail_outbox, memberships, personal_access_tokens, sessions } from "../../../db/identity/schema";
import { callAs, codeOf, createAdministration } from "../../support/identity/administration";
import {
  callIdentity,
  createCompany,
  createUser,
  freshEmail,
  requestLink,
  signIn,
} from "../../support/identity/identity";
import { addMembership, memberEvents, usersPath } from "../../support/identity/members";
import { countRows, readRows, storeIdentity, storePatRow, tablesOfUser } from "../../support/identity/rows";

describe("access of members", () => {
  const state = async (company: number, user: number) => {
    const isMembership = and(eq(memberships.company_id, company), eq(memberships.user_id, user));
    const [row] = await readRows(memberships, isMembership);
    return `${row?.state} ${row?.state_reason} ${Number(row?.is_owner)}`;
  };

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
  ] as const)("changes a membership from %s (%s) by the request %j to %s", async (from, reason, change, to) => {
    const { owner, company, member } = await createAdministration();
    const { id } = await member({ state: from, reason });
    const { status, body } = await owner.call("PUT", `${usersPath}/${id}`, change);
    expect(status).toBe(200);
    expect(await state(company.id, id)).toBe(to);
    expect(body).toMatchObject({ is_active: to.startsWith("allowed"), access_state: to.split(" ")[0] });
  });

  it("sends one mail in the member's language and emits an event when an administrator admits them", async () => {
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
        variables: { action_url: `${company.origin}/login`, actor_name: "Mina", recipient_name: "Mina" },
      },
    ]);
    const mails = await readRows(
      mail_outbox,
      and(eq(mail_outbox.company_id, company.id), eq(mail_outbox.kind, "membership")),
    );
    expect(mails.map((mail) => mail.state)).toEqual(["sent"]);
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
    "ends sessions, tokens and ownership only in that company with %j",
    async (change) => {
      const first = await createAdministration();
      const second = await createAdministration();
      const user = await first.actor({ owner: true });
      await addMembership(second.company.id, user.id, { owner: true });
      const elsewhere = callAs(
        second.env,
        (await signIn(second.env, second.mailbox, second.company, user.email)).access_token,
      );
      const parent = await storePatRow(first.company.id, user.id);
      await storePatRow(first.company.id, user.id, { parent_id: parent.id });
      await storePatRow(second.company.id, user.id);
      expect((await user.call("GET", "/api/v1/user")).status).toBe(200);
      expect((await first.owner.call("PUT", `${usersPath}/${user.id}`, change)).body).toMatchObject({
        is_company_owner: false,
        is_active: false,
      });
      expect(await state(second.company.id, user.id)).toBe("allowed join_rule 1");
      expect((await elsewhere("GET", usersPath)).status).toBe(200);
      const pats = await readRows(personal_access_tokens, eq(personal_access_tokens.user_id, user.id));
      const livesIn = (company: number) =>
        pats.filter((pat) => pat.company_id === company).map((pat) => pat.revoked_at === null);
      expect([pats.length, livesIn(first.company.id), livesIn(second.company.id)]).toEqual([3, [false, false], [true]]);
      const live = await readRows(sessions, and(eq(sessions.user_id, user.id), isNull(sessions.revoked_at)));
      expect(live.map((session) => session.company_id)).toEqual([second.company.id]);
      await first.owner.call("PUT", `${usersPath}/${user.id}`, { is_active: true });
      expect(codeOf(await user.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    },
  );

  it("rejects the admission of a denied staff account, but lets staff withdraw the access of one", async () => {
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

  it("keeps an administrator's decision despite the join rules until it is reversed, and then accepts the same link", async () => {
    const { owner, company, env, mailbox, member } = await createAdministration();
    const { id, email } = await member();
    const { token } = await requestLink(env, mailbox, company, email);
    const open = async () => {
      const body = JSON.stringify({ token, company_id: company.id });
      const headers = { "content-type": "application/json" };
      const response = await callIdentity(env, "/api/v1/magic-link/verify", { method: "POST", body, headers });
      return [response.status, (await response.json<{ error_code?: string }>()).error_code];
    };
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: false });
    expect(await open()).toEqual([403, "access_pending"]);
    await owner.call("PUT", `${usersPath}/${id}`, { access: "denied" });
    expect(await open()).toEqual([403, "access_denied"]);
    expect(await state(company.id, id)).toBe("denied admin 0");
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: true });
    expect(await open()).toEqual([200, undefined]);
  });

  it("sends no mail when access is withdrawn", async () => {
    const { owner, member, mailbox } = await createAdministration();
    const { id } = await member();
    const before = mailbox.sent.length;
    await owner.call("PUT", `${usersPath}/${id}`, { is_active: false });
    await owner.call("PUT", `${usersPath}/${id}`, { access: "denied" });
    expect(mailbox.sent.length).toBe(before);
  });

  it("sends one mail when an administrator admits a member with 20 parallel requests", async () => {
    const { owner, company, member, mailbox } = await createAdministration();
    const { id } = await member({ state: "denied" });
    const before = mailbox.sent.length;
    const calls = Array.from({ length: 20 }, () => owner.call("PUT", `${usersPath}/${id}`, { is_active: true }));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(mailbox.sent.length).toBe(before + 1);
    expect(await memberEvents(company.id, id)).toHaveLength(2);
  });

  it("rejects a withdrawal of the caller's own access", async () => {
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

  it("rejects a withdrawal of the last owner's access, and changes neither names nor sessions", async () => {
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
    const responses = await Promise.all(ids.map((id) => staff.call(method, `${usersPath}/${id}`, body)));
    const done = method === "DELETE" ? 204 : 200;
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => done), 409]);
    const isOwned = and(eq(memberships.company_id, company.id), ownsCompany(memberships));
    expect(await countRows(memberships, isOwned)).toBe(1);
  });
});

describe("removal of a member", () => {
  it("ends the membership with its sessions and tokens, and leaves other companies unchanged", async () => {
    const first = await createAdministration();
    const second = await createAdministration();
    const user = await first.actor();
    await addMembership(second.company.id, user.id);
    expect(await first.owner.call("DELETE", `${usersPath}/${user.id}`)).toEqual({ status: 204, body: {} });
    expect(codeOf(await user.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    const remaining = await readRows(memberships, eq(memberships.user_id, user.id));
    expect(remaining.map((membership) => membership.company_id)).toEqual([second.company.id]);
    expect(codeOf(await first.owner.call("DELETE", `${usersPath}/${user.id}`))).toEqual([404, "not_found"]);
    const events = await memberEvents(first.company.id, user.id);
    expect(events.map((event) => event.event_type)).toEqual(["identity.user.deleted"]);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({
      user_id: user.id,
      email: user.email,
      source: "admin",
    });
    expect(await memberEvents(second.company.id, user.id)).toEqual([]);
    expect((await second.owner.call("GET", `${usersPath}/${user.id}`)).status).toBe(200);
  });

  it("deletes the account with all its rows at the last membership, and never reuses its id", async () => {
    const { owner, actor, env, mailbox, company } = await createAdministration();
    const user = await actor({ language: "fr" });
    await storePatRow(company.id, user.id);
    await storeIdentity(user);
    const elsewhere = await createCompany();
    const link = await requestLink(env, mailbox, elsewhere, user.email);
    expect((await owner.call("DELETE", `${usersPath}/${user.id}`)).status).toBe(204);
    expect(await tablesOfUser(user.id)).toEqual([]);
    const body = JSON.stringify({ token: link.token, company_id: elsewhere.id });
    const consumed = await callIdentity(env, "/api/v1/magic-link/verify", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(consumed.status).toBe(400);
    expect(await createUser({ email: freshEmail() })).toBeGreaterThan(user.id);
    expect((await owner.call("GET", usersPath)).body).toMatchObject({ count: 1 });
  });
});
