import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { broadcast_recipients, broadcasts, messages } from "../../../../db/email/schema";
import { json, nullable, text } from "../../../kit/db/kind";
import {
  assignments,
  indexedBy,
  isInList,
  jsonEach,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../kit/db/query";
import { type Bound, type RowOfStatement, statement } from "../../../kit/db/statement";

/** Maximum number of broadcasts in an export. */
const MAX_BROADCASTS = 200;

const recipient = alias(broadcast_recipients, "recipient");
const broadcast = alias(broadcasts, "broadcast");

const address = { companyId: broadcasts.company_id, hashes: json<readonly string[]>() };
type Address = { companyId: SQL<number>; hashes: SQL<readonly string[]> };

/** SQL: the rows of an address in all broadcasts of the company. Reads one row per broadcast by its primary key. */
function erasedRows(p: Address): SQL {
  const hash = jsonEach(p.hashes, "hash");
  return sql`from ${tableReference(broadcast)} cross join ${hash.from}
    cross join ${tableReference(recipient)} on ${recipient.broadcast_id} = ${broadcast.id} and ${recipient.email_hmac} = ${hash.value}
    where ${broadcast.company_id} = ${p.companyId} and ${broadcast.purged_at} is null`;
}

// Must run before the recipients are deleted.
const countErasedRecipients = statement(address, (p) => {
  const rows = (status: SQL) =>
    sql`(select count(*) ${erasedRows(p)} and ${broadcast.id} = ${broadcasts.id} ${status})`;
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
  return sql`update ${broadcasts} set ${change} where ${broadcasts.id} in (select ${broadcast.id} ${erasedRows(p)})`;
});

const deleteErasedRecipients = statement(address, (p) =>
  queryBuilder.delete(broadcast_recipients).where(
    sql`(${broadcast_recipients.broadcast_id}, ${broadcast_recipients.email_hmac}) in
        (select ${recipient.broadcast_id}, ${recipient.email_hmac} ${erasedRows(p)})`,
  ),
);

/** Statements: delete the recipients of an erased address, which get no message any more, and count them as removed. */
export const eraseRecipients = (input: { companyId: number; hashes: readonly string[] }): Bound[] => [
  countErasedRecipients(input),
  deleteErasedRecipients(input),
];

/** Maximum number of broadcasts from whose audience one batch removes an address. */
const LISTING_SIZE = 20;

const listsAddress = (hashes: SQL<readonly string[]>) =>
  sql`exists (select 1 from json_each(${broadcasts.audience_hashes}) listed where ${isInList(sql`listed.value`, hashes)})`;

/** Statement: the next broadcasts of the company whose picked addresses contain one of these hashes. */
export const findListing = statement(address, (p) => {
  const { id, company_id, seal_id, audience, audience_emails_enc } = broadcasts;
  return selectRows(
    { id, company_id, seal_id, audience, audience_emails_enc },
    (columns) => sql`select ${columns} from ${indexedBy(broadcasts, "broadcasts_picked")}
        where ${company_id} = ${p.companyId} and ${broadcasts.audience_hashes} is not null and ${listsAddress(p.hashes)}
        order by ${id} limit ${sql.raw(String(LISTING_SIZE))}`,
  );
});

/** A broadcast whose picked addresses contain an address. */
export type ListingBroadcast = RowOfStatement<typeof findListing>;

/**
 * Statement: replace the picked addresses of a broadcast if they still equal `expected`. A running step loses the broadcast, so
 * it cannot store an address that it read before.
 */
export const replaceListed = statement(
  {
    id: broadcasts.id,
    expected: nullable(text),
    audience_emails_enc: broadcasts.audience_emails_enc,
    audience_hashes: broadcasts.audience_hashes,
  },
  (p) => {
    const { audience_emails_enc, audience_hashes } = p;
    const change = { audience_emails_enc, audience_hashes, step_token: null, step_until: null };
    return sql`update ${broadcasts} set ${assignments(broadcasts, change)}
      where ${broadcasts.id} = ${p.id} and ${broadcasts.audience_emails_enc} = ${p.expected}`;
  },
);

/**
 * Statement: the broadcasts with a recipient or a message of the address, or that list it, newest first. `message`: its mail
 * was created.
 */
export const findBroadcastsOfAddress = statement(address, (p) => {
  const hashes = jsonEach(p.hashes, "hash");
  return selectRows(
    { id: broadcasts.id, name: broadcasts.name, status: sql`part.status`.mapWith(text) },
    (columns) => sql`select ${columns} from (
        select ${recipient.broadcast_id} as id, ${recipient.status} as status from ${tableReference(broadcast)} cross join ${hashes.from}
          cross join ${tableReference(recipient)} on ${recipient.broadcast_id} = ${broadcast.id} and ${recipient.email_hmac} = ${hashes.value}
          where ${broadcast.company_id} = ${p.companyId} and ${broadcast.purged_at} is null
        union select ${messages.broadcast_id}, 'message' from ${indexedBy(messages, "messages_address")}
          where ${messages.company_id} = ${p.companyId} and ${isInList(messages.email_hmac, p.hashes)} and ${messages.broadcast_id} is not null
        union select ${broadcasts.id}, 'listed' from ${indexedBy(broadcasts, "broadcasts_picked")}
          where ${broadcasts.company_id} = ${p.companyId} and ${broadcasts.audience_hashes} is not null and ${listsAddress(p.hashes)}
        ) part cross join ${broadcasts} on ${broadcasts.id} = part.id order by ${broadcasts.id} desc limit ${sql.raw(String(MAX_BROADCASTS))}`,
  );
});
