import type { OverviewSource } from "../../kit/overview/operations-report";
import { jobs } from "../jobs";
import type { HostingServices } from "../services";
import { overview } from "./overview.store";

/** The overview of hosting, for its route and for the RPC method `operationsReport`. */
export const hostingOverview: OverviewSource<HostingServices> = {
  statements: overview,
  jobs,
  valuesOf: ({ settings }) => ({ retentionDays: settings.eventRetentionDays }),
};
