import { beforeAll, it } from "vitest";
import { hostingErrors } from "../../schemas/hosting/errors";
import { describeApi } from "../../workers/hosting/app";
import { type HostingHarness, startHosting } from "../support/hosting";
import { type ApiDocument, checkOperation, operationsOf, type Subject } from "../support/route-check";

const document = describeApi() as unknown as ApiDocument;
const operations = operationsOf(document).map(({ method, path, operation }) => [method, path, operation] as const);
let hosting: HostingHarness;
let subject: Subject;

beforeAll(async () => {
  hosting = await startHosting({ vars: { API_MUTATION_RATE_LIMIT: "100000/min" } });
  const company = { companyId: 5_150_001 };
  subject = {
    document,
    errors: hostingErrors,
    bearers: [await hosting.token({ ...company, isOwner: true }), await hosting.token({ ...company, isStaff: true })],
    ids: { "/api/v1/management/{command}": "purge_expired_data" },
    call: (method, path, { bearer, body, type }) =>
      hosting.call(path, {
        method: method.toUpperCase(),
        ...(bearer ? { bearer } : {}),
        ...(type ? { headers: { "content-type": type } } : {}),
        ...(body === undefined || method === "get" ? {} : { body }),
      }),
  };
});

it.each(operations)(
  "%s %s answers its refusals and any bad input of an owner and of staff with a documented code",
  (method, path, operation) => checkOperation(subject, method, path, operation),
  60_000,
);
