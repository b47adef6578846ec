import { lane_states } from "../../../../db/email/schema";
import { q } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Touches a table, so that a database without migrations is not healthy. */
export const ping = statement({}, () => q.select({ lane: lane_states.lane }).from(lane_states).limit(1));
