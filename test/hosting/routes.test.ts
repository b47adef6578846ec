import { expect, it } from "vitest";
import { hostingErrors } from "../../schemas/hosting/errors";
import { hosting } from "../support/hosting/hosting";
import { operationsOf, readDocument } from "../support/http/api-document";
import { isKitOperation, kitOperationCount, siblingOperations } from "../support/http/kit-operations";
import { checkSiblingRoutes } from "../support/sibling/routes-suite";

await checkSiblingRoutes(hosting, hostingErrors, () => ({}));

it("serves exactly the operations of the kit and of a sibling service", async () => {
  const operations = operationsOf(await readDocument((await hosting.start()).call)).map(({ key }) => key);
  expect(operations.filter(isKitOperation)).toHaveLength(kitOperationCount);
  expect(operations.filter((key) => !isKitOperation(key))).toEqual(siblingOperations);
});
