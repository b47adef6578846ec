import { and, asc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ENDED } from "../../../../db/email/conditions/messages";
import { requestOfMessage } from "../../../../db/email/conditions/requests";
import { countMessages, countMoves, isCounted, isUncounted } from "../../../../db/email/conditions/stats";
import type { EventAboutErased } from "../../../../db/email/rows";
import { audit_log, decisions, erasures, messages, send_requests } from "../../../../db/email/schema";
import type { AuditActor } from "../../../../db/kit/audit";
import type { BatchResults, Db } from "../../../kit/db/db";
import { integer } from "../../../kit/db/kind";
import { indexedBy, insertSelect, jsonEach, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, statement } from "../../../kit/db/statement";
import {
  emptyOrphans,
  endDeliveries,
  findEvents,
  forgetAnswers,
  forgetOrphanAnswers,
  isEventless,
  maskDeliveries,
  maskEvents,
} from "./erased-events.store";

/** Messages that one step deletes. */
const ERASE_SIZE = 500;
/** Erasures that one sweep rings for. */
const MAX_LATE = 200;

const { id, company_id, hashes, requested_at } = erasures;

const openErasure = statement({ id, companyId: company_id, hashes, now: requested_at }, (p) =>
  queryBuilder.insert(erasures).values({ id: p.id, company_id: p.companyId, hashes: p.hashes, requested_at: p.now }),
);

const e = alias(erasures, "e");
const hash = jsonEach(sql<string[]>`${e.hashes}`, "h");

// What was accepted after the request stays: the person may have come back since.
const erased = (erasureId: SQL<string>) => sql`from ${tableReference(e)} cross join ${hash.from} cross join ${messages}
    on ${messages.company_id} = ${e.company_id} and ${messages.email_hmac} = ${hash.value}
      and ${messages.accepted_at} <= ${e.requested_at}
  where ${e.id} = ${erasureId}`;
const unsent = (erasureId: SQL<string>) =>
  sql`${erased(erasureId)} and ${inArray(messages.status, ["queued", "retrying", "sending"])}`;

const countErased = statement({ id }, (p) =>
  selectRows({ messages: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} ${erased(p.id)}`),
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
      changes: sql`json_object('deleted_messages', (select count(*) ${erased(p.id)}))`,
    },
    sql`from ${erasures} where ${id} = ${p.id}`,
  ),
);

// Roll-ups outlive the messages, so none may be left in them as waiting for ever.
const countUnsent = statement({ id }, (p) =>
  countMoves(["cancelled"], sql`'cancelled'`, sql`${unsent(p.id)} and ${isCounted}`),
);

// Without its lease a running attempt stores no result, and begins no DATA of bulk mail.
const endUnsent = statement({ id }, (p) =>
  queryBuilder
    .update(messages)
    .set({ ...ENDED, status: "cancelled", lease_token: null, locked_until: null })
    .where(sql`${messages.id} in (select ${messages.id} ${unsent(p.id)})`),
);

// What is deleted before a fold would be missing in the roll-ups, so it is counted, and goes with the first step: a fold
// leaves few. A request inside its window still answers repeats, so that none becomes a second mail.

const uncounted = (erasureId: SQL<string>) => sql`${erased(erasureId)} and ${isUncounted}`;

const countUncounted = statement({ id }, (p) => countMessages(uncounted(p.id)));

const eraseUncounted = statement({ id }, (p) =>
  queryBuilder.delete(messages).where(sql`${messages.id} in (select ${messages.id} ${uncounted(p.id)})`),
);

const keepRequests = statement({ id, windowStart: integer }, (p) =>
  insertSelect(
    send_requests,
    requestOfMessage,
    sql`${erased(p.id)} and ${messages.idempotency_key} is not null and ${messages.accepted_at} > ${p.windowStart}
      on conflict do nothing`,
  ),
);

const eraseSome = statement({ id }, (p) =>
  queryBuilder
    .delete(messages)
    .where(sql`${messages.id} in (select ${messages.id} ${erased(p.id)} limit ${ERASE_SIZE})`),
);

const d = alias(decisions, "d");

const aboutErased = (
  erasureId: SQL<string>,
) => sql`from ${tableReference(e)} cross join ${hash.from} cross join ${indexedBy(d, "decisions_address")}
    on ${d.company_id} = ${e.company_id} and ${d.email_hmac} = ${hash.value} and ${d.created_at} <= ${e.requested_at}
  where ${e.id} = ${erasureId} and ${d.email_hmac} is not null`;

const eraseDecisions = statement({ id }, (p) =>
  queryBuilder.delete(decisions).where(
    sql`(${decisions.company_id}, ${decisions.id}) in
        (select ${d.company_id}, ${d.id} ${aboutErased(p.id)} limit ${ERASE_SIZE})`,
  ),
);

const closeErasure = statement({ id }, (p) =>
  queryBuilder
    .delete(erasures)
    .where(
      and(
        eq(id, p.id),
        sql`not exists (select 1 ${erased(p.id)})`,
        sql`not exists (select 1 ${aboutErased(p.id)})`,
        isEventless(p.id),
      ),
    ),
);

const findOpen = statement({ id }, (p) => queryBuilder.select({ id }).from(erasures).where(eq(id, p.id)));

/** Erasures that were asked for at `before` (unix ms) or earlier and are not done, the oldest first. */
export const findLateErasures = statement({ before: integer }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(erasures)
    .where(lte(requested_at, p.before))
    .orderBy(asc(requested_at))
    .limit(MAX_LATE),
);

/** What a step has left: events to be masked, and whether there is anything for a further step. */
export type ErasureStep = { hasMore: boolean; events: EventAboutErased[] };

/**
 * Begins an erasure in one transaction: nothing of the address is sent any more, the first messages go with their events,
 * and the row stays until the last one is gone and all events about them are masked. `hashes`: of the address by each
 * pepper. A request since `windowStart` (unix ms) still answers repeats. `lists` is read with it.
 */
export async function startErasure<Row>(
  db: Db,
  { windowStart, ...erasure }: { id: string; companyId: number; hashes: string[]; now: number; windowStart: number },
  actor: AuditActor,
  lists: Bound<Row>,
): Promise<ErasureStep & { messages: number; lists: Row[] }> {
  const { id } = erasure;
  const read: Record<"lists", Bound<Row>> = { lists };
  const {
    found,
    lists: listed,
    ...step
  } = await db.batch({
    ...read,
    opened: openErasure(erasure),
    found: countErased({ id }),
    audit: insertAudit({ id, ...actor }),
    stats: countUnsent({ id }),
    unsent: endUnsent({ id }),
    deliveries: endDeliveries({ id }),
    ...stepOf(id, windowStart),
  });
  return { messages: found.first?.messages ?? 0, lists: listed.rows, ...readStep(step) };
}

/** The next step of an erasure. A request since `windowStart` (unix ms) still answers repeats. A repeat, or an erasure that is done, does no harm. */
export async function continueErasure(db: Db, id: string, windowStart: number): Promise<ErasureStep> {
  return readStep(await db.batch(stepOf(id, windowStart)));
}

/** Stores events with masked data, for their deliveries too; whether there is anything for a further step. */
export async function storeMasked(db: Db, id: string, events: readonly EventAboutErased[]): Promise<boolean> {
  const { open } = await db.batch({
    masks: toSlices(events).flatMap((slice) =>
      [forgetAnswers, maskDeliveries, maskEvents].map((statement) => statement({ events: slice })),
    ),
    closed: closeErasure({ id }),
    open: findOpen({ id }),
  });
  return open.first !== null;
}

const stepOf = (id: string, windowStart: number) => ({
  requests: keepRequests({ id, windowStart }),
  counted: countUncounted({ id }),
  uncounted: eraseUncounted({ id }),
  messages: eraseSome({ id }),
  decisions: eraseDecisions({ id }),
  orphanAnswers: forgetOrphanAnswers({ id }),
  orphans: emptyOrphans({ id }),
  closed: closeErasure({ id }),
  events: findEvents({ id }),
  open: findOpen({ id }),
});

function readStep({ events, open }: Pick<BatchResults<ReturnType<typeof stepOf>>, "events" | "open">): ErasureStep {
  return { events: events.rows, hasMore: open.first !== null };
}
