import type { OverviewSource } from "../../../kit/overview/operations-report";
import type { IdentityServices } from "../../services";
import { jobs } from "../jobs/job-set";
import { overview } from "./overview.store";

/** The overview of identity, for its route and for the RPC method `operationsReport`. */
export const identityOverview: OverviewSource<IdentityServices> = { statements: overview, jobs };
