import { beforeAll, it } from "vitest";
import { emailErrors } from "../../schemas/email/errors";
import { app } from "../../workers/email/app";
import { createKey, type EmailHarness, startEmail } from "../support/email";
import { startCompany } from "../support/email-admin";
import { type ApiDocument, checkOperation, operationsOf, type Subject } from "../support/route-check";

const document = app.getOpenAPI31Document({
  openapi: "3.1.0",
  info: { title: "", version: "" },
}) as unknown as ApiDocument;
const operations = operationsOf(document).map(({ method, path, operation }) => [method, path, operation] as const);
let email: EmailHarness;
let owner: Subject;
let service: Subject;

beforeAll(async () => {
  email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "100000/min" } });
  const company = await startCompany(email);
  const { key } = await createKey({ service: "identity", companies: [company.companyId] });
  const send = {
    company_id: company.companyId,
    template_key: "identity.user.created",
    variables: { company_name: "Aster" },
  };
  owner = {
    document,
    errors: emailErrors,
    bearers: [company.owner],
    bases: {
      "/api/v1/send": { ...send, to: [{ email: "mina@example.com" }] },
      "/api/v1/send/batch": { ...send, items: [{ to: { email: "mina@example.com" } }] },
      "/api/v1/provider": { provider: "api", from_email: "a@example.com", credentials: { api_key: "key" } },
      "/api/v1/privacy/erase": { company_id: company.companyId, email: "mina@example.com" },
      "/api/v1/suppressions": { email: "mina@example.com" },
    },
    call: (method, path, { bearer, body, type }) =>
      email.call(path, {
        method: method.toUpperCase(),
        ...(bearer ? { bearer } : {}),
        ...(type ? { headers: { "content-type": type } } : {}),
        ...(body === undefined || method === "get" ? {} : { body }),
      }),
  };
  service = { ...owner, bearers: [key] };
});

it.each(operations)(
  "%s %s answers its refusals and any bad input of an owner and of a service with a documented code",
  async (method, path, operation) => {
    await checkOperation(owner, method, path, operation);
    await checkOperation(service, method, path, operation);
  },
  60_000,
);
