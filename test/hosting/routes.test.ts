import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { hostingErrors } from "../../schemas/hosting/errors";
import { describeApi } from "../../workers/hosting/app";
import type { HostingBindings } from "../../workers/hosting/bindings";
import { type ApiDocument, operationsOf } from "../support/api-document";
import { awayDatabase } from "../support/away-database";
import { describeHostingOperations } from "../support/hosting-operations";
import type { Subject } from "../support/route-calls";
import { checkOperation } from "../support/route-check";

const document = JSON.parse(JSON.stringify(describeApi())) as ApiDocument;
const operations = operationsOf(document);
let subject: Subject;

beforeAll(async () => {
  // Thousands of calls, each with its log line: the runner would be busy with nothing else.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { hosting, ...described } = await describeHostingOperations();
  const callWith =
    (bindings: Partial<HostingBindings>): Subject["call"] =>
    (method, path, { bearer, body, type }) =>
      hosting.call(path, {
        method: method.toUpperCase(),
        bindings,
        ...(bearer ? { bearer } : {}),
        ...(type ? { headers: { "content-type": type } } : {}),
        ...(body === undefined || method === "get" ? {} : { body }),
      });
  subject = {
    ...described,
    document,
    errors: hostingErrors,
    readsAreLive: false,
    knowsCompanies: false,
    call: callWith({}),
    callLimited: callWith({ API_MUTATION_RATE_LIMIT: "1/min" }),
    callWithoutDatabase: callWith({ DB: awayDatabase }),
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
