import { sql } from "../../kit/db";

/** Touches a table, so that a database without migrations is not healthy. */
export const ping = sql("SELECT job FROM scheduled_job_states LIMIT 1");
