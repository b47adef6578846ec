import type { Service, ServiceEnv } from "../kit/http/service";
import type { HostingBindings } from "./bindings";
import type { HostingServices } from "./services";

type HostingEnv = ServiceEnv<HostingBindings, HostingServices>;

/** The service that mount functions receive. */
export type HostingService = Service<HostingEnv>;
