import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { mail_outbox } from "../../../db/identity/schema";
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
import { entriesOf, readRows } from "../../support/identity/rows";
import { tick } from "../../support/jobs/jobs";

const key = "identity.membership.requested";

/** Requests access twice and returns the mails to the owners. */
async function requestTwice(
  company: { id: number; origin: string },
  email: string,
  responses: Response[] = [],
): Promise<SentMail[]> {
  const mailbox = createMailbox();
  // This queue loses its messages, so the sweep must find the stored mails.
  const queue = { send: async () => undefined } as unknown as IdentityBindings["SERVICE_QUEUE"];
  const env = { ...identityEnv(mailbox), SERVICE_QUEUE: queue, CONSOLE_URL: "https://app.example.com/admin" };
  for (let attempt = 0; attempt < 2; attempt++) {
    const { token } = await requestLink(env, mailbox, company, email);
    const response = await callIdentity(env, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
    expect(response.status).toBe(403);
  }
  const sweep = responses.length === 0 ? env : { ...env, EMAIL: identityEnv(createMailbox(responses)).EMAIL };
  await tick(worker, sweep);
  return mailbox.sent.filter(({ template_key, company_id }) => template_key === key && company_id === company.id);
}

async function createUsers(company: number, testUsers: Partial<Parameters<typeof createUser>[0]>[]) {
  const emails: string[] = [];
  for (const user of testUsers) {
    const email = freshEmail();
    await createUser({ email, company, ...user });
    emails.push(email);
  }
  return emails;
}

it("notifies every owner once by mail when a user requests access for the first time", async () => {
  const company = await createCompany({ access_mode: "invite" });
  const owners = await createUsers(company.id, [{ owner: true }, { owner: true, language: "en" }]);
  const [french = ""] = await createUsers(company.id, [{ owner: true, language: "fr" }]);
  await createUsers(company.id, [{ owner: true, active: false }, {}, { staff: true }]);
  const email = freshEmail();
  const mails = await requestTwice(company, email);
  const sent = mails.map(({ language, to }) => [language, to.map((recipient) => recipient.email).sort()]);
  expect(sent.sort()).toEqual([
    ["en", owners.sort()],
    ["fr", [french]],
  ]);
  const decision = "https://app.example.com/admin/people?access_state=pending";
  expect(mails[0]?.variables).toMatchObject({ requester_email: email, action_url: decision, review_url: decision });
});

it("notifies only the company's staff members by mail if there is no owner", async () => {
  const [company, other] = [await createCompany({ access_mode: "invite" }), await createCompany()];
  const [staff] = await createUsers(company.id, [{ staff: true }]);
  await createUsers(company.id, [{ staff: true, state: "pending" }, {}]);
  await createUsers(other.id, [{ staff: true }]);
  const mails = await requestTwice(company, freshEmail());
  expect(mails.map(({ to }) => to.map((recipient) => recipient.email))).toEqual([[staff]]);
});

it("fails an access mail after a permanent rejection, erases its content and writes an event", async () => {
  const company = await createCompany({ access_mode: "invite" });
  await createUsers(company.id, [{ owner: true }]);
  const refusals = Array.from({ length: 20 }, () => new Response(null, { status: 409 }));
  const email = freshEmail();
  await requestTwice(company, email, refusals);
  expect(await readRows(mail_outbox, eq(mail_outbox.company_id, company.id))).toMatchObject([
    { state: "failed", attempts: 1, sealed: null, last_error: "http_409" },
  ]);
  const [event] = await entriesOf(company.id, "identity.membership.mail_failed");
  expect(JSON.parse(event?.data ?? "")).toMatchObject({ failure_reason: "http_409" });
  expect(event?.data).not.toContain(email);
});

it("stores the access request when the company has nobody to notify", async () => {
  expect(await requestTwice(await createCompany({ access_mode: "invite" }), freshEmail())).toEqual([]);
});
