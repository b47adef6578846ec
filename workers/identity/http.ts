import type { Context } from "hono";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { IdentityBindings } from "./bindings";
import type { IdentityServices } from "./services";

type IdentityEnv = ServiceEnv<IdentityBindings, IdentityServices>;

/** What a mount function gets. */
export type IdentityService = Service<IdentityEnv>;

/** The context of a handler. */
export type IdentityContext = Context<IdentityEnv>;
