import { lane_states } from "../../../../db/email/schema";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Statement: read a table, so that a database without migrations fails the health check. */
export const ping = statement({}, () => queryBuilder.select({ lane: lane_states.lane }).from(lane_states).limit(1));
