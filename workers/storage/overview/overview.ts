import type { OverviewSource } from "../../kit/overview/operations-report";
import { jobs } from "../jobs";
import type { StorageServices } from "../services";
import { overview } from "./overview.store";

/** The overview of storage, for its route and for the RPC method `operationsReport`. */
export const storageOverview: OverviewSource<StorageServices> = {
  statements: overview,
  jobs,
  valuesOf: ({ settings }) => ({ retentionDays: settings.eventRetentionDays }),
};
