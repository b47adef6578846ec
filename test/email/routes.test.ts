import { emailErrors } from "../../schemas/email/errors";
import type { EmailBindings } from "../../workers/email/bindings";
import { failingDatabase } from "../support/db/failing-database";
import { startEmail } from "../support/email/email";
import { describeEmailOperations } from "../support/email/operations";
import { readDocument } from "../support/http/api-document";
import type { Subject } from "../support/http/route-calls";
import { checkRoutes } from "../support/http/route-suite";
import { createNetwork } from "../support/net/network";

checkRoutes(await readDocument((await startEmail()).call), async () => {
  // Simulates a network in which every host name resolves and no provider is available.
  createNetwork(() => new Response(null, { status: 503 }));
  const { email, ...described } = await describeEmailOperations();
  const callWith =
    (bindings: Partial<EmailBindings>): Subject["call"] =>
    (method, path, { bearer, body, type, headers }) =>
      email.call(path, {
        method: method.toUpperCase(),
        bindings,
        ...(bearer ? { bearer } : {}),
        headers: { ...headers, ...(type ? { "content-type": type } : {}) },
        ...(body === undefined || method === "get" ? {} : { body }),
      });
  return {
    ...described,
    errors: emailErrors,
    readsAreLive: false,
    knowsCompanies: false,
    call: callWith({}),
    callLimited: callWith({ API_MUTATION_RATE_LIMIT: "1/min", EMAIL_WRONG_KEY_RATE_LIMIT: "1/min" }),
    callWithoutDatabase: callWith({ DB: failingDatabase }),
  };
});
