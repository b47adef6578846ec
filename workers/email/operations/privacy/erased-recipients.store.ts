import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { broadcast_recipients, broadcasts, erasures, messages } from "../../../../db/email/schema";
import { json, text } from "../../../kit/db/kind";
import {
  assignments,
  indexedBy,
  isInList,
  jsonEach,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Maximum number of broadcasts in an export. */
const MAX_BROADCASTS = 200;

const recipient = alias(broadcast_recipients, "recipient");
const broadcast = alias(broadcasts, "broadcast");
const erasureRow = alias(erasures, "erasure");
const hash = jsonEach(sql<string[]>`${erasureRow.hashes}`, "hash");

/** SQL: the rows of the erased address in all broadcasts of the company. Reads one row per broadcast by its primary key. */
const erasedRows = (
  erasureId: SQL<string>,
) => sql`from ${tableReference(erasureRow)} cross join ${hash.from} cross join ${tableReference(broadcast)}
    on ${broadcast.company_id} = ${erasureRow.company_id} and ${broadcast.purged_at} is null
  cross join ${tableReference(recipient)} on ${recipient.broadcast_id} = ${broadcast.id} and ${recipient.email_hmac} = ${hash.value}
  where ${erasureRow.id} = ${erasureId}`;

/** Statement: count the recipients of an erased address as removed. It must run before `deleteErasedRecipients`. */
export const countErasedRecipients = statement({ id: erasures.id }, (p) => {
  const rows = (status: SQL) =>
    sql`(select count(*) ${erasedRows(p.id)} and ${broadcast.id} = ${broadcasts.id} ${status})`;
  const without = (column: "pending" | "skipped_unsubscribed" | "skipped_suppressed") =>
    sql`${broadcasts[column]} - ${rows(sql`and ${recipient.status} = ${column}`)}`;
  // A cancellation has counted the waiting recipients as removed, and deletes their rows later.
  const isCounted = sql`and not (${recipient.status} = 'pending' and ${broadcast.state} = 'cancelled')`;
  const change = assignments(broadcasts, {
    pending: sql`iif(${broadcasts.state} = 'cancelled', ${broadcasts.pending}, ${without("pending")})`,
    skipped_unsubscribed: without("skipped_unsubscribed"),
    skipped_suppressed: without("skipped_suppressed"),
    removed: sql`${broadcasts.removed} + ${rows(isCounted)}`,
  });
  return sql`update ${broadcasts} set ${change} where ${broadcasts.id} in (select ${broadcast.id} ${erasedRows(p.id)})`;
});

/** Statement: delete the recipients of an erased address. They get no message any more. */
export const deleteErasedRecipients = statement({ id: erasures.id }, (p) =>
  queryBuilder.delete(broadcast_recipients).where(
    sql`(${broadcast_recipients.broadcast_id}, ${broadcast_recipients.email_hmac}) in
        (select ${recipient.broadcast_id}, ${recipient.email_hmac} ${erasedRows(p.id)})`,
  ),
);

/** Statement: the broadcasts with a recipient or a message of the address, newest first. `message`: its mail was created. */
export const findBroadcastsOfAddress = statement(
  { companyId: broadcasts.company_id, hashes: json<readonly string[]>() },
  (p) => {
    const hashes = jsonEach(p.hashes, "hash");
    return selectRows(
      { id: broadcasts.id, name: broadcasts.name, status: sql`part.status`.mapWith(text) },
      (columns) => sql`select ${columns} from (
        select ${recipient.broadcast_id} as id, ${recipient.status} as status from ${tableReference(broadcast)} cross join ${hashes.from}
          cross join ${tableReference(recipient)} on ${recipient.broadcast_id} = ${broadcast.id} and ${recipient.email_hmac} = ${hashes.value}
          where ${broadcast.company_id} = ${p.companyId} and ${broadcast.purged_at} is null
        union select ${messages.broadcast_id}, 'message' from ${indexedBy(messages, "messages_address")}
          where ${messages.company_id} = ${p.companyId} and ${isInList(messages.email_hmac, p.hashes)} and ${messages.broadcast_id} is not null
        ) part cross join ${broadcasts} on ${broadcasts.id} = part.id order by ${broadcasts.id} desc limit ${sql.raw(String(MAX_BROADCASTS))}`,
    );
  },
);
