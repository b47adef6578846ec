import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { oauth_redirects, preferences } from "../../../db/identity/schema";
import type { RuleNotice } from "../../../schemas/rpc";
import worker, { IdentityRpc } from "../../../workers/identity/worker";
import { createCompany, createMailbox, createUser, freshEmail, identityEnv } from "../../support/identity/identity";
import { insertRow, updateRows } from "../../support/identity/rows";
import { tick } from "../../support/jobs/jobs";
import { setUpWebhooks } from "../../support/webhooks/api";
import { changeRule } from "../../support/webhooks/rows";

const key = "identity.action_rule.failing";

const createNotice = (company_id: number, notice_at: number): RuleNotice => ({
  service: "hosting",
  rule_id: 5,
  company_id,
  rule_name: "Deploy bot",
  rule_event_type: "hosting.app.created",
  host: "hooks.example.com",
  failing_since: 0,
  attempts: 9,
  waiting: 4,
  last_status: "HTTP 503",
  notice_at,
});

it("notifies owners once, by an event and by mail, of a webhook whose target returns 410", async () => {
  const { env, mailbox, company, owner, call, createRule } = await setUpWebhooks();
  const rule = await createRule({ name: "Bot" });
  await changeRule(rule.id, { health_reason: "gone" });
  for (let minute = 0; minute < 3; minute++) await tick(worker, env);
  const mails = mailbox.sent.filter(
    ({ template_key, company_id }) => template_key === key && company_id === company.id,
  );
  expect(mails).toMatchObject([
    {
      to: [{ email: owner.email, user_id: owner.id }],
      language: "en",
      variables: {
        rule_name: "Bot",
        rule_event_type: "identity.user.created",
        host: "hooks.example.com",
        occurred_at: expect.any(String),
      },
    },
  ]);
  const { results } = (await call("GET", `/event-log?event_type=${key}`)).body as { results: unknown[] };
  expect(results).toMatchObject([
    { event_type: key, label: "Webhook failing", data: { rule_id: rule.id, rule_name: "Bot", health_reason: "gone" } },
  ]);
  expect((await call("GET", `/rules/${rule.id}`)).body).toMatchObject({ health: "failing", health_reason: "gone" });
});

it("notifies the active owners of a company in their languages, once per notice of another service", async () => {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const [company, other] = [await createCompany(), await createCompany()];
  const user = async (companyId: number, options: Partial<Parameters<typeof createUser>[0]>, language?: string) => {
    const email = freshEmail();
    const user_id = await createUser({ email, company: companyId, ...options });
    if (language !== undefined) await insertRow(preferences, { user_id, language, updated_at: 1 });
    return email;
  };
  const english = [await user(company.id, { owner: true }), await user(company.id, { owner: true }, "en")];
  const french = await user(company.id, { owner: true }, "fr");
  await user(company.id, { owner: true, active: false });
  await user(company.id, {});
  await user(other.id, { owner: true });
  const rpc = new IdentityRpc(createExecutionContext(), env);
  const notifyOwners = (notices: readonly RuleNotice[]) => rpc.notifyOwners({ notices });
  // The mails must not link to this origin, because it is inactive.
  await updateRows(oauth_redirects, { is_active: false }, eq(oauth_redirects.company_id, company.id));
  const notice = createNotice(company.id, 1);
  await Promise.all([notifyOwners([notice]), notifyOwners([notice])]);
  await notifyOwners([notice, createNotice(company.id, 2)]);
  await tick(worker, env);
  const mails = mailbox.sent.filter(
    ({ template_key, company_id }) => template_key === key && company_id === company.id,
  );
  const sent = mails.map(
    ({ language, to }) =>
      `${language} ${to
        .map(({ email }) => email)
        .sort()
        .join()}`,
  );
  const both = [`en ${english.sort().join()}`, `fr ${french}`];
  expect(sent.sort()).toEqual([...both, ...both].sort());
  for (const { variables } of mails) expect(variables).not.toHaveProperty("action_url");
  expect(mailbox.sent.filter(({ company_id }) => company_id === other.id)).toEqual([]);
});

it("notifies the active owners of a company once that complaints paused its bulk mail", async () => {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  await createUser({ email, company: company.id, owner: true });
  await createUser({ email: freshEmail(), company: company.id });
  const rpc = new IdentityRpc(createExecutionContext(), env);
  const notice = { company_id: company.id, complaints: 4, sent: 1200, notice_at: 1 };
  await rpc.notifyOfPausedBulk({ notices: [notice] });
  await rpc.notifyOfPausedBulk({ notices: [notice] });
  await tick(worker, env);
  expect(mailbox.sent.filter(({ company_id }) => company_id === company.id)).toMatchObject([
    {
      template_key: "email.lane.paused",
      to: [{ email }],
      variables: { complaints: "4", sent_mails: "1200" },
    },
  ]);
});

it("notifies the active owners of a company once a day of a quota that is almost used up", async () => {
  const mailbox = createMailbox();
  const env = { ...identityEnv(mailbox), CONSOLE_URL: "https://app.example.com/admin" };
  const company = await createCompany();
  const owner = await createUser({ email: freshEmail(), company: company.id, owner: true });
  await insertRow(preferences, { user_id: owner, language: "fr", region: "Europe/Paris", updated_at: 1 });
  const rpc = new IdentityRpc(createExecutionContext(), env);
  const notice = { company_id: company.id, threshold: 80, used_bytes: 8, max_bytes: 10, notice_at: 1 };
  await rpc.notifyOfQuotas({ notices: [notice] });
  await rpc.notifyOfQuotas({ notices: [{ ...notice, notice_at: 2 }] });
  await tick(worker, env);
  expect(mailbox.sent.filter(({ company_id }) => company_id === company.id)).toMatchObject([
    {
      template_key: "storage.quota.threshold_reached",
      language: "fr",
      to: [{ user_id: owner, time_zone: "Europe/Paris" }],
      variables: { threshold: "80", used_bytes: "8", action_url: "https://app.example.com/admin/quotas" },
    },
  ]);
});

it("notifies the active owners of a company once per failure of a deployment", async () => {
  const mailbox = createMailbox();
  const env = { ...identityEnv(mailbox), CONSOLE_URL: "https://app.example.com/admin" };
  const company = await createCompany();
  const email = freshEmail();
  await createUser({ email, company: company.id, owner: true });
  const deployer = await createUser({ email: freshEmail(), company: company.id });
  const rpc = new IdentityRpc(createExecutionContext(), env);
  const failure = (notice_at: number) => ({
    company_id: company.id,
    app_id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
    deployment_id: crypto.randomUUID(),
    user_id: deployer,
    display_name: "Field Notes",
    app_version: "1.4.0",
    error: "artifact_extract_failed",
    notice_at,
  });
  const first = failure(1);
  await rpc.notifyOfFailedDeployments({ notices: [first] });
  await rpc.notifyOfFailedDeployments({ notices: [first, { ...first, notice_at: 2 }] });
  await tick(worker, env);
  const sent = mailbox.sent.filter(({ company_id }) => company_id === company.id);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toMatchObject({ template_key: "hosting.deployment.failed", to: [{ email }] });
  expect(sent[0]?.variables).toEqual({
    company_name: expect.any(String),
    display_name: "Field Notes",
    app_version: "1.4.0",
    error: "artifact_extract_failed",
    actor_name: "Mina",
    occurred_at: "1970-01-01T00:00:00.001Z",
    action_url: `https://app.example.com/admin/apps/${first.app_id}/deployments/${first.deployment_id}`,
  });
});
