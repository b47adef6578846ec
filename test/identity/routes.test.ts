import { expect, it } from "vitest";
import { identityErrors } from "../../schemas/identity/errors";
import type { IdentityBindings } from "../../workers/identity/bindings";
import { failingDatabase } from "../support/db/failing-database";
import { readDocument } from "../support/http/api-document";
import type { Subject } from "../support/http/route-calls";
import { checkRoutes } from "../support/http/route-suite";
import { callIdentity, createMailbox, identityEnv } from "../support/identity/identity";
import { describeIdentityOperations, limitedVars } from "../support/identity/operations";

const document = checkRoutes(
  await readDocument((path) => callIdentity(identityEnv(createMailbox()), path)),
  async () => {
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
    return {
      ...described,
      errors: identityErrors,
      readsAreLive: true,
      knowsCompanies: true,
      call: callWith(env),
      callLimited: callWith(identityEnv(createMailbox(), limitedVars), "198.51.100.7"),
      callWithoutDatabase: callWith({ ...env, DB: failingDatabase }),
    };
  },
);

it("documents that the query may contain the company of a link request and of the form", () => {
  for (const path of ["/api/v1/magic-link/request", "/api/v1/magic-link/verify"]) {
    expect(document.paths[path]?.post?.parameters).toContainEqual(
      expect.objectContaining({ name: "company_id", in: "query", required: false }),
    );
  }
});
