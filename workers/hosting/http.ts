import type { Context } from "hono";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { HostingBindings } from "./bindings";
import type { HostingServices } from "./services";

type HostingEnv = ServiceEnv<HostingBindings, HostingServices>;

/** What a `mount…` function of routes/ gets. */
export type HostingService = Service<HostingEnv>;

/** The context of a handler. */
export type HostingContext = Context<HostingEnv>;
