import { hostingErrors } from "../../../schemas/hosting/errors";
import { mountSiblingOverview } from "../../kit/overview/overview.routes";
import type { HostingService } from "../http";
import { jobs } from "../jobs";
import { overview } from "./overview.store";

/** Mounts the counts that need attention. */
export function mountHostingOverview(service: HostingService): void {
  mountSiblingOverview(service, {
    errors: hostingErrors,
    statements: overview,
    jobs,
    valuesOf: ({ settings }) => ({ retentionDays: settings.eventRetentionDays }),
  });
}
