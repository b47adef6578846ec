import { describe, expect, it } from "vitest";
import { callAs, codeOf, createAdministration } from "../../support/identity/administration";
import { callIdentity, freshEmail, identityEnv, requestLink } from "../../support/identity/identity";
import { invitationsPath, inviteAddress, tryToSignIn } from "../../support/identity/invitations";
import { changeUser, storeEntry, storeInvitation } from "../../support/identity/rows";

type Administration = Awaited<ReturnType<typeof createAdministration>>;
type Check = {
  check: string;
  ok: boolean | null;
  code: string;
  change: { method: string; path: string; body?: object } | null;
};
type Report = { user_id: number | null; can_sign_in: boolean; checks: Check[]; last_refusals: { code: string }[] };

/** Returns the report about an address. */
async function reportOf({ owner }: Administration, email: string): Promise<Report> {
  const { status, body } = await owner.call("GET", `/api/v1/access?email=${encodeURIComponent(email)}`);
  expect(status).toBe(200);
  return body as unknown as Report;
}

/** Returns the failed checks of a report by name and code. */
const failuresOf = ({ checks }: Report) =>
  checks.filter(({ ok }) => ok === false).map(({ check, code }) => `${check} ${code}`);

/** Makes the call that a failed check suggests. */
async function applyChange({ owner }: Administration, { checks }: Report): Promise<void> {
  const change = checks.find(({ change: suggested }) => suggested !== null)?.change;
  if (!change) throw new Error("no check suggests a change");
  const { status } = await owner.call(change.method, change.path, change.body);
  expect(status).toBeLessThan(300);
}

describe("the access report", () => {
  it("lists every check in the order of a sign-in for an address that can sign in", async () => {
    const administration = await createAdministration();
    const { owner, member } = administration;
    const mina = await member();
    const report = await reportOf(administration, mina.email.toUpperCase());
    expect(report).toMatchObject({ email: mina.email, user_id: mina.id, can_sign_in: true, last_refusals: [] });
    expect(report.checks.map(({ check, ok, code }) => [check, ok, code])).toEqual([
      ["company", true, "active"],
      ["methods", true, "available"],
      ["account", true, "active"],
      ["invitation", true, "none"],
      ["membership", true, "allowed"],
      ["join_rule", true, "member"],
      ["limits", true, "free"],
      ["mail", null, "email_unavailable"],
    ]);
    expect((await owner.call("GET", `/api/v1/users/${mina.id}/access`)).body).toEqual(report);
    const person = await reportOf(administration, freshEmail());
    expect([person.user_id, person.can_sign_in]).toEqual([null, true]);
  });

  it("names the reason for which a sign-in is rejected, and the call that admits the user", async () => {
    const open = await createAdministration();
    const byInvitation = await createAdministration({ access_mode: "invite" });
    const byDomain = await createAdministration({ access_mode: "domain", domains: ["aster.example"] });
    const revoked = freshEmail();
    const { id } = await inviteAddress(open, revoked, { send_mail: false });
    await open.owner.call("POST", `${invitationsPath}/${id}/revoke`);
    const denied = await open.member({ state: "denied", reason: "admin" });
    const pending = await byInvitation.member({ state: "pending" });
    const cases: [Administration, string, string, string][] = [
      [open, revoked, "invitation invitation_revoked", "access_denied"],
      [open, denied.email, "membership access_denied", "access_denied"],
      [byInvitation, freshEmail(), "join_rule access_pending", "access_pending"],
      [byInvitation, pending.email, "join_rule access_pending", "access_pending"],
      [byDomain, freshEmail(), "join_rule access_denied", "access_denied"],
    ];
    for (const [administration, email, failure, refusal] of cases) {
      const before = await reportOf(administration, email);
      expect([before.can_sign_in, failuresOf(before)], failure).toEqual([false, [failure]]);
      expect((await tryToSignIn(administration, email)).status).toBe(403);
      const refused = await reportOf(administration, email);
      expect(refused.last_refusals.map(({ code }) => code)).toEqual([refusal]);
      await applyChange(administration, refused);
      const after = await reportOf(administration, email);
      expect([after.can_sign_in, failuresOf(after)], failure).toEqual([true, []]);
      expect((await tryToSignIn(administration, email)).status).toBe(200);
    }
  });

  it("has the last five of six refusals, newest first", async () => {
    const administration = await createAdministration();
    const { company } = administration;
    const email = freshEmail();
    const codes = ["first", "second", "third", "fourth", "fifth", "sixth"];
    for (const [at, failure_reason] of codes.entries())
      await storeEntry(company.id, {
        event_type: "identity.auth.login.failed",
        outcome: "failure",
        user_email: email,
        data: JSON.stringify({ failure_reason }),
        created_at: Date.now() - 60_000 + at * 1000,
      });
    const { last_refusals } = await reportOf(administration, email);
    expect(last_refusals.map(({ code }) => code)).toEqual(codes.toReversed().slice(0, 5));
  });

  it("suggests calls in the company of the report to staff with a session in another company", async () => {
    const reported = await createAdministration({ access_mode: "invite" });
    const other = await createAdministration();
    const staff = await other.actor({ staff: true });
    const revoked = freshEmail();
    const { id } = await inviteAddress(reported, revoked, { send_mail: false });
    await reported.owner.call("POST", `${invitationsPath}/${id}/revoke`);
    const denied = await reported.member({ state: "denied", reason: "admin" });
    for (const email of [revoked, denied.email, freshEmail()]) {
      const { body } = await staff.call("GET", `/api/v1/access?email=${email}&company_id=${reported.company.id}`);
      await applyChange({ ...reported, owner: staff }, body as unknown as Report);
    }
    expect((await other.owner.call("GET", invitationsPath)).body.count).toBe(0);
    expect((await reported.owner.call("GET", invitationsPath)).body.count).toBe(1);
    expect((await reportOf(reported, denied.email)).can_sign_in).toBe(true);
  });

  it("names an inactive account, a missing sign-in method, and a directory's decision, which no call can change", async () => {
    const administration = await createAdministration();
    const { owner, member, mailbox } = administration;
    const inactive = await member({ active: false });
    expect(failuresOf(await reportOf(administration, inactive.email))).toEqual(["account account_inactive"]);
    const byDirectory = await member({ state: "denied", reason: "scim" });
    const report = await reportOf(administration, byDirectory.email);
    expect(report.checks.find(({ ok }) => ok === false)).toEqual({
      check: "membership",
      ok: false,
      code: "access_denied",
      change: null,
    });
    const email = freshEmail();
    await owner.call("PATCH", "/api/v1/auth-methods", { enable_magic_link: false });
    const closed = await reportOf(administration, email);
    expect(failuresOf(closed)).toEqual(["methods no_sign_in_method"]);
    await applyChange(administration, closed);
    expect((await reportOf(administration, email)).can_sign_in).toBe(true);
    // The company cannot change a setting of the deployment.
    const withoutLinks = callAs(identityEnv(mailbox, { MAGIC_LINK_ENABLED: "false" }), owner.token);
    const { checks } = (await withoutLinks("GET", `/api/v1/access?email=${email}`)).body as unknown as Report;
    expect(checks[1]).toEqual({ check: "methods", ok: false, code: "no_sign_in_method", change: null });
  });

  it("does not show accounts of other companies to owners", async () => {
    const [first, second] = [await createAdministration(), await createAdministration()];
    const stranger = await second.member();
    await changeUser(stranger.id, { is_active: false });
    expect(await reportOf(first, stranger.email)).toMatchObject({ user_id: null, can_sign_in: true });
    expect(codeOf(await first.owner.call("GET", `/api/v1/users/${stranger.id}/access`))).toEqual([404, "not_found"]);
    const staff = await first.actor({ staff: true });
    const { body } = await staff.call("GET", `/api/v1/users/${stranger.id}/access`);
    expect(failuresOf(body as unknown as Report)).toEqual(["account account_inactive"]);
  });

  it("shows a reached limit without using it up, and a suppression that the email service reports", async () => {
    const administration = await createAdministration();
    const { owner, mailbox, company } = administration;
    const limited = identityEnv(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: "2/h" });
    const email = freshEmail();
    const report = async () =>
      (await callAs(limited, owner.token)("GET", `/api/v1/access?email=${email}`)).body as unknown as Report;
    for (let at = 0; at < 3; at += 1) expect(failuresOf(await report())).toEqual([]);
    for (let at = 0; at < 2; at += 1) await requestLink(limited, mailbox, company, email);
    expect(failuresOf(await report())).toEqual(["limits rate_limited"]);
    const calls: { url: string; authorization: string | null }[] = [];
    const row = { id: 9, reason: "hard_bounce", lanes: [], expires_at: null };
    const emailService = {
      fetch: async (url: string, init: RequestInit) => {
        calls.push({ url, authorization: new Headers(init.headers).get("authorization") });
        return Response.json({ suppressions: [{ ...row, id: 8, reason: "complaint" }, row] });
      },
    };
    const suppressing = { ...identityEnv(mailbox), EMAIL: emailService as unknown as Fetcher };
    const response = await callIdentity(suppressing, `/api/v1/access?email=${freshEmail()}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const { checks, can_sign_in } = await response.json<Report>();
    expect([can_sign_in, checks.at(-1)]).toEqual([
      true,
      {
        check: "mail",
        ok: false,
        code: "recipient_suppressed",
        change: { method: "DELETE", path: `/email/api/v1/suppressions/9?company_id=${company.id}` },
      },
    ]);
    expect(calls).toEqual([
      { url: expect.stringContaining(`company_id=${company.id}&email=`), authorization: `Bearer ${owner.token}` },
    ]);
  });

  it("shows whether an invitation is pending or expired", async () => {
    const administration = await createAdministration();
    const [open, over] = [freshEmail(), freshEmail()];
    await storeInvitation(administration.company, { email: open });
    await storeInvitation(administration.company, { email: over, expires_at: 3 });
    for (const [email, code] of [
      [open, "pending"],
      [over, "expired"],
    ] as const) {
      const { checks } = await reportOf(administration, email);
      expect(checks.find(({ check }) => check === "invitation")).toMatchObject({ ok: true, code });
    }
  });

  it("rejects a missing or malformed address", async () => {
    const { owner } = await createAdministration();
    for (const [query, code] of [
      ["", "required"],
      ["email=mina", "invalid_format"],
    ]) {
      const { status, body } = await owner.call("GET", `/api/v1/access?${query}`);
      expect([status, body.field_errors]).toEqual([400, { email: [code] }]);
    }
  });
});
