import { scheduled_job_states } from "../../../db/hosting/schema";
import { q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Touches a table, so that a database without migrations is not healthy. */
export const ping = statement({}, () =>
  q.select({ job: scheduled_job_states.job }).from(scheduled_job_states).limit(1),
);
