import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { emailErrors } from "../../schemas/email/errors";
import { describeApi } from "../../workers/email/app";
import type { EmailBindings } from "../../workers/email/bindings";
import { type ApiDocument, operationsOf } from "../support/api-document";
import { awayDatabase } from "../support/away-database";
import { testEnv } from "../support/email";
import { describeEmailOperations } from "../support/email-operations";
import type { Subject } from "../support/route-calls";
import { checkOperation } from "../support/route-check";

const document = JSON.parse(JSON.stringify(describeApi())) as ApiDocument;
const operations = operationsOf(document);
let subject: Subject;

beforeAll(async () => {
  // Thousands of calls, each with its log line: the runner would be busy with nothing else.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { email, ...described } = await describeEmailOperations();
  const callWith =
    (bindings: Partial<EmailBindings>): Subject["call"] =>
    (method, path, { bearer, body, type }) =>
      email.call(path, {
        method: method.toUpperCase(),
        bindings,
        ...(bearer ? { bearer } : {}),
        ...(type ? { headers: { "content-type": type } } : {}),
        ...(body === undefined || method === "get" ? {} : { body }),
      });
  subject = {
    ...described,
    document,
    errors: emailErrors,
    readsAreLive: false,
    knowsCompanies: false,
    call: callWith({}),
    callLimited: callWith({ API_MUTATION_RATE_LIMIT: "1/min" }),
    callWithoutDatabase: callWith({ DB: awayDatabase }),
  };
}, 60_000);

// A pause for everybody would hold back the messages of other tests.
afterAll(async () => {
  vi.restoreAllMocks();
  await testEnv.DB.prepare("DELETE FROM lane_states WHERE company_id = 0").run();
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
