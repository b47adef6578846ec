import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { event_log } from "../../../../db/kit/webhooks";
import { text } from "../../db/kind";
import { insertSelect } from "../../db/query";

/** The parameters of a statement that inserts an event together with its change. `data` is the result of `storableData`. */
export const eventRow = {
  eventId: event_log.id,
  companyId: event_log.company_id,
  type: event_log.event_type,
  userId: event_log.user_id,
  email: event_log.actor_email,
  actor: event_log.actor,
  data: text,
};

type EventRow = Record<keyof typeof eventRow, SQLWrapper>;

/** Returns the SQL that inserts an event of the time `createdAt` if `condition` is true. A repeat inserts nothing. */
export const insertEventIf = (p: EventRow, createdAt: SQLWrapper, condition: SQL): SQL =>
  sql`${insertSelect(
    event_log,
    {
      id: p.eventId,
      company_id: p.companyId,
      event_type: p.type,
      user_id: p.userId,
      actor_email: p.email,
      actor: p.actor,
      data: p.data as never,
      created_at: createdAt,
    },
    sql`where ${condition}`,
  )} on conflict do nothing`;
