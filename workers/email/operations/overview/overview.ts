import type { OverviewSource } from "../../../kit/overview/operations-report";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import { jobs } from "../../jobs";
import type { EmailServices } from "../../services";
import { overview } from "./overview.store";

/** The overview of email, for its route and for the job `watch`. */
export const emailOverview: OverviewSource<EmailServices> = {
  statements: overview,
  jobs,
  valuesOf: async ({ settings, keys }) => ({
    retentionDays: settings.eventRetentionDays,
    platform: await fingerprintPlatform(settings, await keys()),
  }),
};
