import type { Context } from "hono";
import type { AdminScopes } from "../kit/auth/authorize";
import type { AdminCaller } from "../kit/auth/caller";
import type { createCalls } from "../kit/http/call";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { EmailBindings } from "./bindings";
import type { ErrorCode } from "./problem";
import type { EmailServices } from "./services";

export type EmailEnv = ServiceEnv<EmailBindings, EmailServices>;

/** The argument of the `mount…` functions. `call` declares routes for users; `route` declares all other routes. */
export type EmailService = Service<EmailEnv> & {
  call: ReturnType<typeof createCalls<EmailServices, AdminScopes, AdminCaller, EmailEnv, ErrorCode>>;
};

/** The context of a route handler. */
export type EmailContext = Context<EmailEnv>;
