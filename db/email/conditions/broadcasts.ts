import { getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { broadcasts, messages } from "../schema";

/**
 * The condition that no broadcast holds back a row of `messages`: the message belongs to no broadcast, or its broadcast is being
 * sent. The messages of a paused or cancelled broadcast wait.
 */
export const isNotHeld: SQL = sql`(${messages.broadcast_id} is null or exists (select 1 from ${broadcasts}
  where ${broadcasts.id} = ${messages.broadcast_id} and ${broadcasts.state} = 'sending'))`;

const { audience_hashes: _hashes, ...columns } = getTableColumns(broadcasts);

/** The columns of a BroadcastRow. */
export const broadcastColumns = columns;

/** The states in which a broadcast can be changed, deleted and sent. A failed broadcast sent no mail. */
export const EDITABLE_STATES = ["draft", "failed"] as const;

/** The condition that a row of `broadcasts` can be changed, deleted and sent. */
export const isEditable: SQL = sql`${broadcasts.state} in ('draft', 'failed')`;

/** Returns the condition that no broadcast that was sent or scheduled uses this template. */
export const isTemplateEditable = (templateId: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${broadcasts} where ${broadcasts.template_id} = ${templateId} and not ${isEditable})`;
