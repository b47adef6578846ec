import { beforeAll, expect, it } from "vitest";
import { identityErrors } from "../../schemas/identity/errors";
import { app } from "../../workers/identity/app";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  signIn,
} from "../support/identity";
import { type ApiDocument, checkOperation, operationsOf, type Subject } from "../support/route-check";

const document = app.getOpenAPI31Document({
  openapi: "3.1.0",
  info: { title: "", version: "" },
}) as unknown as ApiDocument;
const vars = {
  AUTH_RATE_LIMIT_MAGIC_LINK: "off",
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "off",
  AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "off",
  // No call of the check may delete the account that it calls with; account-deletion.test.ts has the bodies.
  ACCOUNT_DELETE_MAX_AUTH_AGE: "0.001",
  AUTH_RATE_LIMIT_PAT: "off",
};
const env = identityEnv(createMailbox(), vars);
let subject: Subject;

beforeAll(async () => {
  const mailbox = createMailbox();
  const company = await createCompany();
  const email = freshEmail();
  await createUser({ email, company: company.id, owner: true });
  const owner = (await signIn(identityEnv(mailbox), mailbox, company, email)).access_token;
  const member = (await signIn(identityEnv(mailbox), mailbox, company, freshEmail())).access_token;
  subject = {
    document,
    errors: identityErrors,
    bearers: [member, owner],
    bases: {
      "/api/v1/magic-link/request": { company_id: company.id, email: freshEmail(), redirect_to: company.origin },
      "/api/v1/magic-link/verify": { token: "x".repeat(43), company_id: company.id },
      "/api/v1/oauth/session": { auth_code: "x".repeat(43), redirect_to: company.origin },
      "/api/v1/user": { name: "Mina", data: { team: "blue" } },
      "/api/v1/preferences": { language: "fr" },
      "/api/v1/auth-methods": { enable_magic_link: true },
      "/api/v1/oauth-clients": { provider: "github", client_id: "Iv1.example" },
      "/api/v1/oauth-clients/{id}": { label: "GitHub" },
      "/api/v1/users/{id}": { first_name: "Mina" },
      "/api/v1/companies": { name: "Aster" },
      "/api/v1/companies/{id}": { name: "Aster" },
      "/api/v1/oauth-redirects": { base_url: "https://app.example.com" },
      "/api/v1/oauth-redirects/{id}": { label: "App" },
      "/api/v1/hosting-oauth-redirects": { base_url: "https://app.example.com" },
      "/api/v1/personal-access-tokens": { name: "Nightly report", expires_in: 600 },
      "/api/v1/personal-access-tokens/{id}": { name: "Weekly report" },
    },
    ids: {
      "/api/v1/users/{id}": await createUser({ email: freshEmail(), company: company.id }),
      "/api/v1/companies/{id}": company.id,
    },
    call: (method, path, { bearer, body, type }) =>
      callIdentity(env, path, {
        method: method.toUpperCase(),
        headers: {
          ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
          ...(type ? { "content-type": type } : {}),
        },
        ...(body === undefined || method === "get" ? {} : { body }),
      }),
  };
});

it.each(operationsOf(document).map(({ method, path, operation }) => [method, path, operation] as const))(
  "%s %s answers its refusals and any bad input with a documented code",
  async (method, path, operation) => {
    await checkOperation(subject, method, path, operation);
  },
  60_000,
);

it("shows that the company of a link request and of the form may stand in the query", () => {
  for (const path of ["/api/v1/magic-link/request", "/api/v1/magic-link/verify"]) {
    expect(document.paths[path]?.post?.parameters).toContainEqual(
      expect.objectContaining({ name: "company_id", in: "query", required: false }),
    );
  }
});
