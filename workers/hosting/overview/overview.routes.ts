import { hostingErrors } from "../../../schemas/hosting/errors";
import { mountSiblingOverview } from "../../kit/overview/overview.routes";
import type { HostingService } from "../http";
import { hostingOverview } from "./overview";

/** Mounts the counts that need attention. */
export function mountHostingOverview(service: HostingService): void {
  mountSiblingOverview(service, { errors: hostingErrors, source: hostingOverview });
}
