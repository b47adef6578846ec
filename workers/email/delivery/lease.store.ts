import { holdsFence } from "../../kit/jobs/runs/run.store";

/** Messages m that a claim took: ?1 is its list of ids (JSON), ?2 its token. */
export const CLAIMED = `FROM json_each(?1) j CROSS JOIN messages m ON m.id = j.value
WHERE m.lease_token = ?2 AND m.status = 'sending'`;

/** Whether the life of a waiting message m is over. ?2 now, ?3 the fence of a sweep's run. */
export const IS_EXPIRED = `m.status IN ('queued','retrying') AND m.expires_at IS NOT NULL AND m.expires_at <= ?2
  AND ${holdsFence("sweep_email_queue", "?3")}`;

/** Whether the run of the sweep that made a result r still has its lock; results of deliveries have no fence. */
export const FENCED = holdsFence("sweep_email_queue", "r.value ->> 'fence'");

/** Results r (?1: a JSON list of settlements) with their messages m, as far as the lease still holds. */
export const HELD = `FROM json_each(?1) r CROSS JOIN messages m ON m.id = r.value ->> 'id'
WHERE m.status = 'sending' AND m.lease_token = r.value ->> 'token' AND ${FENCED}`;
