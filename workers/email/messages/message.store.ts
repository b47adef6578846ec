import { eq, type SQL, sql } from "drizzle-orm";
import { isWaiting } from "../../../db/email/messages";
import type { MessageRow, ServiceClientRow } from "../../../db/email/rows";
import { message_events, messages, service_clients, stats_days } from "../../../db/email/schema";
import { activeKeyOf } from "../../../db/email/service-clients";
import { addCounts, statsKey } from "../../../db/email/stats";
import type { Db } from "../../kit/db/db";
import { integer } from "../../kit/db/kind";
import { all, insertSelect, q, type RowOf } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const m = messages;

const eventColumns = { type: message_events.type, at: message_events.at };

export type MessageEventRow = RowOf<typeof eventColumns>;

const findMessage = statement({ id: m.id }, (p) => q.select(all(m)).from(m).where(eq(m.id, p.id)));

const findEvents = statement({ id: m.id }, (p) =>
  q
    .select(eventColumns)
    .from(message_events)
    .where(eq(message_events.message_id, p.id))
    .orderBy(message_events.at, message_events.id),
);

const findKey = statement({ keyHash: service_clients.key_hash, now: integer }, (p) => activeKeyOf(p.keyHash, p.now));

/** A message with its events, and the client of a service key where `credential` is given; one round trip. */
export async function readMessage(
  db: Db,
  id: string,
  credential: { keyHash: string; now: number } | null,
): Promise<{ message: MessageRow | null; events: MessageEventRow[]; key: ServiceClientRow | null }> {
  const { message, events, key } = await db.batch({
    message: findMessage({ id }),
    events: findEvents({ id }),
    key: credential === null ? null : findKey(credential),
  });
  return { message: message.first, events: events.rows, key: key?.first ?? null };
}

// Event and roll-up by the guard of the move, and then the move: a repeat finds nothing that the guard lets through.

const one = { id: m.id, companyId: m.company_id };
const isMovable = (p: { id: SQL<string>; companyId: SQL<number> }) =>
  sql`${m.id} = ${p.id} and ${m.company_id} = ${p.companyId} and ${isWaiting}`;

const recordCancelled = statement({ ...one, now: integer }, (p) =>
  insertSelect(
    message_events,
    { company_id: m.company_id, message_id: m.id, type: "cancelled", at: p.now },
    sql`from ${m} where ${isMovable(p)}`,
  ),
);

const countCancelled = statement(one, (p) =>
  insertSelect(
    stats_days,
    { ...statsKey, queued: -1, cancelled: 1 },
    sql`from ${m} where ${isMovable(p)} ${addCounts("queued", "cancelled")}`,
  ),
);

const moveCancelled = statement(one, (p) =>
  q.update(m).set({ status: "cancelled", variables_enc: null }).where(isMovable(p)),
);

/** Cancels a waiting message and wipes its variables; false when a consumer has it or it is final. */
export async function cancelMessage(db: Db, companyId: number, id: string, now: number): Promise<boolean> {
  const { moved } = await db.batch({
    recorded: recordCancelled({ id, companyId, now }),
    counted: countCancelled({ id, companyId }),
    moved: moveCancelled({ id, companyId }),
  });
  return moved.changes > 0;
}
