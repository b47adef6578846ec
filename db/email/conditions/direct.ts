import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { direct_contents, messages } from "../schema";

/** Maximum number of recipients of a direct mail, which is the number of ids that can follow the id of its first message. */
export const MAX_DIRECT_RECIPIENTS = 50;

const SUFFIX_LENGTH = 2;

/** Returns the id of the message to recipient `index` of a direct mail. The first message has the id of the request. */
export const directMessageId = (id: string, index: number): string =>
  id.slice(0, -SUFFIX_LENGTH) + index.toString(16).padStart(SUFFIX_LENGTH, "0");

/** Returns the id of the direct mail to which a message belongs; the message may also be of another kind. */
export const directIdOf = (messageId: string): string => directMessageId(messageId, 0);

/** Like `directIdOf`, in SQL. */
export const directId = (messageId: SQLWrapper): SQL<string> =>
  sql<string>`(substr(${messageId}, 1, ${sql.raw(String(32 - SUFFIX_LENGTH))}) || '00')`;

/** Returns the condition that a message (`messages`) belongs to the direct mail with this id. It uses the primary key. */
export const isOfDirect = (id: SQLWrapper): SQL =>
  sql`${messages.id} >= ${id} and ${messages.id} <= substr(${id}, 1, ${sql.raw(String(32 - SUFFIX_LENGTH))}) || 'ff'`;

/** The condition that no message needs a row of `direct_contents` any more. */
export const isUnneeded: SQL = sql`not exists (select 1 from ${messages}
  where ${isOfDirect(direct_contents.id)} and ${messages.next_attempt_at} is not null)`;

/**
 * Returns the condition that a row of `direct_contents` belongs to one of the messages and that no message needs it. `from` is
 * FROM and WHERE of the messages.
 */
export const isUnneededBy = (from: SQL): SQL =>
  sql`(${direct_contents.company_id}, ${direct_contents.id}) in (select ${messages.company_id}, ${directId(messages.id)} ${from})
    and ${isUnneeded}`;
