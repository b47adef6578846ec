import type { OverviewSource } from "../../../kit/overview/operations-report";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";
import { overview } from "./overview.store";

/** The overview of email, for its route and for the job `watch`. The jobs are not part of it, because `watch` is one of them. */
export const emailOverview: Omit<OverviewSource<EmailServices>, "jobs"> = {
  statements: overview,
  valuesOf: async ({ settings, keys }) => ({
    retentionDays: settings.eventRetentionDays,
    platform: await fingerprintPlatform(settings, await keys()),
  }),
};
