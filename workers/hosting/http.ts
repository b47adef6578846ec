import type { Service, ServiceEnv } from "../kit/http/service";
import type { HostingBindings } from "./bindings";
import type { HostingServices } from "./services";

/** What a `mount…` function of routes/ gets. */
export type HostingService = Service<ServiceEnv<HostingBindings, HostingServices>>;
