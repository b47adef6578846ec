import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import type { AddressedMessage, BrandingRow, NewEvent } from "../../../../db/email/rows";
import { brandings, company_profiles, event_log, messages, unsubscribes } from "../../../../db/email/schema";
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
import {
  findNewsletterName,
  findSubscriptions,
  leaveStatements,
  restoreStatements,
  type Subscription,
  type SubscriptionEvent,
} from "./subscription.store";

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

const findBranding = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(allColumns(brandings)).from(brandings).where(eq(brandings.company_id, p.companyId)),
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

const findCategories = statement(address, (p) =>
  queryBuilder
    .select({ category })
    .from(unsubscribes)
    .where(and(eq(company_id, p.companyId), eq(email_hmac, p.emailHmac))),
);

const removeByAddress = statement({ ...address, category }, (p) =>
  queryBuilder
    .delete(unsubscribes)
    .where(and(eq(company_id, p.companyId), eq(email_hmac, p.emailHmac), eq(category, p.category))),
);

/** An address and the category of company mail that it unsubscribes from. `listId` is the newsletter of the category, or null. */
type Unsubscribe = { companyId: number; emailHmac: string; category: string; listId: number | null };

/**
 * The stored facts about an unsubscribe link: company name, branding, the latest message to the address, the newsletter of the
 * category, the subscriptions and the unsubscribes of the address. What does not exist is null.
 */
export type UnsubscribeFacts = {
  companyName: string | null;
  branding: BrandingRow | null;
  message: AddressedMessage | null;
  newsletter: Pick<Subscription, "list_id" | "list_name" | "public_key"> | null;
  subscriptions: readonly Subscription[];
  unsubscribes: readonly { category: string }[];
};

const stateReads = ({ companyId, emailHmac }: Pick<Unsubscribe, "companyId" | "emailHmac">) => ({
  subscriptions: findSubscriptions({ companyIds: [companyId], emailHmac }),
  categories: findCategories({ companyId, emailHmac }),
});

/** Reads the facts about an unsubscribe link in one round trip. */
export async function findUnsubscribeFacts(
  db: Db,
  unsubscribe: Omit<Unsubscribe, "category">,
): Promise<UnsubscribeFacts> {
  const { companyId, emailHmac, listId } = unsubscribe;
  const { profile, branding, message, newsletter, subscriptions, categories } = await db.batch({
    profile: findCompanyName({ companyId }),
    branding: findBranding({ companyId }),
    message: findLatestMessage({ companyId, emailHmac }),
    newsletter: listId === null ? null : findNewsletterName({ id: listId, companyId }),
    ...stateReads(unsubscribe),
  });
  return {
    companyName: profile.first?.name ?? null,
    branding: branding.first,
    message: message.first,
    newsletter: newsletter?.first ?? null,
    subscriptions: subscriptions.rows,
    unsubscribes: categories.rows,
  };
}

/** The latest message to an address in a company, or null, and the subscriptions of the address there. */
type AddressFacts = { companyId: number } & Pick<UnsubscribeFacts, "message" | "subscriptions">;

/** Returns the facts about an address in each company, in the order of `companyIds`, in one round trip. */
export async function findAddressFacts(
  db: Db,
  companyIds: readonly number[],
  emailHmac: string,
): Promise<AddressFacts[]> {
  const { latest, subscriptions } = await db.batch({
    latest: companyIds.map((companyId) => findLatestMessage({ companyId, emailHmac })),
    subscriptions: findSubscriptions({ companyIds, emailHmac }),
  });
  return companyIds.map((companyId, index) => ({
    companyId,
    message: latest[index]?.first ?? null,
    subscriptions: subscriptions.rows.filter((row) => row.company_id === companyId),
  }));
}

/**
 * Deletes an unsubscribe and restores the subscriptions that it ended, with their events. Returns the state after it, in one
 * round trip. A repeated call changes nothing. `now` is in ms since the epoch.
 */
export async function resubscribe(
  context: WebhooksContext,
  db: Db,
  unsubscribe: Unsubscribe,
  events: readonly SubscriptionEvent[],
  now: number,
): Promise<Pick<UnsubscribeFacts, "subscriptions" | "unsubscribes">> {
  const { companyId, emailHmac, category } = unsubscribe;
  const statements = {
    restored: restoreStatements(unsubscribe, events, now),
    removed: removeByAddress({ companyId, emailHmac, category }),
    ...stateReads(unsubscribe),
  };
  const keys = events.map(({ event_id: id }) => ({ id, company_id: companyId }));
  const { subscriptions, categories } = await batchWithEvents(context, db, statements, keys);
  return { subscriptions: subscriptions.rows, unsubscribes: categories.rows };
}

/** An unsubscribe with its event, and the events of the subscriptions that it ends. Repeated unsubscribes store no event. */
export type NewUnsubscribe = Unsubscribe & {
  event: Omit<NewEvent, "id" | "company_id">;
  left: readonly SubscriptionEvent[];
};

/**
 * Stores unsubscribes with their events and ends subscriptions. All companies must be in this database. A repeated call changes
 * nothing and stores no event. `now` is in ms since the epoch.
 */
export async function insertUnsubscribes(
  context: WebhooksContext,
  db: Db,
  newUnsubscribes: readonly NewUnsubscribe[],
  source: string,
  now: number,
): Promise<void> {
  const statements = newUnsubscribes.flatMap((unsubscribe) => {
    const { event, left, companyId, emailHmac, category } = unsubscribe;
    const key = { companyId, emailHmac, category };
    return [
      insertFirstEvent({ ...key, ...event, now }),
      ...leaveStatements(unsubscribe, left, now),
      insertOnce({ ...key, source, now }),
    ];
  });
  const events = newUnsubscribes.flatMap(({ event, left, companyId }) =>
    [event, ...left].map(({ event_id: id }) => ({ id, company_id: companyId })),
  );
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

/**
 * Deletes an unsubscribe, restores the subscriptions that it ended, and stores the audit entry. Returns false when the
 * unsubscribe does not exist. `now` is in ms since the epoch.
 */
export async function deleteUnsubscribe(
  db: Db,
  { id, ...unsubscribe }: Unsubscribe & { id: number },
  entry: Bound,
  now: number,
): Promise<boolean> {
  const { removed } = await db.batch({
    restored: restoreStatements(unsubscribe, [], now),
    removed: followedBy(remove({ id, companyId: unsubscribe.companyId }), entry),
  });
  return removed.changes > 0;
}
