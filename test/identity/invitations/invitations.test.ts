import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { invitations } from "../../../db/identity/schema";
import { callAs, codeOf, createAdministration } from "../../support/identity/administration";
import { freshEmail, identityEnv } from "../../support/identity/identity";
import {
  type Invitation,
  invitationsPath,
  inviteAddress,
  mailsTo,
  readInvitation,
} from "../../support/identity/invitations";
import { countRows, deleteRows, entriesOf, storeGroup, storeInvitation, updateRows } from "../../support/identity/rows";

const DAY_MS = 86_400_000;
const unknown = "0b0f4a4e-7c1d-4f0b-9a51-0d7f6a1f3c21";

/** Returns the addresses of a list of invitations. */
const addressesOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.results as Invitation[]).map(({ email }) => email);

describe("invitations", () => {
  it("are stored with their groups, mailed with a link, and reported by an event", async () => {
    const administration = await createAdministration({ access_mode: "invite" });
    const { owner, mailbox, company } = administration;
    const group = await storeGroup(company);
    const email = freshEmail();
    const body = { email: ` ${email.toUpperCase()} `, language: "fr", group_ids: [group.toUpperCase(), group] };
    const { status, body: created } = await owner.call("POST", invitationsPath, body);
    expect([status, created]).toEqual([
      201,
      {
        id: expect.any(String),
        email,
        language: "fr",
        status: "pending",
        app_url: `${company.origin}/login`,
        group_ids: [group],
        invited_by: { id: owner.id, email: owner.email, name: "Mina" },
        mail_state: "queued",
        created_at: expect.any(String),
        expires_at: expect.any(String),
        accepted_at: null,
        revoked_at: null,
      },
    ]);
    expect(Date.parse(String(created.expires_at)) - Date.parse(String(created.created_at))).toBe(14 * DAY_MS);
    expect(await readInvitation(administration, String(created.id))).toEqual({ ...created, mail_state: "sent" });
    const [mail, ...others] = mailsTo(mailbox, email, "identity.user.invited");
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ company_id: company.id, language: "fr", ttl_seconds: 300 });
    expect(mail?.variables).toMatchObject({
      inviter_name: "Mina",
      recipient_email: email,
      link_lifetime: expect.stringMatching(/^14\sjours$/),
    });
    expect(mail?.variables.invitation_url).toMatch(/\/api\/v1\/invitations\/open\?token=[\w-]{43}$/);
    const [event] = await entriesOf(company.id, "identity.user.invited");
    const data = { email, inviter_name: "Mina", invitation_id: created.id, language: "fr" };
    expect([event?.user_id, JSON.parse(event?.data ?? "")]).toEqual([owner.id, data]);
  });

  it("are listed newest first with the requested status, or open and revoked ones without a status", async () => {
    const administration = await createAdministration();
    const { owner } = administration;
    const states = ["open", "revoked", "expired", "accepted"] as const;
    const emails = Object.fromEntries(states.map((state) => [state, freshEmail()]));
    for (const state of states) {
      const { id } = await inviteAddress(administration, emails[state] ?? "", { send_mail: false });
      if (state === "revoked") await owner.call("POST", `${invitationsPath}/${id}/revoke`);
      if (state === "expired") await updateRows(invitations, { expires_at: 2 }, eq(invitations.id, id));
      if (state === "accepted")
        await updateRows(invitations, { status: "accepted", accepted_at: 2 }, eq(invitations.id, id));
    }
    const list = (query: string) => owner.call("GET", `${invitationsPath}?${query}`);
    expect((await list("")).body).toMatchObject({ count: 2, page: 1, next_cursor: null });
    expect(addressesOf(await list(""))).toEqual([emails.revoked, emails.open]);
    expect(addressesOf(await list("status=pending"))).toEqual([emails.open]);
    for (const state of ["revoked", "expired", "accepted"] as const)
      expect(addressesOf(await list(`status=${state}`))).toEqual([emails[state]]);
    const first = await list("page_size=1");
    expect(addressesOf(first)).toEqual([emails.revoked]);
    expect(addressesOf(await list(`page_size=1&cursor=${first.body.next_cursor}`))).toEqual([emails.open]);
    expect((await list("status=gone")).body).toMatchObject({ field_errors: { status: ["invalid"] } });
  });

  it("are not created for members, invited addresses, groups of other companies or invalid input", async () => {
    const administration = await createAdministration();
    const { owner, member, company } = administration;
    const mina = await member();
    const pending = await member({ state: "pending" });
    const email = freshEmail();
    const foreignGroup = await storeGroup({ id: company.id + 1 });
    await inviteAddress(administration, email);
    const rejected: [object, number, string, unknown?][] = [
      [{ email: mina.email }, 409, "already_member"],
      [{ email }, 409, "already_invited"],
      [{}, 400, "validation_failed", { email: ["required"] }],
      [{ email: "mina" }, 400, "validation_failed", { email: ["invalid_format"] }],
      [{ email: "m\u202eina@example.com" }, 400, "validation_failed", { email: ["invalid_format"] }],
      [{ email: freshEmail(), language: "de" }, 400, "validation_failed", { language: ["invalid"] }],
      [{ email: freshEmail(), group_ids: [foreignGroup] }, 400, "validation_failed", { group_ids: ["invalid"] }],
      [{ email: freshEmail(), group_ids: [unknown] }, 400, "validation_failed", { group_ids: ["invalid"] }],
      [{ email: freshEmail(), app_url: "https://evil.example/x" }, 400, "validation_failed", { app_url: ["invalid"] }],
      [{ email: freshEmail(), app_url: "javascript:alert(1)" }, 400, "validation_failed", { app_url: ["invalid"] }],
      [{ email: freshEmail(), send_mail: "no" }, 400, "validation_failed", { send_mail: ["invalid"] }],
    ];
    for (const [body, status, code, fields] of rejected) {
      const response = await owner.call("POST", invitationsPath, body);
      expect([response.status, response.body.error_code, response.body.field_errors], JSON.stringify(body)).toEqual([
        status,
        code,
        fields,
      ]);
    }
    expect(await countRows(invitations, eq(invitations.company_id, company.id))).toBe(1);
    await inviteAddress(administration, pending.email);
  });

  it("are listed by the state of their mail", async () => {
    const { owner, company } = await createAdministration();
    const stored = {
      queued: [await storeInvitation(company, { mail_state: "waiting" })],
      sent: [await storeInvitation(company, { mail_state: "sent" })],
      failed: [
        await storeInvitation(company, { mail_state: "failed" }),
        await storeInvitation(company, { mail_state: "expired" }),
      ],
    };
    await storeInvitation(company);
    for (const [state, ids] of Object.entries(stored)) {
      const { body } = await owner.call("GET", `${invitationsPath}?mail_state=${state}`);
      expect((body.results as Invitation[]).map(({ id }) => id).toSorted(), state).toEqual(ids.toSorted());
      expect(body.count).toBe(ids.length);
    }
    expect((await owner.call("GET", `${invitationsPath}?mail_state=failed&status=revoked`)).body.count).toBe(0);
    const { status, body } = await owner.call("GET", `${invitationsPath}?mail_state=waiting`);
    expect([status, body.field_errors]).toEqual([400, { mail_state: ["invalid"] }]);
  });

  it("require `app_url` when the allowlist is empty", async () => {
    const administration = await createAdministration();
    const { owner } = administration;
    const [redirect] = (await owner.call("GET", "/api/v1/oauth-redirects")).body.results as { id: string }[];
    await owner.call("DELETE", `/api/v1/oauth-redirects/${redirect?.id}`);
    const { body } = await owner.call("POST", invitationsPath, { email: freshEmail() });
    expect(body.field_errors).toEqual({ app_url: ["required"] });
    await inviteAddress(administration, freshEmail(), { app_url: "http://localhost:3000/welcome" });
    const long = { email: freshEmail(), app_url: `http://localhost:3000/${"é".repeat(1000)}` };
    expect((await owner.call("POST", invitationsPath, long)).body.field_errors).toEqual({ app_url: ["too_long"] });
  });

  it("return a result for each item of a batch, in order, and store only the valid items", async () => {
    const administration = await createAdministration();
    const { owner, member, company } = administration;
    const mina = await member();
    const [first, second] = [freshEmail(), freshEmail()];
    const items = [
      { email: first },
      { email: mina.email },
      { email: "x" },
      7,
      { email: first },
      { email: second, group_ids: [unknown] },
      { email: second, language: "fr" },
    ];
    const { status, body } = await owner.call("POST", `${invitationsPath}/batch`, {
      invitations: items,
      send_mail: false,
    });
    expect(status).toBe(200);
    const invited = (email: string) => ({
      status: 201,
      invitation: expect.objectContaining({ email, mail_state: null, invitation_url: expect.any(String) }),
    });
    expect(body.results).toEqual([
      invited(first),
      { status: 409, error_code: "already_member" },
      { status: 400, error_code: "validation_failed", field_errors: { email: ["invalid_format"] } },
      { status: 400, error_code: "validation_failed", field_errors: { body: ["invalid"] } },
      { status: 409, error_code: "already_invited" },
      { status: 400, error_code: "validation_failed", field_errors: { group_ids: ["invalid"] } },
      invited(second),
    ]);
    expect(await countRows(invitations, eq(invitations.company_id, company.id))).toBe(2);
    expect(await entriesOf(company.id, "identity.user.invited")).toHaveLength(2);
    for (const [invalidItems, code] of [
      [[], "required"],
      [Array.from({ length: 201 }, () => ({ email: first })), "too_many"],
    ] as const) {
      const rejected = await owner.call("POST", `${invitationsPath}/batch`, { invitations: invalidItems });
      expect(rejected.body.field_errors).toEqual({ invitations: [code] });
    }
  });

  it("count against the limit of the company, each item of a batch as one", async () => {
    const administration = await createAdministration();
    const { owner: signedIn, mailbox } = administration;
    const limited = identityEnv(mailbox, { AUTH_RATE_LIMIT_INVITATION: "3/h" });
    const owner = { ...signedIn, call: callAs(limited, signedIn.token) };
    const items = (count: number) => Array.from({ length: count }, () => ({ email: freshEmail() }));
    const batch = (count: number) =>
      owner.call("POST", `${invitationsPath}/batch`, { invitations: items(count), send_mail: false });
    expect((await batch(4)).body.field_errors).toEqual({ invitations: ["too_many"] });
    expect((await batch(2)).status).toBe(200);
    expect(codeOf(await batch(2))).toEqual([429, "rate_limited"]);
    const { id } = await inviteAddress({ ...administration, owner }, freshEmail(), { send_mail: false });
    expect(codeOf(await owner.call("POST", `${invitationsPath}/${id}/resend`))).toEqual([429, "rate_limited"]);
  });

  it("are sent again with a new link, which ends the old one", async () => {
    const administration = await createAdministration();
    const { owner, mailbox, company } = administration;
    const email = freshEmail();
    const { id, invitation_url: oldUrl, expires_at } = await inviteAddress(administration, email, { send_mail: false });
    await updateRows(invitations, { expires_at: Date.parse(expires_at) - DAY_MS }, eq(invitations.id, id));
    const { status, body } = await owner.call("POST", `${invitationsPath}/${id}/resend`);
    expect([status, body]).toEqual([200, expect.objectContaining({ id, mail_state: "queued", status: "pending" })]);
    expect(body).not.toHaveProperty("invitation_url");
    expect(Date.parse(String(body.expires_at))).toBeGreaterThanOrEqual(Date.parse(expires_at));
    const [mail] = mailsTo(mailbox, email, "identity.user.invited");
    expect(mail?.variables.invitation_url).not.toBe(oldUrl);
    expect((await readInvitation(administration, id)).mail_state).toBe("sent");
    expect(await entriesOf(company.id, "identity.invitation.resent")).toHaveLength(1);
    await updateRows(invitations, { expires_at: 2 }, eq(invitations.id, id));
    expect(codeOf(await owner.call("POST", `${invitationsPath}/${id}/resend`))).toEqual([
      409,
      "invitation_not_pending",
    ]);
  });

  it("can be revoked once and the revocation lifted once; a new invitation also lifts a revocation", async () => {
    const administration = await createAdministration();
    const { owner, company } = administration;
    const email = freshEmail();
    const { id } = await inviteAddress(administration, email, { send_mail: false });
    const path = `${invitationsPath}/${id}`;
    expect(codeOf(await owner.call("DELETE", path))).toEqual([409, "invitation_not_revoked"]);
    const revoked = await owner.call("POST", `${path}/revoke`);
    expect([revoked.status, revoked.body]).toEqual([
      200,
      expect.objectContaining({ id, status: "revoked", revoked_at: expect.any(String) }),
    ]);
    for (const action of ["revoke", "resend"])
      expect(codeOf(await owner.call("POST", `${path}/${action}`))).toEqual([409, "invitation_not_pending"]);
    expect((await owner.call("DELETE", path)).status).toBe(204);
    expect(codeOf(await owner.call("DELETE", path))).toEqual([404, "not_found"]);
    const second = await inviteAddress(administration, email, { send_mail: false });
    await owner.call("POST", `${invitationsPath}/${second.id}/revoke`);
    const third = await inviteAddress(administration, email, { send_mail: false });
    expect(codeOf(await owner.call("GET", `${invitationsPath}/${second.id}`))).toEqual([404, "not_found"]);
    expect((await readInvitation(administration, third.id)).status).toBe("pending");
    const [first] = await entriesOf(company.id, "identity.user.invitation_revoked");
    expect(JSON.parse(first?.data ?? "")).toEqual({ email, inviter_name: "Mina", invitation_id: id, language: "en" });
    expect(await entriesOf(company.id, "identity.invitation.lifted")).toHaveLength(1);
  });

  it("accept one of 20 parallel requests for the same address, and record one of 20 parallel revocations", async () => {
    const administration = await createAdministration();
    const { owner, company } = administration;
    const email = freshEmail();
    const inParallel = (call: () => Promise<{ status: number }>) => Promise.all(Array.from({ length: 20 }, call));
    const created = await inParallel(() => owner.call("POST", invitationsPath, { email, send_mail: false }));
    expect(created.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    const [invitation] = (await owner.call("GET", invitationsPath)).body.results as Invitation[];
    const revoked = await inParallel(() => owner.call("POST", `${invitationsPath}/${invitation?.id}/revoke`));
    expect(revoked.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(await entriesOf(company.id, "identity.user.invitation_revoked")).toHaveLength(1);
    await deleteRows(invitations, eq(invitations.company_id, company.id));
  });
});
