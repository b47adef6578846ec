import { scheduled_job_states } from "../../../db/kit/jobs";
import { queryBuilder } from "../db/query";
import { statement } from "../db/statement";

/** Statement: reads a table, so that a database without migrations counts as unhealthy. */
export const ping = statement({}, () =>
  queryBuilder.select({ job: scheduled_job_states.job }).from(scheduled_job_states).limit(1),
);
