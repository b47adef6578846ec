import { sql } from "drizzle-orm";
import { event_log } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { createOverview } from "../../kit/overview/entry.store";
import { jobsParameter, kitEntries } from "../../kit/overview/kit-entries.store";

/** The statements that read the overview of hosting. */
export const overview = createOverview(
  kitEntries(event_log, (_company, { serviceParameters }) => sql`${serviceParameters.retentionDays}`),
  { retentionDays: integer },
  jobsParameter,
);
