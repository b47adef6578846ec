import { beforeAll, expect, it } from "vitest";
import { type ApiDocument, operationsOf } from "./api-document";
import { isKitOperation } from "./kit-operations";
import type { Subject } from "./route-calls";
import { checkOperation, type Extent } from "./route-check";

/**
 * Runs the shared route check for every operation of a service's OpenAPI document. Kit operations are checked to the
 * extent `kitExtent`. Returns the document.
 */
export function checkRoutes(
  document: ApiDocument,
  describe: () => Promise<Omit<Subject, "document">>,
  kitExtent: Extent = "guards",
): ApiDocument {
  const operations = operationsOf(document);
  let subject: Subject;
  beforeAll(async () => {
    subject = { ...(await describe()), document };
  }, 60_000);

  it.each(operations.map((listed) => [listed.key, listed] as const))(
    "%s rejects callers without access, and bad input with a documented error",
    async (_key, listed) => {
      await checkOperation(subject, listed, isKitOperation(listed.key) ? kitExtent : "all");
    },
    60_000,
  );

  it("is checked with facts about exactly the operations of its OpenAPI document", () => {
    expect(Object.keys(subject.facts).sort()).toEqual(operations.map(({ key }) => key).sort());
  });
  return document;
}
