import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { storage_objects as objects, quota_reservations as reservations } from "./schema";

/**
 * Returns the condition that a change has been written and its reservation still exists. Every other
 * statement of a commit has this condition. The reservation is deleted last, so that a repeated batch adds nothing. A
 * reservation has the id of its change.
 */
export const isCommitted = (p: { bucketId: SQLWrapper; name: SQLWrapper; change: SQLWrapper }): SQL =>
  sql`exists (select 1 from ${objects} where ${objects.bucket_id} = ${p.bucketId} and ${objects.name} = ${p.name}
    and ${objects.change_id} = ${p.change})
    and exists (select 1 from ${reservations} where ${reservations.id} = ${p.change})`;
