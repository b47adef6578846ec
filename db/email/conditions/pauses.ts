import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { company_providers, lane_states, messages } from "../schema";

/**
 * Whether a row of `lane_states` is in force: a pause for rejected credentials counts only while those credentials are in
 * use. `platform`: the fingerprint of the current platform credentials, or "".
 */
export const inForce = (platform: SQLWrapper): SQL => sql`(${lane_states.fingerprint} is null
  or ${lane_states.fingerprint} = case ${lane_states.scope}
    when 'company' then (select ${company_providers.fingerprint} from ${company_providers}
      where ${company_providers.company_id} = ${lane_states.company_id})
    else ${platform} end)`;

const holdsLane = sql`${lane_states.lane} = ${messages.lane} and ${lane_states.paused} = 1`;

/**
 * Whether the last attempt moved a message to the other sender: a pause for the first sender's credentials then does not
 * apply.
 */
const hasMoved = sql`json_extract(${messages.trace}, '$.delivery[#-1].move') is 1`;

/** Whether no pause holds a row of `messages` back. Two look-ups, so that each reads one row of the index. */
export const notPaused = (platform: SQLWrapper): SQL => sql`not exists (select 1 from ${lane_states}
    where ${holdsLane} and ${lane_states.company_id} = 0)
  and not exists (select 1 from ${lane_states}
    where ${holdsLane} and ${lane_states.company_id} = ${messages.company_id}
      and ${lane_states.scope} = ${messages.scope} and ${inForce(platform)}
      and (${lane_states.fingerprint} is null or not (${hasMoved})))`;
