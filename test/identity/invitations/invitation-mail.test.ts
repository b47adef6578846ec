import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { invitations } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import worker from "../../../workers/identity/worker";
import { callAs, createAdministration } from "../../support/identity/administration";
import { createMailbox, freshEmail, identityEnv, type Mailbox } from "../../support/identity/identity";
import { invitationsPath, inviteAddress, mailsTo, readInvitation } from "../../support/identity/invitations";
import { readRows, updateRows } from "../../support/identity/rows";
import { tick } from "../../support/jobs/jobs";

const invited = "identity.user.invited";
const revoked = "identity.user.invitation_revoked";

/** Returns the environment with a mailbox, in which the queue loses its messages. */
function withoutQueue(mailbox: Mailbox, vars: Record<string, string> = {}): IdentityBindings {
  const queue = { send: async () => undefined, sendBatch: async () => undefined };
  return { ...identityEnv(mailbox, vars), SERVICE_QUEUE: queue as unknown as IdentityBindings["SERVICE_QUEUE"] };
}

/** Makes every waiting mail of invitations due. */
const makeDue = () => updateRows(invitations, { mail_next_at: 1 }, eq(invitations.mail_state, "waiting"));

it("resends an invitation mail with the same idempotency key after a failed connection, and never after a 422", async () => {
  const administration = await createAdministration();
  const { owner } = administration;
  const mailbox = createMailbox([new Error("no connection"), new Response(null, { status: 422 })]);
  const env = withoutQueue(mailbox);
  const call = callAs(env, owner.token);
  const ids: string[] = [];
  for (const email of [freshEmail(), freshEmail()])
    ids.push(String((await call("POST", invitationsPath, { email })).body.id));
  const states = async () => Promise.all(ids.map(async (id) => (await readInvitation(administration, id)).mail_state));
  expect(await states()).toEqual(["queued", "failed"]);
  await makeDue();
  await tick(worker, env);
  expect(await states()).toEqual(["sent", "failed"]);
  expect(mailbox.keys[0]).toBe(mailbox.keys[2]);
  const [row] = await readRows(invitations, eq(invitations.id, ids[0] ?? ""));
  expect(row).toMatchObject({ mail_sealed: null, mail_attempts: 2 });
});

it("keeps an invitation mail `queued` and counts no attempt when the email service returns 429", async () => {
  const administration = await createAdministration();
  const answers = [1, 2, 3].map(() => new Response(null, { status: 429, headers: { "retry-after": "7" } }));
  const mailbox = createMailbox(answers);
  const env = withoutQueue(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "600/min" });
  const call = callAs(env, administration.owner.token);
  const id = String((await call("POST", invitationsPath, { email: freshEmail() })).body.id);
  for (let round = 0; round < 2; round += 1) {
    await makeDue();
    await tick(worker, env);
  }
  const [row] = await readRows(invitations, eq(invitations.id, id));
  expect(row).toMatchObject({ mail_state: "waiting", mail_attempts: 0, mail_error: "http_429" });
  expect(Number(row?.mail_next_at) - Date.now()).toBeGreaterThan(5000);
  await makeDue();
  await tick(worker, env);
  expect((await readInvitation(administration, id)).mail_state).toBe("sent");
});

it("sends invitations at a third of the company's limit of sign-in links, without delaying another company's", async () => {
  const [large, small] = [await createAdministration(), await createAdministration()];
  const mailbox = createMailbox();
  const env = withoutQueue(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "9/min" });
  const batch = async ({ owner }: typeof large, count: number) => {
    const items = Array.from({ length: count }, () => ({ email: freshEmail() }));
    const { body } = await callAs(env, owner.token)("POST", `${invitationsPath}/batch`, { invitations: items });
    expect(body.results).toHaveLength(count);
  };
  await batch(large, 8);
  await batch(small, 2);
  const sentOf = ({ company }: typeof large) =>
    mailbox.sent.filter(({ company_id }) => company_id === company.id).length;
  for (let round = 0; round < 2; round += 1) {
    await makeDue();
    await tick(worker, env);
  }
  expect([sentOf(large), sentOf(small)]).toEqual([3, 2]);
  const rows = await readRows(invitations, eq(invitations.company_id, large.company.id));
  expect(rows.filter(({ mail_state }) => mail_state === "waiting")).toHaveLength(5);
  expect(Math.max(...rows.map(({ mail_attempts }) => mail_attempts))).toBe(1);
});

it("fails an invitation mail past its deadline, and sends none for an invitation that was revoked before", async () => {
  const administration = await createAdministration();
  const { owner } = administration;
  const mailbox = createMailbox([1, 2].map(() => new Response(null, { status: 503 })));
  const env = withoutQueue(mailbox);
  const call = callAs(env, owner.token);
  const [late, gone] = [freshEmail(), freshEmail()];
  const lateId = String((await call("POST", invitationsPath, { email: late })).body.id);
  const goneId = String((await call("POST", invitationsPath, { email: gone })).body.id);
  await updateRows(invitations, { mail_deadline_at: 2 }, eq(invitations.id, lateId));
  expect((await call("POST", `${invitationsPath}/${goneId}/revoke`)).body).toMatchObject({ mail_state: null });
  await makeDue();
  await tick(worker, env);
  expect((await readInvitation(administration, lateId)).mail_state).toBe("failed");
  expect(mailbox.sent).toEqual([]);
});

it("sends an invitation mail although more mails of the company expired than a run may send", async () => {
  const administration = await createAdministration();
  const { owner, company } = administration;
  const mailbox = createMailbox();
  const env = withoutQueue(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "9/min" });
  const items = Array.from({ length: 5 }, () => ({ email: freshEmail() }));
  const { body } = await callAs(env, owner.token)("POST", `${invitationsPath}/batch`, { invitations: items });
  const results = body.results as { invitation: { id: string } }[];
  const fresh = results.at(-1)?.invitation.id ?? "";
  await updateRows(invitations, { mail_next_at: 1, mail_deadline_at: 2 }, eq(invitations.company_id, company.id));
  const nextDay = Date.now() + 86_400_000;
  await updateRows(invitations, { mail_next_at: 2, mail_deadline_at: nextDay }, eq(invitations.id, fresh));
  await tick(worker, env);
  const states = results.map(
    async ({ invitation }) => (await readInvitation(administration, invitation.id)).mail_state,
  );
  expect(await Promise.all(states)).toEqual(["failed", "failed", "failed", "failed", "sent"]);
});

it("sends a mail about a revocation only if the invitation was mailed", async () => {
  const administration = await createAdministration();
  const { owner, mailbox, company } = administration;
  for (const [send_mail, count] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const email = freshEmail();
    const { id } = await inviteAddress(administration, email, { send_mail, language: "fr" });
    await owner.call("POST", `${invitationsPath}/${id}/revoke`);
    expect(mailsTo(mailbox, email, invited)).toHaveLength(count);
    const mails = mailsTo(mailbox, email, revoked);
    expect(mails).toHaveLength(count);
    if (count > 0)
      expect(mails[0]).toMatchObject({
        company_id: company.id,
        language: "fr",
        variables: { recipient_email: email, company_name: expect.any(String) },
      });
  }
});

it("are followed by a mail about the revocation also when they were sent again without a mail", async () => {
  const administration = await createAdministration();
  const { owner, mailbox } = administration;
  const email = freshEmail();
  const { id } = await inviteAddress(administration, email);
  await owner.call("POST", `${invitationsPath}/${id}/resend`, { send_mail: false });
  await owner.call("POST", `${invitationsPath}/${id}/revoke`);
  expect(mailsTo(mailbox, email, revoked)).toHaveLength(1);
});

it("stop being retried when an invitation ends within a day", async () => {
  const administration = await createAdministration();
  const mailbox = createMailbox([new Response(null, { status: 503 })]);
  const call = callAs(withoutQueue(mailbox, { INVITATION_LIFETIME: "1h" }), administration.owner.token);
  const { id } = (await call("POST", invitationsPath, { email: freshEmail() })).body;
  const [row] = await readRows(invitations, eq(invitations.id, String(id)));
  expect(row?.mail_deadline_at).toBe(row?.expires_at);
});

it("are sent in turns, so that the first mail of each company is sent before the last of any", async () => {
  const administrations = [await createAdministration(), await createAdministration()];
  const failures = Array.from({ length: 12 }, () => new Response(null, { status: 503 }));
  const vars = { AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "600/min" };
  const failing = withoutQueue(createMailbox(failures), vars);
  for (const { owner } of administrations)
    for (let at = 0; at < 6; at += 1)
      await callAs(failing, owner.token)("POST", invitationsPath, { email: freshEmail() });
  await makeDue();
  const mailbox = createMailbox();
  await tick(worker, withoutQueue(mailbox, vars));
  const ids = administrations.map(({ company }) => company.id);
  const companies = mailbox.sent.map(({ company_id }) => company_id).filter((id) => ids.includes(id));
  expect(companies).toHaveLength(12);
  // The job makes five attempts at once, which may end in any order.
  expect(new Set(companies.slice(0, 5)).size).toBe(2);
});
