import { and, asc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isUnneededBy } from "../../../../db/email/conditions/direct";
import { ENDED } from "../../../../db/email/conditions/messages";
import { requestOfMessage } from "../../../../db/email/conditions/requests";
import { countMessages, countMoves, isCounted, isUncounted } from "../../../../db/email/conditions/stats";
import type { EventAboutErased } from "../../../../db/email/rows";
import {
  audit_log,
  decisions,
  direct_contents,
  erasures,
  message_attachments,
  messages,
  send_requests,
} from "../../../../db/email/schema";
import type { AuditActor } from "../../../../db/kit/audit";
import type { BatchResults, Db } from "../../../kit/db/db";
import { integer } from "../../../kit/db/kind";
import { indexedBy, insertSelect, jsonEach, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, statement } from "../../../kit/db/statement";
import {
  clearOrphanResponses,
  clearResponses,
  emptyOrphans,
  endDeliveries,
  findEvents,
  hasNoEvents,
  maskDeliveries,
  maskEvents,
} from "./erased-events.store";
import { eraseRecipients, findListing, type ListingBroadcast } from "./erased-recipients.store";
import { deleteErasedSubscribers, uncountErasedSubscribers } from "./erased-subscribers.store";

/** Maximum number of messages that one step deletes. */
const ERASE_SIZE = 500;
/** Maximum number of erasures that one sweep resumes. */
const MAX_LATE = 200;

const { id, company_id, hashes, requested_at } = erasures;

const openErasure = statement({ id, companyId: company_id, hashes, now: requested_at }, (p) =>
  queryBuilder.insert(erasures).values({ id: p.id, company_id: p.companyId, hashes: p.hashes, requested_at: p.now }),
);

const erasureRow = alias(erasures, "erasure");
const hash = jsonEach(sql<string[]>`${erasureRow.hashes}`, "hash");

// Messages that were accepted after the erasure request are kept, because the user may have returned.
const erasedMessages = (
  erasureId: SQL<string>,
) => sql`from ${tableReference(erasureRow)} cross join ${hash.from} cross join ${messages}
    on ${messages.company_id} = ${erasureRow.company_id} and ${messages.email_hmac} = ${hash.value}
      and ${messages.accepted_at} <= ${erasureRow.requested_at}
  where ${erasureRow.id} = ${erasureId}`;
const unsentMessages = (erasureId: SQL<string>) =>
  sql`${erasedMessages(erasureId)} and ${inArray(messages.status, ["queued", "retrying", "sending"])}`;

const countErased = statement({ id }, (p) =>
  selectRows({ messages: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} ${erasedMessages(p.id)}`),
);

const insertAudit = statement({ id, kind: audit_log.actor_kind, userId: audit_log.actor_user_id }, (p) =>
  insertSelect(
    audit_log,
    {
      at: requested_at,
      actor_kind: p.kind,
      actor_user_id: p.userId,
      company_id,
      action: "privacy.erased",
      target: "address",
      changes: sql`json_object('deleted_messages', (select count(*) ${erasedMessages(p.id)}))`,
    },
    sql`from ${erasures} where ${id} = ${p.id}`,
  ),
);

// Roll-ups are kept longer than messages. Without this statement, they would count a deleted message as waiting forever.
const countUnsent = statement({ id }, (p) =>
  countMoves(["cancelled"], sql`'cancelled'`, sql`${unsentMessages(p.id)} and ${isCounted}`),
);

// A running attempt loses its lease, so it stores no result, and bulk mail does not start DATA.
const endUnsent = statement({ id }, (p) =>
  queryBuilder
    .update(messages)
    .set({ ...ENDED, status: "cancelled", lease_token: null, locked_until: null })
    .where(sql`${messages.id} in (select ${messages.id} ${unsentMessages(p.id)})`),
);

const deleteContents = statement({ id }, (p) =>
  queryBuilder
    .delete(direct_contents)
    .where(isUnneededBy(sql`${erasedMessages(p.id)} and ${messages.lane} = 'transactional'`)),
);

// The sweep removes the attachments within a minute, unless mail to another address still needs them.
const releaseAttachments = statement({ id, now: requested_at }, (p) =>
  queryBuilder
    .update(message_attachments)
    .set({ check_at: p.now })
    .where(
      sql`${message_attachments.id} in (select ${messages.attachments_id} ${erasedMessages(p.id)} and ${messages.attachments_id} is not null)`,
    ),
);

// Messages that are not rolled up yet are counted before they are deleted. The first step handles all of them, because they
// are few. Requests within the idempotency window are kept, so that a repeated request does not send a second mail.

const uncountedMessages = (erasureId: SQL<string>) => sql`${erasedMessages(erasureId)} and ${isUncounted}`;

const countUncounted = statement({ id }, (p) => countMessages(uncountedMessages(p.id)));

const eraseUncounted = statement({ id }, (p) =>
  queryBuilder.delete(messages).where(sql`${messages.id} in (select ${messages.id} ${uncountedMessages(p.id)})`),
);

const keepRequests = statement({ id, windowStart: integer }, (p) =>
  insertSelect(
    send_requests,
    requestOfMessage,
    sql`${erasedMessages(p.id)} and ${messages.idempotency_key} is not null and ${messages.accepted_at} > ${p.windowStart}
      on conflict do nothing`,
  ),
);

const eraseBatch = statement({ id }, (p) =>
  queryBuilder
    .delete(messages)
    .where(sql`${messages.id} in (select ${messages.id} ${erasedMessages(p.id)} limit ${ERASE_SIZE})`),
);

const decision = alias(decisions, "decision");

const erasedDecisions = (
  erasureId: SQL<string>,
) => sql`from ${tableReference(erasureRow)} cross join ${hash.from} cross join ${indexedBy(decision, "decisions_address")}
    on ${decision.company_id} = ${erasureRow.company_id} and ${decision.email_hmac} = ${hash.value} and ${decision.created_at} <= ${erasureRow.requested_at}
  where ${erasureRow.id} = ${erasureId} and ${decision.email_hmac} is not null`;

const eraseDecisions = statement({ id }, (p) =>
  queryBuilder.delete(decisions).where(
    sql`(${decisions.company_id}, ${decisions.id}) in
        (select ${decision.company_id}, ${decision.id} ${erasedDecisions(p.id)} limit ${ERASE_SIZE})`,
  ),
);

const closeErasure = statement({ id }, (p) =>
  queryBuilder
    .delete(erasures)
    .where(
      and(
        eq(id, p.id),
        sql`not exists (select 1 ${erasedMessages(p.id)})`,
        sql`not exists (select 1 ${erasedDecisions(p.id)})`,
        hasNoEvents(p.id),
      ),
    ),
);

const findOpen = statement({ id }, (p) => queryBuilder.select({ id }).from(erasures).where(eq(id, p.id)));

/** Statement: the open erasures that were requested by `before` (ms since the epoch), oldest first. */
export const findLateErasures = statement({ before: integer }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(erasures)
    .where(lte(requested_at, p.before))
    .orderBy(asc(requested_at))
    .limit(MAX_LATE),
);

/** The result of a step: the events to mask, and whether another step is needed. */
export type ErasureStep = { hasMore: boolean; events: EventAboutErased[] };

/**
 * Starts an erasure in one transaction: cancels all unsent mail to the address, removes it from broadcasts and
 * newsletters, and deletes the first messages. The row of the
 * erasure exists until all messages are deleted and all events are masked. `hashes` are the hashes of the address, one per
 * pepper. Requests since `windowStart` (ms since the epoch) are kept for idempotent repeats. `lists` and the
 * broadcasts that list the address are read in the same transaction.
 */
export async function startErasure<Row>(
  db: Db,
  { windowStart, ...erasure }: { id: string; companyId: number; hashes: string[]; now: number; windowStart: number },
  actor: AuditActor,
  lists: Bound<Row>,
): Promise<ErasureStep & { messages: number; lists: Row[]; listing: ListingBroadcast[] }> {
  const { id, companyId } = erasure;
  const listStatement: Record<"lists", Bound<Row>> = { lists };
  const {
    erasedCount,
    lists: listResult,
    listing,
    ...step
  } = await db.batch({
    ...listStatement,
    opened: openErasure(erasure),
    erasedCount: countErased({ id }),
    audit: insertAudit({ id, ...actor }),
    stats: countUnsent({ id }),
    unsentMessages: endUnsent({ id }),
    recipients: eraseRecipients({ companyId, hashes: erasure.hashes }),
    listing: findListing({ companyId, hashes: erasure.hashes }),
    subscribers: [uncountErasedSubscribers({ id }), deleteErasedSubscribers({ id })],
    contents: deleteContents({ id }),
    attachments: releaseAttachments({ id, now: erasure.now }),
    deliveries: endDeliveries({ id }),
    ...stepStatements(id, windowStart),
  });
  return {
    messages: erasedCount.first?.messages ?? 0,
    lists: listResult.rows,
    listing: listing.rows,
    ...readStep(step),
  };
}

/**
 * Runs the next step of an erasure. Requests since `windowStart` (ms since the epoch) are kept for idempotent repeats. The call
 * can be repeated safely.
 */
export async function continueErasure(db: Db, id: string, windowStart: number): Promise<ErasureStep> {
  return readStep(await db.batch(stepStatements(id, windowStart)));
}

/** Stores masked events, and their masked envelopes in the deliveries. Returns whether another step is needed. */
export async function storeMasked(db: Db, id: string, events: readonly EventAboutErased[]): Promise<boolean> {
  const { open } = await db.batch({
    masks: toSlices(events).flatMap((slice) =>
      [clearResponses, maskDeliveries, maskEvents].map((statement) => statement({ events: slice })),
    ),
    closed: closeErasure({ id }),
    open: findOpen({ id }),
  });
  return open.first !== null;
}

const stepStatements = (id: string, windowStart: number) => ({
  requests: keepRequests({ id, windowStart }),
  counted: countUncounted({ id }),
  uncountedMessages: eraseUncounted({ id }),
  messages: eraseBatch({ id }),
  decisions: eraseDecisions({ id }),
  orphanAnswers: clearOrphanResponses({ id }),
  orphans: emptyOrphans({ id }),
  closed: closeErasure({ id }),
  events: findEvents({ id }),
  open: findOpen({ id }),
});

function readStep({
  events,
  open,
}: Pick<BatchResults<ReturnType<typeof stepStatements>>, "events" | "open">): ErasureStep {
  return { events: events.rows, hasMore: open.first !== null };
}
