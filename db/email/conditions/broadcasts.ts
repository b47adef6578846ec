import { type SQL, sql } from "drizzle-orm";
import { broadcasts, messages } from "../schema";

/**
 * The condition that no broadcast holds back a row of `messages`: the message belongs to no broadcast, or its broadcast is being
 * sent. The messages of a paused or cancelled broadcast wait.
 */
export const isNotHeld: SQL = sql`(${messages.broadcast_id} is null or exists (select 1 from ${broadcasts}
  where ${broadcasts.id} = ${messages.broadcast_id} and ${broadcasts.state} = 'sending'))`;
