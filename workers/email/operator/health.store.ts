import { sql } from "../../kit/db";

/** Touches a table, so that a database without migrations is not healthy. */
export const ping = sql("SELECT lane FROM lane_states LIMIT 1");
