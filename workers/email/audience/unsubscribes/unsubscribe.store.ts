import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import type { AddressedMessage, NewEvent } from "../../../../db/email/rows";
import { company_profiles, event_log, messages, unsubscribes } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, json, nullable } from "../../../kit/db/kind";
import {
  allColumns,
  indexedBy,
  insertSelect,
  isInList,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";
import type { WebhooksContext } from "../../../kit/webhooks/context";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";

const { id, company_id, email_hmac, category, source } = unsubscribes;
const address = { companyId: company_id, emailHmac: email_hmac };

const insertOnce = statement({ ...address, category, source, now: integer }, (p) =>
  queryBuilder
    .insert(unsubscribes)
    .values({
      company_id: p.companyId,
      email_hmac: p.emailHmac,
      category: p.category,
      source: p.source,
      created_at: p.now,
    })
    .onConflictDoNothing({ target: [company_id, email_hmac, category] }),
);

const { id: event_id, event_type: type, data } = event_log;
// Run `insertFirstEvent` before `insertOnce`, because it inserts the event only if the unsubscribe does not exist yet.
const insertFirstEvent = statement(
  { ...address, category, event_id, type, data, envelope: event_log.data, now: integer },
  (p) =>
    insertSelect(
      event_log,
      eventColumns(p, { company_id: p.companyId, email_hmac: p.emailHmac }, p.now),
      sql`where not exists (select 1 from ${unsubscribes}
          where ${company_id} = ${p.companyId} and ${email_hmac} = ${p.emailHmac} and ${category} = ${p.category})
        on conflict do nothing`,
    ),
);

const findCompanyName = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ name: company_profiles.name })
    .from(company_profiles)
    .where(eq(company_profiles.company_id, p.companyId)),
);

const findLatestMessage = statement(address, (p) => {
  const { id, company_id, to_masked, to_enc, to_user_id } = messages;
  return queryBuilder
    .select({ id, company_id, to_masked, to_enc, to_user_id })
    .from(messages)
    .where(and(eq(company_id, p.companyId), eq(messages.email_hmac, p.emailHmac)))
    .orderBy(desc(messages.accepted_at))
    .limit(1);
});

const isUnsubscribeOf = (p: Record<"companyId" | "emailHmac" | "category", SQL>) =>
  and(eq(company_id, p.companyId), eq(email_hmac, p.emailHmac), eq(category, p.category));

const findStoredUnsubscribe = statement({ ...address, category }, (p) =>
  queryBuilder.select({ id }).from(unsubscribes).where(isUnsubscribeOf(p)),
);

const removeByAddress = statement({ ...address, category }, (p) =>
  queryBuilder.delete(unsubscribes).where(isUnsubscribeOf(p)),
);

/** An address and the category of company mail that it unsubscribes from. */
type Unsubscribe = { companyId: number; emailHmac: string; category: string };

/**
 * The content of the unsubscribe page: the company name, the latest message to the address, and whether the address is
 * unsubscribed from the category. Name and message are null when unknown.
 */
export type UnsubscribeScope = {
  companyName: string | null;
  message: AddressedMessage | null;
  isUnsubscribed: boolean;
};

/** Reads the content of the page in one round trip. The token contains only a hash, so a message supplies the address. */
export async function findUnsubscribeScope(
  db: Db,
  { companyId, emailHmac, category }: Unsubscribe,
): Promise<UnsubscribeScope> {
  const { profile, message, stored } = await db.batch(scopeReads({ companyId, emailHmac, category }));
  return { companyName: profile.first?.name ?? null, message: message.first, isUnsubscribed: stored.first !== null };
}

/**
 * Returns the latest message to an address in each company, in the order of `companyIds`; null if there is none. Takes one
 * round trip.
 */
export async function findLatestMessages(
  db: Db,
  companyIds: readonly number[],
  emailHmac: string,
): Promise<(AddressedMessage | null)[]> {
  const { latest } = await db.batch({
    latest: companyIds.map((companyId) => findLatestMessage({ companyId, emailHmac })),
  });
  return latest.map(({ first }) => first);
}

const scopeReads = ({ companyId, emailHmac, category }: Unsubscribe) => ({
  profile: findCompanyName({ companyId }),
  message: findLatestMessage({ companyId, emailHmac }),
  stored: findStoredUnsubscribe({ companyId, emailHmac, category }),
});

/** Deletes an unsubscribe and returns the content of the page, in one round trip. A repeated call changes nothing. */
export async function resubscribe(db: Db, unsubscribe: Unsubscribe): Promise<UnsubscribeScope> {
  const { companyId, emailHmac, category } = unsubscribe;
  const { profile, message } = await db.batch({
    removed: removeByAddress({ companyId, emailHmac, category }),
    ...scopeReads(unsubscribe),
  });
  return { companyName: profile.first?.name ?? null, message: message.first, isUnsubscribed: false };
}

/** An unsubscribe with its event. Repeated unsubscribes do not store the event. */
export type NewUnsubscribe = Unsubscribe & { event: Omit<NewEvent, "id" | "company_id"> };

/**
 * Stores unsubscribes with their events. All companies must be in this database. A repeated call changes nothing and stores no
 * event. `now` is in ms since the epoch.
 */
export async function insertUnsubscribes(
  context: WebhooksContext,
  db: Db,
  newUnsubscribes: readonly NewUnsubscribe[],
  source: string,
  now: number,
): Promise<void> {
  const statements = newUnsubscribes.flatMap(({ event, companyId, emailHmac, category }) => {
    const key = { companyId, emailHmac, category };
    return [insertFirstEvent({ ...key, ...event, now }), insertOnce({ ...key, source, now })];
  });
  const events = newUnsubscribes.map(({ event, companyId }) => ({ id: event.event_id, company_id: companyId }));
  await batchWithEvents(context, db, { statements }, events);
}

const unsubscribeRow = alias(unsubscribes, "unsubscribe");
const messageRow = alias(messages, "message");
const page = { companyId: company_id, beforeId: id, limit: integer };

// Selects unsubscribes with the masked address of the latest stored message, because an unsubscribe contains only a hash.
function selectPage(
  p: Record<"companyId" | "beforeId" | "limit", SQL<number>>,
  index: string,
  addressCondition = sql``,
) {
  const masked = sql`(select ${messageRow.to_masked} from ${tableReference(messageRow)}
    where ${messageRow.company_id} = ${unsubscribeRow.company_id} and ${messageRow.email_hmac} = ${unsubscribeRow.email_hmac}
    order by ${messageRow.accepted_at} desc limit 1)`;
  const { id, category, source, created_at } = unsubscribeRow;
  return selectRows(
    { id, category, source, created_at, email_masked: masked.mapWith(nullable(messages.to_masked)) },
    (
      columns,
    ) => sql`select ${columns} from ${indexedBy(unsubscribeRow, index)} where ${unsubscribeRow.company_id} = ${p.companyId} and ${unsubscribeRow.id} < ${p.beforeId}
      ${addressCondition} order by ${unsubscribeRow.id} desc limit ${p.limit}`,
  );
}

/** Statement: one page of the unsubscribes of a company, newest first. */
export const listUnsubscribes = statement(page, (p) => selectPage(p, "unsubscribes_company"));

/** Statement: one page of the unsubscribes of an address by its hashes, newest first. */
export const listUnsubscribesOf = statement({ ...page, hashes: json<string[]>() }, (p) =>
  selectPage(p, "unsubscribes_address", sql`and ${isInList(unsubscribeRow.email_hmac, p.hashes)}`),
);

/** Statement: the unsubscribe with this id. */
export const findUnsubscribe = statement({ id }, (p) =>
  queryBuilder.select(allColumns(unsubscribes)).from(unsubscribes).where(eq(id, p.id)),
);

const remove = statement({ id, companyId: company_id }, (p) =>
  queryBuilder.delete(unsubscribes).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Deletes an unsubscribe and stores the audit entry. Returns false when the unsubscribe does not exist. */
export async function deleteUnsubscribe(
  db: Db,
  { id, company_id: companyId }: Pick<typeof unsubscribes.$inferSelect, "id" | "company_id">,
  entry: Bound,
): Promise<boolean> {
  const { removed } = await db.batch({ removed: followedBy(remove({ id, companyId }), entry) });
  return removed.changes > 0;
}
