import { hostingErrors } from "../../schemas/hosting/errors";
import { describeApi } from "../../workers/hosting/app";
import type { HostingBindings } from "../../workers/hosting/bindings";
import { awayDatabase } from "../support/db/away-database";
import { describeHostingOperations } from "../support/hosting/operations";
import type { Subject } from "../support/http/route-calls";
import { checkRoutes } from "../support/http/route-suite";

checkRoutes(await describeApi(), async () => {
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
