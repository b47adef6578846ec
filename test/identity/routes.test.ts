import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { identityErrors } from "../../schemas/identity/errors";
import { describeApi } from "../../workers/identity/app";
import type { IdentityBindings } from "../../workers/identity/bindings";
import { type ApiDocument, operationsOf } from "../support/api-document";
import { awayDatabase } from "../support/away-database";
import { callIdentity, createMailbox, identityEnv } from "../support/identity";
import { describeIdentityOperations, limitedVars } from "../support/identity-operations";
import type { Subject } from "../support/route-calls";
import { checkOperation } from "../support/route-check";

const document = JSON.parse(JSON.stringify(describeApi())) as ApiDocument;
const operations = operationsOf(document);
let subject: Subject;

beforeAll(async () => {
  // Thousands of calls, each with its log line: the runner would be busy with nothing else.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { env, ...described } = await describeIdentityOperations();
  const callWith =
    (bindings: IdentityBindings, ip?: string): Subject["call"] =>
    (method, path, { bearer, body, type }) =>
      callIdentity(bindings, path, {
        method: method.toUpperCase(),
        headers: {
          ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
          ...(type ? { "content-type": type } : {}),
        },
        ...(body === undefined || method === "get" ? {} : { body }),
        ...(ip === undefined ? {} : { ip }),
      });
  subject = {
    ...described,
    document,
    errors: identityErrors,
    readsAreLive: true,
    knowsCompanies: true,
    call: callWith(env),
    callLimited: callWith(identityEnv(createMailbox(), limitedVars), "198.51.100.7"),
    callWithoutDatabase: callWith({ ...env, DB: awayDatabase }),
  };
}, 60_000);

afterAll(() => {
  vi.restoreAllMocks();
});

it.each(operations.map((listed) => [listed.key, listed] as const))(
  "%s keeps callers in their bounds and answers any bad input with a documented code",
  async (_key, listed) => {
    await checkOperation(subject, listed);
  },
  60_000,
);

it("has a table without rows of operations that are gone", () => {
  expect(Object.keys(subject.facts).sort()).toEqual(operations.map(({ key }) => key).sort());
});

it("shows that the company of a link request and of the form may stand in the query", () => {
  for (const path of ["/api/v1/magic-link/request", "/api/v1/magic-link/verify"]) {
    expect(document.paths[path]?.post?.parameters).toContainEqual(
      expect.objectContaining({ name: "company_id", in: "query", required: false }),
    );
  }
});
