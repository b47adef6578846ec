import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { BroadcastRow, CompanyProviderRow, LaneStateRow, RecipientRow } from "../../../../db/email/rows";
import {
  broadcast_recipients,
  broadcasts,
  company_providers,
  lane_states,
  subscribers,
  template_versions,
} from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { toSlices } from "../../../kit/db/slices";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";
import { isHeld, type Lease, leaseParameters, releaseLostStep } from "./step.store";

/** Maximum number of subscribers in a page. */
const SUBSCRIBER_PAGE = 1000;

const { id, pending } = broadcasts;

const findProvider = statement({ companyId: company_providers.company_id }, (p) =>
  queryBuilder
    .select(allColumns(company_providers))
    .from(company_providers)
    .where(eq(company_providers.company_id, p.companyId)),
);

const findVersion = statement({ id: template_versions.id }, (p) =>
  queryBuilder.select({ id: template_versions.id }).from(template_versions).where(eq(template_versions.id, p.id)),
);

const findPauses = statement({ companyId: lane_states.company_id }, (p) =>
  queryBuilder
    .select(allColumns(lane_states))
    .from(lane_states)
    .where(
      and(
        eq(lane_states.lane, "bulk"),
        eq(lane_states.paused, true),
        sql`${lane_states.company_id} in (0, ${p.companyId})`,
      ),
    ),
);

/** What is checked again before a broadcast starts: the pauses of its lane, its sender and its version. */
export type StartFacts = { pauses: LaneStateRow[]; provider: CompanyProviderRow | null; hasVersion: boolean };

/** Reads what is checked again before a broadcast starts, in one round trip. */
export async function readStartFacts(db: Db, { company_id: companyId, version_id }: BroadcastRow): Promise<StartFacts> {
  const { pauses, provider, version } = await db.batch({
    pauses: findPauses({ companyId }),
    provider: findProvider({ companyId }),
    version: findVersion({ id: version_id ?? 0 }),
  });
  return { pauses: pauses.rows, provider: provider.first, hasVersion: version.first !== null };
}

const moveToQueued = statement({ ...leaseParameters, now: integer }, (p) =>
  queryBuilder.update(broadcasts).set({ state: "queued", updated_at: p.now }).where(isHeld(p)),
);

/** Moves a scheduled broadcast to `queued`. Returns false when the step has lost it. */
export async function queueScheduled(db: Db, lease: Lease, now: number): Promise<boolean> {
  return (await db.run(moveToQueued({ ...lease, now }))).changes > 0;
}

const moveToPreparing = statement(
  { ...leaseParameters, scope: broadcasts.scope, from: broadcasts.from_email, now: integer },
  (p) =>
    queryBuilder
      .update(broadcasts)
      .set({
        state: "preparing",
        scope: p.scope,
        from_email: p.from,
        cursor: "",
        failed_pages: 0,
        failed_steps: 0,
        pending: 0,
        skipped_unsubscribed: 0,
        skipped_suppressed: 0,
        removed: 0,
        messages: 0,
        last_error_code: "",
        updated_at: p.now,
      })
      .where(isHeld(p)),
);

/** Begins to read the audience, with the sender that is chosen now. Returns false when the step has lost the broadcast. */
export async function startPreparing(
  db: Db,
  lease: Lease,
  { sender, now }: { sender: { scope: "company" | "platform"; from: { address: string } }; now: number },
): Promise<boolean> {
  const { changes } = await db.run(moveToPreparing({ ...lease, scope: sender.scope, from: sender.from.address, now }));
  return changes > 0;
}

/** A recipient to store. */
export type NewRecipient = Omit<RecipientRow, "broadcast_id" | "status" | "subscriber_id">;

const insertRecipients = statement({ ...leaseParameters, recipients: json<readonly NewRecipient[]>() }, (p) => {
  const { from, item } = jsonEach(p.recipients);
  return insertSelect(
    broadcast_recipients,
    {
      broadcast_id: id,
      email_hmac: item.email_hmac,
      status: "pending",
      user_id: item.user_id,
      contact_enc: item.contact_enc,
      email_masked: item.email_masked,
      language: item.language,
    },
    sql`from ${broadcasts} cross join ${from} where ${isHeld(p)} on conflict do nothing`,
  );
});

const range = { after: subscribers.id, until: subscribers.id };

const insertSubscribers = statement({ ...leaseParameters, ...range }, (p) =>
  insertSelect(
    broadcast_recipients,
    {
      broadcast_id: id,
      email_hmac: subscribers.email_hmac,
      status: "pending",
      subscriber_id: subscribers.id,
      email_masked: subscribers.email_masked,
      language: subscribers.language,
    },
    sql`from ${broadcasts} cross join ${subscribers} on ${subscribers.list_id} = ${broadcasts.list_id} and ${subscribers.status} = 'confirmed'
      and ${subscribers.id} > ${p.after} and ${subscribers.id} <= ${p.until}
      where ${isHeld(p)} and ${subscribers.company_id} = ${broadcasts.company_id} on conflict do nothing`,
  ),
);

// Must directly follow the insertion, whose rows it counts.
const addPending = statement(leaseParameters, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({ pending: sql`${pending} + changes()` })
    .where(isHeld(p)),
);

const lastOfPage = statement({ listId: subscribers.list_id, after: subscribers.id }, (p) =>
  queryBuilder
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(and(eq(subscribers.list_id, p.listId), eq(subscribers.status, "confirmed"), gt(subscribers.id, p.after)))
    .orderBy(asc(subscribers.id))
    .limit(1)
    .offset(sql.raw(String(SUBSCRIBER_PAGE - 1)) as unknown as number),
);

/** Returns the last subscriber of the page after `after`, or null when the page is the last one. */
export async function findPageEnd(db: Db, listId: number, after: number): Promise<number | null> {
  return (await db.first(lastOfPage({ listId, after })))?.id ?? null;
}

const moveOn = statement({ ...leaseParameters, next: broadcasts.cursor }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({ cursor: p.next, failed_pages: 0, failed_steps: 0 })
    .where(isHeld(p))
    .returning({ pending }),
);

// The audience is complete, so the token is not needed any more.
const moveToSending = statement({ ...leaseParameters, now: integer }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      state: "sending",
      cursor: "",
      bearer_enc: null,
      bearer_expires_at: null,
      started_at: p.now,
      failed_steps: 0,
      updated_at: p.now,
    })
    .where(isHeld(p)),
);

/** Ends the preparation. Returns false when the step has lost the broadcast. */
export async function startSending(db: Db, lease: Lease, now: number): Promise<boolean> {
  return (await db.run(moveToSending({ ...lease, now }))).changes > 0;
}

/** A page of the audience: recipients to store, or the range of subscribers. */
export type Page = { recipients: readonly NewRecipient[] } | { after: number; until: number };

/**
 * Stores a page and moves to the position `next`. Recipients that are stored already are not stored again. Returns the number
 * of waiting recipients, or null when the step has lost the broadcast.
 */
export async function storePage(
  db: Db,
  lease: Lease,
  { page, next }: { page: Page; next: string },
): Promise<number | null> {
  const inserts: Bound[] =
    "recipients" in page
      ? toSlices(page.recipients).map((recipients) => insertRecipients({ ...lease, recipients }))
      : [insertSubscribers({ ...lease, ...page })];
  const { moved } = await db.batch({
    inserted: inserts.map((insert) => followedBy(insert, addPending(lease))),
    moved: moveOn({ ...lease, next }),
  });
  return moved.first?.pending ?? null;
}

const countFailure = statement({ ...leaseParameters, nextAt: integer }, (p) =>
  queryBuilder
    .update(broadcasts)
    .set({
      failed_pages: sql`${broadcasts.failed_pages} + 1`,
      step_token: null,
      step_until: null,
      next_step_at: p.nextAt,
    })
    .where(isHeld(p)),
);

/** Counts a page that identity did not return, and gives the lease back until `nextAt` (unix ms). */
export async function storeFailedPage(db: Db, lease: Lease, nextAt: number): Promise<void> {
  await db.batch({ counted: countFailure({ ...lease, nextAt }), lost: releaseLostStep(lease) });
}
