import { expect, it } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import worker from "../../../workers/identity/worker";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  type SentMail,
} from "../../support/identity/identity";
import { tick } from "../../support/jobs/jobs";

const key = "identity.membership.requested";

/** Asks for access twice and answers the mails to those who decide. */
async function askTwice(company: { id: number; origin: string }, email: string): Promise<SentMail[]> {
  const mailbox = createMailbox();
  // The doorbells are lost: the sweep finds what the batch has stored.
  const queue = { send: async () => undefined } as unknown as IdentityBindings["SERVICE_QUEUE"];
  const env = { ...identityEnv(mailbox), SERVICE_QUEUE: queue };
  for (let turn = 0; turn < 2; turn++) {
    const { token } = await requestLink(env, mailbox, company, email);
    const refused = await callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
    expect(refused.status).toBe(403);
  }
  await tick(worker, env);
  return mailbox.sent.filter(({ template_key, company_id }) => template_key === key && company_id === company.id);
}

async function listOf(company: number, people: Partial<Parameters<typeof createUser>[0]>[]) {
  const emails: string[] = [];
  for (const person of people) {
    const email = freshEmail();
    await createUser({ email, company, ...person });
    emails.push(email);
  }
  return emails;
}

it("mails every owner once when somebody asks for access for the first time", async () => {
  const company = await createCompany({ access_mode: "invite" });
  const owners = await listOf(company.id, [{ owner: true }, { owner: true }]);
  await listOf(company.id, [{ owner: true, active: false }, {}, { staff: true }]);
  const email = freshEmail();
  const mails = await askTwice(company, email);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.to.map((one) => one.email).sort()).toEqual(owners.sort());
  expect(mails[0]?.variables).toMatchObject({ requester_email: email });
});

it("mails the company's staff members where there is no owner, and nobody else's", async () => {
  const [company, other] = [await createCompany({ access_mode: "invite" }), await createCompany()];
  const [staff] = await listOf(company.id, [{ staff: true }]);
  await listOf(company.id, [{ staff: true, state: "pending" }, {}]);
  await listOf(other.id, [{ staff: true }]);
  const mails = await askTwice(company, freshEmail());
  expect(mails.map(({ to }) => to.map((one) => one.email))).toEqual([[staff]]);
});

it("stores the request also where there is nobody to ask", async () => {
  expect(await askTwice(await createCompany({ access_mode: "invite" }), freshEmail())).toEqual([]);
});
