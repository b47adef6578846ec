import { createExecutionContext } from "cloudflare:test";
import { eq, lt, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { mail_outbox, users } from "../../../db/identity/schema";
import worker, { IdentityRpc } from "../../../workers/identity/worker";
import { codeOf, createAdministration } from "../../support/identity/administration";
import { createMailbox, freshEmail, identityEnv } from "../../support/identity/identity";
import { tryToSignIn } from "../../support/identity/invitations";
import { changeCompany, storeEntries, storeEntry, storeInvitation, updateRows } from "../../support/identity/rows";
import { createDirectory } from "../../support/identity/scim";
import { tick } from "../../support/jobs/jobs";
import {
  countsOf,
  entryOf,
  type Overview,
  reportOf,
  storeDeadDelivery,
  storeFailingRule,
} from "../../support/overview";

type Administration = Awaited<ReturnType<typeof createAdministration>>;
type Caller = Pick<Administration["owner"], "call">;

async function read<T>({ call }: Caller, path: string): Promise<T> {
  const { status, body } = await call("GET", path);
  expect(status, path).toBe(200);
  return body as T;
}

const overviewOf = (caller: Caller, query = "") => read<Overview>(caller, `/api/v1/overview${query}`);

/** Returns the count of the list that an entry names. */
const listedBy = async (caller: Caller, overview: Overview, code: string) =>
  (await read<{ count: number }>(caller, entryOf(overview, code).list?.path ?? "")).count;

/** Stores the event of a mail that the email service has refused. */
const storeRefusedMail = (company: number, reason = "http_409", created_at = Date.now()) =>
  storeEntry(company, {
    event_type: "identity.membership.mail_failed",
    data: JSON.stringify({ failure_reason: reason }),
    created_at,
  });

it("counts refused sign-ins, join requests, refused mails to owners and failing webhooks of the company", async () => {
  const administration = await createAdministration({ access_mode: "invite" });
  const { owner, company, member } = administration;
  for (const _ of [1, 2]) await tryToSignIn(administration, freshEmail());
  await member({ state: "denied" });
  await storeEntry(company.id, {
    event_type: "identity.auth.login.failed",
    outcome: "failure",
    created_at: Date.now() - 3_700_000,
  });
  await storeRefusedMail(company.id);
  await storeRefusedMail(company.id, "http_422");
  await storeRefusedMail(company.id, "http_409", Date.now() - 86_500_000);
  await storeDeadDelivery(company.id, await storeFailingRule(company.id));
  const overview = await overviewOf(owner);
  expect(countsOf(overview)).toEqual({
    webhooks_failing: 1,
    deliveries_dead: 1,
    sign_ins_refused: 2,
    join_requests_pending: 2,
    mails_refused: 1,
  });
  for (const code of ["webhooks_failing", "deliveries_dead", "sign_ins_refused", "join_requests_pending"]) {
    expect(await listedBy(owner, overview, code), code).toBe(entryOf(overview, code).count);
  }
  expect(entryOf(overview, "mails_refused").list?.path).toContain("event_type=identity.membership.mail_failed");
});

it("counts a mail to the owners that the email service refused until its deadline, and lists its event", async () => {
  const { owner, company } = await createAdministration();
  const mailbox = createMailbox();
  // The job also sends mails that other tests have queued.
  const refuse: typeof mailbox.fetch = async (url, init) =>
    (JSON.parse(String(init.body)) as { company_id: number }).company_id === company.id
      ? Response.json({ error_code: "platform_sender_not_allowed" }, { status: 409 })
      : mailbox.fetch(url, init);
  const env = identityEnv({ ...mailbox, fetch: refuse });
  const rule = {
    rule_id: 5,
    rule_name: "Deploy bot",
    rule_event_type: "hosting.app.created",
    host: "hooks.example.com",
    ...{ failing_since: null, attempts: 0, waiting: 0, last_status: "" },
  };
  const notice = { service: "hosting", company_id: company.id, notice_at: 1, ...rule } as const;
  await new IdentityRpc(createExecutionContext(), env).notifyOwners({ notices: [notice] });
  await tick(worker, env);
  expect(countsOf(await overviewOf(owner))).toEqual({});
  // The mail is retried until its deadline.
  await updateRows(mail_outbox, { deadline_at: 1, next_at: 1 }, eq(mail_outbox.company_id, company.id));
  await tick(worker, env);
  const overview = await overviewOf(owner);
  expect(countsOf(overview)).toEqual({ mails_refused: 1 });
  const { path } = entryOf(overview, "mails_refused").list ?? { path: "" };
  const { results } = await read<{ results: { data: object }[] }>(owner, path);
  expect(results).toMatchObject([{ data: { failure_reason: "http_409" } }]);
});

it("compares the oldest event with the retention of the company", async () => {
  const { owner, company } = await createAdministration();
  await storeEntry(company.id, { created_at: Date.now() - 9 * 86_400_000 });
  expect(countsOf(await overviewOf(owner))).toEqual({ stale_events: 1 });
  await changeCompany(company.id, { data_retention_days: 30 });
  expect(countsOf(await overviewOf(owner))).toEqual({});
});

it("shows staff one company or all companies, and rejects owners who ask for others", async () => {
  const [first, second] = [await createAdministration({ access_mode: "invite" }), await createAdministration()];
  await tryToSignIn(first, freshEmail());
  await storeRefusedMail(first.company.id);
  const staff = await second.actor({ staff: true });
  expect(countsOf(await overviewOf(staff))).toEqual({});
  const ofFirst = { sign_ins_refused: 1, join_requests_pending: 1, mails_refused: 1 };
  expect(countsOf(await overviewOf(staff, `?company_id=${first.company.id}`))).toEqual(ofFirst);
  const all = await overviewOf(staff, "?all=true");
  for (const code of Object.keys(ofFirst)) {
    const companies = entryOf(all, code).companies ?? [];
    expect(companies.find(({ company_id }) => company_id === first.company.id)?.count, code).toBe(1);
  }
  const path = "/api/v1/overview";
  expect(codeOf(await first.owner.call("GET", `${path}?all=true`))).toEqual([403, "forbidden"]);
  expect(codeOf(await first.owner.call("GET", `${path}?company_id=${second.company.id}`))).toEqual([
    403,
    "company_mismatch",
  ]);
  expect(codeOf(await staff.call("GET", `${path}?all=true&company_id=1`))).toEqual([400, "validation_failed"]);
  expect(codeOf(await staff.call("GET", `${path}?company_id=999999999`))).toEqual([404, "not_found"]);
});

it("reads at most 1,000 entries of the last hour and says so", async () => {
  const { owner, company } = await createAdministration();
  const created_at = sql`${Date.now() - 60_000} + i`;
  await storeEntries(company.id, 1500, { event_type: "identity.auth.login.failed", outcome: "failure", created_at });
  expect(entryOf(await overviewOf(owner), "sign_ins_refused")).toMatchObject({ is_capped: true });
});

it("lists join requests in pages, searches them, and rejects other states as a filter", async () => {
  const { owner, member } = await createAdministration();
  const pending = [await member({ state: "pending" }), await member({ state: "pending" })];
  await member();
  const list = (query: string) =>
    read<{ count: number; results: { id: number }[] }>(owner, `/api/v1/users?access_state=pending${query}`);
  const newestFirst = pending.map(({ id }) => id).toReversed();
  const all = await list("");
  expect([all.count, all.results.map(({ id }) => id)]).toEqual([2, newestFirst]);
  expect((await list(`&q=${pending[0]?.email}`)).results.map(({ id }) => id)).toEqual([pending[0]?.id]);
  const { status, body } = await owner.call("GET", "/api/v1/users?access_state=denied");
  expect([status, body.field_errors]).toEqual([400, { access_state: ["invalid"] }]);
});

it("counts open invitations whose mail failed, and lists them", async () => {
  const { owner, company, actor } = await createAdministration();
  const [failed, expired] = [
    await storeInvitation(company, { mail_state: "failed" }),
    await storeInvitation(company, { mail_state: "expired" }),
  ];
  await storeInvitation(company, { mail_state: "sent" });
  await storeInvitation(company, { mail_state: "failed", expires_at: 3 });
  await storeInvitation(company, { mail_state: "failed", status: "revoked" });
  const overview = await overviewOf(owner);
  expect(countsOf(overview)).toEqual({ invitation_mails_failed: 2 });
  const { path } = entryOf(overview, "invitation_mails_failed").list ?? { path: "" };
  const { results } = await read<{ results: { id: string; mail_state: string }[] }>(owner, path);
  expect(results.map(({ id }) => id).toSorted()).toEqual([failed, expired].toSorted());
  expect(results.map(({ mail_state }) => mail_state)).toEqual(["failed", "failed"]);
  const staff = await actor({ staff: true });
  const { companies = [] } = entryOf(await overviewOf(staff, "?all=true"), "invitation_mails_failed");
  expect(companies.find(({ company_id }) => company_id === company.id)?.count).toBe(2);
});

it("counts changes that the directory requested and that were rejected", async () => {
  const { owner, scim, company, actor } = await createDirectory();
  await scim("POST", "/Users", { userName: "" });
  await scim("POST", "/Users", { userName: freshEmail() });
  const overview = await overviewOf(owner);
  expect(countsOf(overview)).toEqual({ directory_changes_rejected: 1 });
  const { path } = entryOf(overview, "directory_changes_rejected").list ?? { path: "" };
  expect(await read(owner, path)).toMatchObject({ count: 1, results: [{ ok: false, code: "validation_failed" }] });
  const staff = await actor({ staff: true });
  const { companies = [] } = entryOf(await overviewOf(staff, "?all=true"), "directory_changes_rejected");
  expect(companies.find(({ company_id }) => company_id === company.id)?.count).toBe(1);
});

it("reports the counts of all companies and the health of the jobs to the job watch", async () => {
  const { env, company, actor } = await createAdministration();
  await storeRefusedMail(company.id);
  const staff = await actor({ staff: true });
  const overview = await overviewOf(staff, "?all=true");
  const jobs = await read<Parameters<typeof reportOf>[1]>(staff, "/api/v1/scheduled-jobs");
  const report = await new IdentityRpc(createExecutionContext(), env).operationsReport();
  expect(report).toEqual(reportOf(overview, jobs));
  expect(report.entries.find(({ code }) => code === "mails_refused")?.count).toBeGreaterThanOrEqual(1);
});

it("lists at most 50 active staff users with their languages", async () => {
  const { env, member } = await createAdministration();
  const [french, inactive] = [await member({ staff: true, language: "fr" }), await member({ staff: true })];
  await updateRows(users, { is_active: false }, eq(users.id, inactive.id));
  // Other tests of the file leave staff behind, so those of this test are made the oldest accounts.
  await updateRows(users, { is_staff: false }, lt(users.id, french.id));
  const staff = await new IdentityRpc(createExecutionContext(), env).staff();
  expect(staff).toEqual([{ id: french.id, email: french.email, language: "fr" }]);
});
