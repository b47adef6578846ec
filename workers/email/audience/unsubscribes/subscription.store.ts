import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import { event_log, newsletters, subscribers, unsubscribes } from "../../../../db/email/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import {
  filterUnlessNull,
  insertSelect,
  isInList,
  queryBuilder,
  type SelectedRow,
  selectRows,
} from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

const { company_id, email_hmac, list_id, status, email_enc, confirmed_at, unsubscribed_at } = subscribers;

const subscription = {
  id: subscribers.id,
  company_id,
  list_id,
  list_name: sql<string>`${newsletters.name}`.mapWith(newsletters.name).as("list_name"),
  public_key: newsletters.public_key,
  status,
  language: subscribers.language,
  email_enc,
  email_masked: subscribers.email_masked,
  seal_id: subscribers.seal_id,
  confirmed_at,
  unsubscribed_at,
};

/** A subscriber of a newsletter with the name of the newsletter. */
export type Subscription = SelectedRow<typeof subscription>;

/** Statement: the subscriptions of an address in the listed companies, by the names of their newsletters. */
export const findSubscriptions = statement({ companyIds: json<readonly number[]>(), emailHmac: email_hmac }, (p) =>
  selectRows(
    subscription,
    (columns) => sql`select ${columns} from ${subscribers} cross join ${newsletters} on ${newsletters.id} = ${list_id}
      where ${isInList(company_id, p.companyIds)} and ${email_hmac} = ${p.emailHmac}
      order by ${newsletters.name}, ${newsletters.id}`,
  ),
);

/** Statement: the newsletter of a company. */
export const findNewsletterName = statement({ id: newsletters.id, companyId: newsletters.company_id }, (p) =>
  selectRows(
    {
      list_id: newsletters.id,
      list_name: sql<string>`${newsletters.name}`.mapWith(newsletters.name),
      public_key: newsletters.public_key,
    },
    (columns) =>
      sql`select ${columns} from ${newsletters} where ${newsletters.id} = ${p.id} and ${newsletters.company_id} = ${p.companyId}`,
  ),
);

type Address = Record<"companyId" | "emailHmac", SQL>;

const addressParameters = { companyId: company_id, emailHmac: email_hmac, listId: nullable(list_id) };

/** The condition on subscribers of an address that have not unsubscribed; of one newsletter unless `listId` is null. */
const isLeft = (p: Address & { listId: SQL<number | null> }): SQL =>
  sql`${company_id} = ${p.companyId} and ${email_hmac} = ${p.emailHmac} and ${status} <> 'unsubscribed'
    and ${filterUnlessNull(p.listId, eq(list_id, p.listId))}`;

/**
 * Returns the statement that counts subscribers as unsubscribed in their newsletters. `isLeft` selects those that have not
 * unsubscribed, at most one of each newsletter.
 */
export function countAsUnsubscribed(isLeft: SQL) {
  const isIn = (state: string): SQL =>
    sql`exists (select 1 from ${subscribers} where ${isLeft} and ${status} = ${sql.raw(`'${state}'`)} and ${list_id} = ${newsletters.id})`;
  return queryBuilder
    .update(newsletters)
    .set({
      pending: sql`${newsletters.pending} - ${isIn("pending")}`,
      confirmed: sql`${newsletters.confirmed} - ${isIn("confirmed")}`,
      unsubscribed: sql`${newsletters.unsubscribed} + 1`,
    })
    .where(sql`${newsletters.id} in (select ${list_id} from ${subscribers} where ${isLeft})`);
}

/** Returns the statement that ends the subscriptions which `isLeft` selects. */
export function endSubscriptions(isLeft: SQL, now: SQL<number>) {
  // The link of an earlier confirmation mail must not subscribe the address again.
  return queryBuilder
    .update(subscribers)
    .set({ status: "unsubscribed", unsubscribed_at: now, token_hash: null, token_expires_at: null })
    .where(isLeft);
}

const countLeft = statement(addressParameters, (p) => countAsUnsubscribed(isLeft(p)));

const leave = statement({ ...addressParameters, now: integer }, (p) => endSubscriptions(isLeft(p), p.now));

const event = {
  event_id: event_log.id,
  type: event_log.event_type,
  data: event_log.data,
  envelope: event_log.data,
};

const insertLeftEvent = statement({ ...event, subscriberId: subscribers.id, now: integer }, (p) =>
  insertSelect(
    event_log,
    eventColumns(p, { company_id, email_hmac }, p.now),
    sql`from ${subscribers} where ${and(eq(subscribers.id, p.subscriberId), eq(status, "confirmed"))} on conflict do nothing`,
  ),
);

/** An event about a subscriber, which is stored only if the subscription changes. */
export type SubscriptionEvent = { subscriberId: number } & Record<"event_id" | "type" | "data" | "envelope", string>;

/** An address whose subscriptions change: of one newsletter, or of all newsletters when `listId` is null. */
export type SubscriptionTarget = { companyId: number; emailHmac: string; listId: number | null };

/** Returns the statements that end subscriptions, in the order in which they must run. `now` is in unix ms. */
export function leaveStatements(
  { companyId, emailHmac, listId }: SubscriptionTarget,
  events: readonly SubscriptionEvent[],
  now: number,
): Bound[] {
  if (events.length === 0) return [];
  const target = { companyId, emailHmac, listId };
  return [...events.map((entry) => insertLeftEvent({ ...entry, now })), countLeft(target), leave({ ...target, now })];
}

/**
 * The condition on the subscribers that deleting an unsubscribe restores: for a newsletter, its confirmed subscriber; for `bulk`,
 * the subscribers that left with the same request. Subscribers whose address was wiped stay unsubscribed.
 */
function isRestored(p: Address & { category: SQL; listId: SQL<number | null> }): SQL {
  const isOf = (category: SQL) =>
    sql`${unsubscribes.company_id} = ${p.companyId} and ${unsubscribes.email_hmac} = ${p.emailHmac} and ${unsubscribes.category} = ${category}`;
  const leftWithBulk = sql`${unsubscribed_at} = (select ${unsubscribes.created_at} from ${unsubscribes} where ${isOf(p.category)})
    and not exists (select 1 from ${unsubscribes} where ${isOf(sql`'list-' || ${list_id}`)})`;
  return sql`${company_id} = ${p.companyId} and ${email_hmac} = ${p.emailHmac} and ${status} = 'unsubscribed'
    and ${isNotNull(email_enc)} and ${isNotNull(confirmed_at)}
    and exists (select 1 from ${unsubscribes} where ${isOf(p.category)})
    and case when ${p.listId} is null then ${leftWithBulk} else ${list_id} = ${p.listId} end`;
}

const restoreParameters = { ...addressParameters, category: unsubscribes.category };

const countRestored = statement(restoreParameters, (p) =>
  queryBuilder
    .update(newsletters)
    .set({ confirmed: sql`${newsletters.confirmed} + 1`, unsubscribed: sql`${newsletters.unsubscribed} - 1` })
    .where(sql`${newsletters.id} in (select ${list_id} from ${subscribers} where ${isRestored(p)})`),
);

const restore = statement(restoreParameters, (p) =>
  queryBuilder.update(subscribers).set({ status: "confirmed", unsubscribed_at: null }).where(isRestored(p)),
);

const insertRestoredEvent = statement(
  { ...event, ...restoreParameters, subscriberId: subscribers.id, now: integer },
  (p) =>
    insertSelect(
      event_log,
      eventColumns(p, { company_id, email_hmac }, p.now),
      sql`from ${subscribers} where ${subscribers.id} = ${p.subscriberId} and ${isRestored(p)} on conflict do nothing`,
    ),
);

/**
 * Returns the statements that restore the subscriptions which an unsubscribe ended, in the order in which they must run. The
 * statement that deletes the unsubscribe must follow them. `now` is in unix ms.
 */
export function restoreStatements(
  { companyId, emailHmac, listId, category }: SubscriptionTarget & { category: string },
  events: readonly SubscriptionEvent[],
  now: number,
): Bound[] {
  if (category === "transactional") return [];
  const target = { companyId, emailHmac, listId, category };
  const inserted = events.map((entry) => insertRestoredEvent({ ...entry, ...target, now }));
  return [...inserted, countRestored(target), restore(target)];
}
