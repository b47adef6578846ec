import { and, eq, type SQL, sql } from "drizzle-orm";
import { isOfDirect, isUnneededBy } from "../../../../db/email/conditions/direct";
import { addEvent, ENDED, isWaiting } from "../../../../db/email/conditions/messages";
import { activeKeyOf } from "../../../../db/email/conditions/service-clients";
import { countMoves, isCounted } from "../../../../db/email/conditions/stats";
import type { DirectContentRow, MessageRow, ServiceClientRow } from "../../../../db/email/rows";
import { direct_contents, messages, service_clients } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer } from "../../../kit/db/kind";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const findKey = statement({ keyHash: service_clients.key_hash, now: integer }, (p) => activeKeyOf(p.keyHash, p.now));

const findMessages = statement({ id: messages.id }, (p) =>
  queryBuilder.select(allColumns(messages)).from(messages).where(isOfDirect(p.id)).orderBy(messages.id),
);

const findContent = statement({ id: messages.id }, (p) =>
  queryBuilder
    .select(allColumns(direct_contents))
    .from(direct_contents)
    .where(
      and(
        eq(direct_contents.id, p.id),
        // An erasure may have deleted any of the messages, also the one whose id is the id of the email.
        sql`${direct_contents.company_id} in (select ${messages.company_id} from ${messages} where ${isOfDirect(p.id)})`,
      ),
    ),
);

/** The messages of an email (id of 32 hex characters), its content unless it is deleted, and the client of the service key. */
export type StoredEmailRows = {
  key: ServiceClientRow | null;
  messages: MessageRow[];
  content: DirectContentRow | null;
};

/** Reads an email and the client of the service key in one round trip. `now` is in unix ms. */
export async function readStoredEmail(
  db: Db,
  id: string,
  { keyHash, now }: { keyHash: string; now: number },
): Promise<StoredEmailRows> {
  const results = await db.batch({
    key: findKey({ keyHash, now }),
    messages: findMessages({ id }),
    content: findContent({ id }),
  });
  return { key: results.key.first, messages: results.messages.rows, content: results.content.first };
}

// The roll-up uses the condition of the update and runs before it, so a repeated batch matches no row.

const emailKey = { id: messages.id, companyId: messages.company_id };
const ofEmail = (p: { id: SQL<string>; companyId: SQL<number> }) =>
  sql`${isOfDirect(p.id)} and ${messages.company_id} = ${p.companyId}`;

const countCancelled = statement(emailKey, (p) =>
  countMoves(
    ["cancelled"],
    sql`'cancelled'`,
    sql`from ${messages} where ${ofEmail(p)} and ${isWaiting} and ${isCounted}`,
  ),
);

const updateCancelled = statement({ ...emailKey, now: integer }, (p) =>
  queryBuilder
    .update(messages)
    .set({ ...ENDED, status: "cancelled", events: addEvent("cancelled", p.now) })
    .where(sql`${ofEmail(p)} and ${isWaiting}`),
);

const deleteContents = statement(emailKey, (p) =>
  queryBuilder.delete(direct_contents).where(isUnneededBy(sql`from ${messages} where ${ofEmail(p)}`)),
);

/** Cancels the waiting messages of an email and deletes its content. Returns false when no message is waiting. */
export async function cancelStoredEmail(
  db: Db,
  { id, companyId, now }: { id: string; companyId: number; now: number },
): Promise<boolean> {
  const { cancelled } = await db.batch({
    counted: countCancelled({ id, companyId }),
    cancelled: updateCancelled({ id, companyId, now }),
    contents: deleteContents({ id, companyId }),
  });
  return cancelled.changes > 0;
}

const isUnattempted = sql`${messages.status} = 'queued' and ${messages.attempt_count} = 0`;

const updateDue = statement({ ...emailKey, at: integer, now: integer }, (p) =>
  queryBuilder
    .update(messages)
    .set({ next_attempt_at: p.at })
    .where(sql`${ofEmail(p)} and ${isUnattempted} and ${messages.next_attempt_at} > ${p.now}`),
);

const updateSchedule = statement({ ...emailKey, at: integer, now: integer }, (p) =>
  queryBuilder
    .update(direct_contents)
    .set({ scheduled_at: p.at })
    .where(
      and(
        eq(direct_contents.company_id, p.companyId),
        eq(direct_contents.id, p.id),
        sql`${direct_contents.scheduled_at} > ${p.now}`,
      ),
    ),
);

/** Moves the messages of a scheduled email to another time (`at`, unix ms). Returns false when the email is not scheduled. */
export async function rescheduleStoredEmail(
  db: Db,
  input: { id: string; companyId: number; at: number; now: number },
): Promise<boolean> {
  const { due } = await db.batch({ schedule: updateSchedule(input), due: updateDue(input) });
  return due.changes > 0;
}
