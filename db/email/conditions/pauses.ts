import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { company_providers, lane_states, messages } from "../schema";

/**
 * Returns the condition that a row of `lane_states` is in force. A pause for rejected credentials is in force only
 * while those credentials are in use. `platform` is the fingerprint of the current platform credentials, or "".
 */
export const isInForce = (platform: SQLWrapper): SQL => sql`(${lane_states.fingerprint} is null
  or ${lane_states.fingerprint} = case ${lane_states.scope}
    when 'company' then (select ${company_providers.fingerprint} from ${company_providers}
      where ${company_providers.company_id} = ${lane_states.company_id})
    else ${platform} end)`;

const isPausedLane = sql`${lane_states.lane} = ${messages.lane} and ${lane_states.paused} = 1`;

/**
 * The condition that the last attempt moved the message to another sender. A pause for the credentials of the previous
 * sender then does not apply.
 */
const hasMoved = sql`json_extract(${messages.trace}, '$.delivery[#-1].move') is 1`;

/**
 * Returns the condition that no pause holds back a row of `messages`. It has two subqueries, each of which reads one
 * row of the index.
 */
export const isNotPaused = (platform: SQLWrapper): SQL => sql`not exists (select 1 from ${lane_states}
    where ${isPausedLane} and ${lane_states.company_id} = 0)
  and not exists (select 1 from ${lane_states}
    where ${isPausedLane} and ${lane_states.company_id} = ${messages.company_id}
      and ${lane_states.scope} = ${messages.scope} and ${isInForce(platform)}
      and (${lane_states.fingerprint} is null or not (${hasMoved})))`;
