import { hostingErrors } from "../../schemas/hosting/errors";
import type { HostingBindings } from "../../workers/hosting/bindings";
import { awayDatabase } from "../support/db/away-database";
import { startHosting } from "../support/hosting/hosting";
import { describeHostingOperations } from "../support/hosting/operations";
import { readDocument } from "../support/http/api-document";
import type { Subject } from "../support/http/route-calls";
import { checkRoutes } from "../support/http/route-suite";

checkRoutes(await readDocument((await startHosting()).call), async () => {
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
  return {
    ...described,
    errors: hostingErrors,
    readsAreLive: false,
    knowsCompanies: false,
    call: callWith({}),
    callLimited: callWith({ API_MUTATION_RATE_LIMIT: "1/min" }),
    callWithoutDatabase: callWith({ DB: awayDatabase }),
  };
});
