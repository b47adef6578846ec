import { eq, type SQL, sql } from "drizzle-orm";
import { isUnneededBy } from "../../../../db/email/conditions/direct";
import { addEvent, ENDED, isWaiting } from "../../../../db/email/conditions/messages";
import { activeKeyOf } from "../../../../db/email/conditions/service-clients";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { MessageRow, ServiceClientRow } from "../../../../db/email/rows";
import { broadcasts, direct_contents, messages, service_clients } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer } from "../../../kit/db/kind";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

const findMessage = statement({ id: messages.id }, (p) =>
  queryBuilder.select(allColumns(messages)).from(messages).where(eq(messages.id, p.id)),
);

const findBroadcast = statement({ id: messages.id }, (p) =>
  queryBuilder
    .select({ id: broadcasts.id, name: broadcasts.name })
    .from(messages)
    .innerJoin(broadcasts, eq(broadcasts.id, messages.broadcast_id))
    .where(eq(messages.id, p.id)),
);

/** The broadcast that created a message. */
export type BroadcastOfMessage = { id: number; name: string };

const findKey = statement({ keyHash: service_clients.key_hash, now: integer }, (p) => activeKeyOf(p.keyHash, p.now));

/** Returns a message, its broadcast, and the client of the service key when `credential` is not null, in one round trip. */
export async function readMessage(
  db: Db,
  id: string,
  credential: { keyHash: string; now: number } | null,
): Promise<{ message: MessageRow | null; broadcast: BroadcastOfMessage | null; key: ServiceClientRow | null }> {
  const { message, broadcast, key } = await db.batch({
    message: findMessage({ id }),
    broadcast: findBroadcast({ id }),
    key: credential === null ? null : findKey(credential),
  });
  return { message: message.first, broadcast: broadcast.first, key: key?.first ?? null };
}

// The roll-up uses the condition of the update and runs before it, so a repeated batch matches no row.

const messageKey = { id: messages.id, companyId: messages.company_id };
const isCancellable = (p: { id: SQL<string>; companyId: SQL<number> }) =>
  sql`${messages.id} = ${p.id} and ${messages.company_id} = ${p.companyId} and ${isWaiting}`;

const countCancelled = statement(messageKey, (p) =>
  countMoves(["cancelled"], sql`'cancelled'`, sql`from ${messages} where ${isCancellable(p)} and ${isCounted}`),
);

const updateCancelled = statement({ ...messageKey, now: integer }, (p) =>
  queryBuilder
    .update(messages)
    .set({ ...ENDED, status: "cancelled", events: addEvent("cancelled", p.now) })
    .where(isCancellable(p)),
);

// Runs after the cancellation, in the same batch.
const deleteContents = statement({ id: messages.id }, (p) =>
  queryBuilder.delete(direct_contents).where(isUnneededBy(sql`from ${messages} where ${messages.id} = ${p.id}`)),
);

/**
 * Cancels a waiting message, deletes its variables and inserts the audit log entries. Returns false when the message is being
 * sent or has a final status.
 */
export async function cancelMessage(
  db: Db,
  { companyId, id, now }: { companyId: number; id: string; now: number },
  entries: Bound[],
): Promise<boolean> {
  const { cancelled } = await db.batch({
    counted: countCancelled({ id, companyId }),
    cancelled: followedBy(updateCancelled({ id, companyId, now }), ...entries),
    contents: deleteContents({ id }),
  });
  return cancelled.changes > 0;
}
