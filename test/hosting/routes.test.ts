import { expect, it } from "vitest";
import { hostingErrors } from "../../schemas/hosting/errors";
import { hosting } from "../support/hosting/hosting";
import { hostingFacts, unlimited } from "../support/hosting/operations";
import { operationsOf, readDocument } from "../support/http/api-document";
import { isKitOperation, kitOperationCount } from "../support/http/kit-operations";
import { checkSiblingRoutes } from "../support/sibling/routes-suite";

await checkSiblingRoutes(hosting, hostingErrors, hostingFacts, unlimited);

it("serves every operation of the kit", async () => {
  const operations = operationsOf(await readDocument((await hosting.start()).call)).map(({ key }) => key);
  expect(operations.filter(isKitOperation)).toHaveLength(kitOperationCount);
});
