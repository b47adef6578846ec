import type { AdminCaller } from "../kit/auth/caller";
import type { createCalls } from "../kit/http/call";
import type { Service, ServiceEnv } from "../kit/http/service";
import type { HostingScopes } from "./access/authorize";
import type { HostingBindings } from "./bindings";
import type { ErrorCode } from "./problem";
import type { HostingServices } from "./services";

export type HostingEnv = ServiceEnv<HostingBindings, HostingServices>;

/** The service that mount functions receive: `call` for requests of users, `route` for all others. */
export type HostingService = Service<HostingEnv> & {
  call: ReturnType<typeof createCalls<HostingServices, HostingScopes, AdminCaller, HostingEnv, ErrorCode>>;
};
