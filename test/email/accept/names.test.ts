import { afterEach, expect, it, vi } from "vitest";
import { company_profiles } from "../../../db/email/schema";
import { createCompany, createKey, magicLink, startEmail } from "../../support/email/email";
import { insertRow } from "../../support/email/rows";

afterEach(() => vi.unstubAllGlobals());

/** Sends a sign-in mail with these variables and returns it as the provider receives it. */
async function mailOf(company: number, variables: Record<string, string>, overrides: object = {}) {
  const posted: { subject: string; html: string; text: string }[] = [];
  vi.stubGlobal("fetch", async (_url: unknown, init: RequestInit = {}) => {
    posted.push(JSON.parse(String(init.body)));
    return Response.json({ id: "prov-1" });
  });
  const email = await startEmail({ vars: { EMAIL_DELIVER_SYNC: "true" } });
  const { key } = await createKey();
  const link = { magic_link_url: "https://auth.example.com/v", ...variables };
  const response = await email.call("/api/v1/send", {
    bearer: key,
    json: magicLink(company, { variables: link, ...overrides }),
  });
  expect(response.status).toBe(202);
  const [mail] = posted;
  if (!mail) throw new Error("nothing was sent");
  return mail;
}

it.each([
  ["\u202eAster\u200b", "Sign in to Aster"],
  ["Aster: https://evil.example/x", "Sign in to Aster https evil example x"],
  ["help@evil.example", "Sign in to help evil example"],
])("shows a company named %j as %j in the subject", async (company_name, subject) => {
  const mail = await mailOf(createCompany(), { company_name, recipient_name: "Mi\u200bna www.evil.example" });
  expect(mail.subject).toBe(subject);
  expect(mail.text).toContain("Mina www evil example");
  expect(mail.text + mail.html).not.toContain("evil.example");
});

it.each(["www.evil.example/login?@a.example", "evil.example/x@a.example", "www.evil.example@a.example"])(
  "replaces the invited user's address %j with the reader's, because mail clients would turn it into a link",
  async (recipient_email) => {
    const variables = { invitation_url: "https://auth.example.com/v", recipient_email };
    const invitation = { template_key: "identity.user.invited", variables: { company_name: "Aster", ...variables } };
    const { html, text } = await mailOf(createCompany(), {}, invitation);
    expect(text).toContain("Mina@example.com was invited");
    expect(html + text).not.toContain("evil.example");
  },
);

it("sanitizes a stored company name before it is shown", async () => {
  const company = createCompany();
  await insertRow(company_profiles, { company_id: company, name: "Evil.example\u202e", updated_at: 1 });
  expect((await mailOf(company, {})).subject).toBe("Sign in to Evil example");
});

it("sanitizes the name of a webhook in a mail that links to it", async () => {
  const variables = {
    rule_name: "Bot\u200b: https://evil.example/x",
    action_url: "https://app.aster.example/admin/webhooks/hosting/1",
  };
  const failingWebhook = {
    template_key: "identity.action_rule.failing",
    variables: { company_name: "Aster", ...variables },
  };
  const { html, text } = await mailOf(createCompany(), {}, failingWebhook);
  expect(text).toContain("Bot https evil example x keeps failing");
  expect(html + text).not.toContain("evil.example");
  expect(html).toMatch(
    /<a [^>]*href="https:\/\/app\.aster\.example\/admin\/webhooks\/hosting\/1"[^>]*>Check the webhook<\/a>/,
  );
  expect(text).toContain("https://app.aster.example/admin/webhooks/hosting/1");
});
