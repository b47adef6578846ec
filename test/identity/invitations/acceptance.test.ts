import { and, eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { group_members, groups, invitations, memberships, preferences } from "../../../db/identity/schema";
import { meterDatabase } from "../../support/db/metered-database";
import { createAdministration } from "../../support/identity/administration";
import { callIdentity, freshEmail, json, requestLink } from "../../support/identity/identity";
import { invitationsPath, inviteAddress, readInvitation, tryToSignIn } from "../../support/identity/invitations";
import { errorOf, google, openSignIn } from "../../support/identity/oauth";
import {
  changeMembership,
  changeUser,
  countRows,
  entriesOf,
  findUserByEmail,
  insertRow,
  readRows,
  storeGroup,
  storeInvitation,
  storeMembership,
  updateRows,
} from "../../support/identity/rows";

afterEach(() => vi.unstubAllGlobals());

type Administration = Awaited<ReturnType<typeof createAdministration>>;

/** Returns state and reason of the membership of an address. */
async function stateOf({ company }: Administration, email: string) {
  const user = await findUserByEmail(email);
  const isMembership = and(eq(memberships.company_id, company.id), eq(memberships.user_id, user?.id ?? 0));
  const [row] = await readRows(memberships, isMembership);
  return row ? `${row.state} ${row.state_reason}` : null;
}

describe("an invited user", () => {
  it("is admitted at the next sign-in, joins the groups, and gets the language of the invitation", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const { company } = administration;
    const group = await storeGroup(company);
    const email = freshEmail();
    const invitation = await inviteAddress(administration, email, { group_ids: [group], language: "fr" });
    const { status, body } = await tryToSignIn(administration, email);
    expect(status).toBe(200);
    const { user_metadata } = decodeJwt(String(body.access_token));
    expect(user_metadata).toMatchObject({ groups: [`Group ${group}`] });
    const user = await findUserByEmail(email);
    expect(await stateOf(administration, email)).toBe("allowed admin");
    const after = await readInvitation(administration, invitation.id);
    expect(after).toMatchObject({ status: "accepted", accepted_at: expect.any(String) });
    const [row] = await readRows(invitations, eq(invitations.id, invitation.id));
    expect(row).toMatchObject({ accepted_user_id: user?.id, mail_sealed: null });
    expect(await readRows(preferences, eq(preferences.user_id, user?.id ?? 0))).toMatchObject([{ language: "fr" }]);
    expect(await readRows(groups, eq(groups.id, group))).toMatchObject([{ user_count: 1 }]);
    const [created] = await entriesOf(company.id, "identity.user.created");
    expect(JSON.parse(created?.data ?? "")).toMatchObject({ email, source: "invitation" });
    const [joined] = await entriesOf(company.id, "identity.group.membership_changed");
    const data = { change: "members_added", group_id: group, source: "admin", user_ids: [user?.id] };
    expect(JSON.parse(joined?.data ?? "")).toEqual({ ...data, display_name: `Group ${group}` });
    // The invitation is used, so a later denial stands.
    await changeMembership(company.id, email, { state: "denied", state_reason: "admin", state_at: Date.now() });
    expect((await tryToSignIn(administration, email)).code).toBe("access_denied");
  });

  it("is admitted although an administrator denied access before, and keeps their language and groups", async () => {
    const administration = await createAdministration({ access_mode: "domain" });
    const { company, member } = administration;
    const [existing, added] = [await storeGroup(company), await storeGroup(company)];
    const mina = await member({ state: "denied", reason: "admin", language: "en" });
    await insertRow(group_members, { group_id: existing, user_id: mina.id });
    await inviteAddress(administration, mina.email, { group_ids: [existing, added], language: "fr" });
    expect((await tryToSignIn(administration, mina.email)).status).toBe(200);
    expect(await readRows(preferences, eq(preferences.user_id, mina.id))).toMatchObject([{ language: "en" }]);
    expect(await countRows(group_members, eq(group_members.user_id, mina.id))).toBe(2);
    const moves = await entriesOf(company.id, "identity.group.membership_changed");
    expect(moves.map(({ data }) => JSON.parse(data).group_id)).toEqual([added]);
  });

  it("is not admitted by an invitation that is expired, older than a denial, or for another company", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const other = await createAdministration({ access_mode: "invite" });
    const { company, member } = administration;
    const expired = freshEmail();
    const { id } = await inviteAddress(administration, expired, { send_mail: false });
    await updateRows(invitations, { expires_at: 2 }, eq(invitations.id, id));
    expect((await tryToSignIn(administration, expired)).code).toBe("access_pending");
    const denied = await member({ state: "pending" });
    await inviteAddress(administration, denied.email, { send_mail: false });
    await changeMembership(company.id, denied.email, {
      state: "denied",
      state_reason: "admin",
      state_at: Date.now() + 1,
    });
    expect((await tryToSignIn(administration, denied.email)).code).toBe("access_denied");
    const byDirectory = await member({ state: "denied", reason: "scim" });
    await inviteAddress(administration, byDirectory.email, { send_mail: false });
    expect((await tryToSignIn(administration, byDirectory.email)).code).toBe("access_denied");
    const elsewhere = freshEmail();
    await inviteAddress(other, elsewhere, { send_mail: false });
    expect((await tryToSignIn(administration, elsewhere)).code).toBe("access_pending");
  });

  it("is rejected and not stored while the invitation is revoked, and admitted after the revocation is lifted", async () => {
    const administration = await createAdministration();
    const { owner } = administration;
    const email = freshEmail();
    const { id } = await inviteAddress(administration, email, { send_mail: false });
    await owner.call("POST", `${invitationsPath}/${id}/revoke`);
    expect((await tryToSignIn(administration, email)).code).toBe("access_denied");
    expect(await findUserByEmail(email)).toBeUndefined();
    await owner.call("DELETE", `${invitationsPath}/${id}`);
    expect((await tryToSignIn(administration, email)).status).toBe(200);
  });

  it("is admitted once by 50 parallel links, which all sign in", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const { env, mailbox, company } = administration;
    const group = await storeGroup(company);
    const email = freshEmail();
    await inviteAddress(administration, email, { group_ids: [group] });
    const tokens: string[] = [];
    for (let at = 0; at < 50; at += 1) tokens.push((await requestLink(env, mailbox, company, email)).token);
    const statuses = await Promise.all(
      tokens.map(async (token) => {
        const body = json({ token, company_id: company.id });
        return (await callIdentity(env, "/api/v1/magic-link/verify", body)).status;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 50 }, () => 200));
    expect(await entriesOf(company.id, "identity.group.membership_changed")).toHaveLength(1);
    expect((await entriesOf(company.id, "identity.user.created")).length).toBe(1);
    expect(await readRows(groups, eq(groups.id, group))).toMatchObject([{ user_count: 1 }]);
  });

  it("is either admitted or rejected when the invitation is revoked during the sign-in", async () => {
    for (let round = 0; round < 8; round += 1) {
      const administration = await createAdministration({ access_mode: "invite" });
      const { env, mailbox, company, owner } = administration;
      const email = freshEmail();
      const { id } = await inviteAddress(administration, email, { send_mail: false });
      const { token } = await requestLink(env, mailbox, company, email);
      const [signedIn, revoked] = await Promise.all([
        callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: company.id })),
        owner.call("POST", `${invitationsPath}/${id}/revoke`),
      ]);
      const { status } = await readInvitation(administration, id);
      expect([signedIn.status === 200, revoked.status]).toEqual(status === "accepted" ? [true, 409] : [false, 200]);
      expect(await stateOf(administration, email)).toBe(status === "accepted" ? "allowed admin" : null);
    }
  });

  it("accepts the invitation although an administrator enabled the user first, and is not admitted again after a removal", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const { owner, company } = administration;
    const group = await storeGroup(company);
    const email = freshEmail();
    expect((await tryToSignIn(administration, email)).code).toBe("access_pending");
    const { id } = await inviteAddress(administration, email, { group_ids: [group] });
    const user = await findUserByEmail(email);
    await owner.call("PUT", `/api/v1/users/${user?.id}`, { is_active: true });
    expect((await tryToSignIn(administration, email)).status).toBe(200);
    expect((await readInvitation(administration, id)).status).toBe("accepted");
    expect(await countRows(group_members, eq(group_members.user_id, user?.id ?? 0))).toBe(1);
    expect((await owner.call("DELETE", `/api/v1/users/${user?.id}`)).status).toBe(204);
    expect((await tryToSignIn(administration, email)).code).toBe("access_pending");
  });

  it("is not admitted by an open invitation after an owner removed them", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const { owner, member } = administration;
    const pending = await member({ state: "pending" });
    const { id } = await inviteAddress(administration, pending.email, { send_mail: false });
    expect((await owner.call("DELETE", `/api/v1/users/${pending.id}`)).status).toBe(204);
    expect((await readInvitation(administration, id)).status).toBe("expired");
    expect((await tryToSignIn(administration, pending.email)).code).toBe("access_pending");
  });

  it("is admitted although somebody signed in with the unproven address after the invitation", async () => {
    for (const access_mode of ["invite", "public"] as const) {
      const { run, company } = await openSignIn("google", { company: { access_mode } });
      const group = await storeGroup(company);
      const email = freshEmail();
      await storeInvitation(company, { email, group_ids: [group] });
      const account = google(email);
      await run({ ...account, claims: { ...account.claims, email_verified: false } });
      expect((await run(google(email))).searchParams.has("platform_auth_code")).toBe(true);
      const [row] = await readRows(invitations, eq(invitations.company_id, company.id));
      expect([access_mode, row?.status]).toEqual([access_mode, "accepted"]);
      expect(await countRows(group_members, eq(group_members.group_id, group))).toBe(1);
    }
  });

  it("is not admitted when the account becomes staff, or a member is removed, between the read and the write", async () => {
    for (const change of ["staff", "invited staff", "removed"] as const) {
      const administration = await createAdministration({ access_mode: change === "staff" ? "public" : "invite" });
      const { env, mailbox, company, owner, member } = administration;
      const other = await createAdministration();
      const person = change === "removed" ? await member() : await other.member();
      if (change === "removed") await storeMembership(other.company.id, person.id);
      if (change === "invited staff") await inviteAddress(administration, person.email, { send_mail: false });
      const { token } = await requestLink(env, mailbox, company, person.email);
      const { db } = meterDatabase(env.DB, async (call) => {
        if (call !== 2) return;
        if (change === "removed") await owner.call("DELETE", `/api/v1/users/${person.id}`);
        else await changeUser(person.id, { is_staff: true });
      });
      const body = json({ token, company_id: company.id });
      const { status } = await callIdentity({ ...env, DB: db }, "/api/v1/magic-link/verify", body);
      expect([change, status]).toEqual([change, 400]);
      expect(await stateOf(administration, person.email)).toBeNull();
    }
  });

  it("is admitted by a provider that proves the address, and not by one that does not", async () => {
    const { run, company } = await openSignIn("google", { company: { access_mode: "invite" } });
    const [proven, unproven] = [freshEmail(), freshEmail()];
    await Promise.all([proven, unproven].map((email) => storeInvitation(company, { email })));
    expect((await run(google(proven))).searchParams.has("platform_auth_code")).toBe(true);
    const account = google(unproven);
    const end = await run({ ...account, claims: { ...account.claims, email_verified: false } });
    expect(errorOf(end)).toBe("access_pending");
    const rows = await readRows(invitations, eq(invitations.company_id, company.id));
    expect(rows.map(({ email, status }) => [email, status])).toEqual(
      expect.arrayContaining([
        [proven, "accepted"],
        [unproven, "pending"],
      ]),
    );
  });
});
