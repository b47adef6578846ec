import { sql } from "drizzle-orm";
import { event_log } from "../../../db/hosting/schema";
import { integer } from "../../kit/db/kind";
import { createOverview } from "../../kit/overview/figure.store";
import { jobsParameter, kitFigures } from "../../kit/overview/kit-figures.store";

/** The statements that read the figures of hosting. */
export const overview = createOverview(
  kitFigures(event_log, (_company, { own }) => sql`${own.retentionDays}`),
  { retentionDays: integer },
  jobsParameter,
);
