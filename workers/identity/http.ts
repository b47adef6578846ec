import type { Context } from "hono";
import { identityErrors } from "../../schemas/identity/errors";
import { createCalls } from "../kit/http/call";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { IdentityBindings } from "./bindings";
import { authorizeCaller, type CallerScopes, callerErrorCodes } from "./caller/credentials/authorize";
import type { Caller } from "./caller/credentials/caller";
import type { ErrorCode } from "./problem";
import type { IdentityServices } from "./services";

type IdentityEnv = ServiceEnv<IdentityBindings, IdentityServices>;

/**
 * Returns the `call` function of a service, which declares operations for signed-in users. All of them run the same checks in
 * the same order. `limit` checks the rate limit of mutations.
 */
export function callsOf(
  service: Service<IdentityEnv>,
  limit?: (services: IdentityServices, caller: Caller) => Promise<void>,
) {
  return createCalls<IdentityServices, CallerScopes, Caller, IdentityEnv, ErrorCode>(service, {
    errors: identityErrors,
    authorize: authorizeCaller,
    impliedErrorCodes: callerErrorCodes,
    bookmarkOf: ({ db }) => db.bookmark(),
    ...(limit ? { limit } : {}),
  });
}

/** The input of mount functions: `call` for operations of a signed-in user, `route` for all others. */
export type IdentityService = Service<IdentityEnv> & { call: ReturnType<typeof callsOf> };

/** The context of a handler. */
export type IdentityContext = Context<IdentityEnv>;
