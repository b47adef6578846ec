import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { event_log } from "../../../db/storage/schema";
import { text } from "../../kit/db/kind";
import { insertSelect } from "../../kit/db/query";

/** The parameters of a statement that inserts an object event. `data` is JSON with sorted keys. */
export const objectEvent = {
  id: event_log.id,
  companyId: event_log.company_id,
  type: event_log.event_type,
  userId: event_log.user_id,
  email: event_log.actor_email,
  actor: event_log.actor,
  data: text,
  now: event_log.created_at,
};

/** Returns the SQL that inserts an object event if `condition` is true. A repeat inserts nothing. */
export const insertObjectEvent = (p: Record<keyof typeof objectEvent, SQLWrapper>, condition: SQL): SQL =>
  sql`${insertSelect(
    event_log,
    {
      id: p.id,
      company_id: p.companyId,
      event_type: p.type,
      user_id: p.userId,
      actor_email: p.email,
      actor: p.actor,
      data: p.data as never,
      created_at: p.now,
    },
    sql`where ${condition}`,
  )} on conflict do nothing`;
