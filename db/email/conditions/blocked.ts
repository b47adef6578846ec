import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages, subscribers, suppressions, unsubscribes } from "../schema";

// The rules of workers/email/audience/suppression/suppression.ts, for messages that were accepted before.

/**
 * Returns the condition that the address of a row of `messages` is suppressed at `now` (unix ms). `hash` is the hash of the address
 * under which suppressions are looked for, by default that of the message.
 */
export const isSuppressed = (
  now: SQLWrapper,
  hash: SQLWrapper = messages.email_hmac,
): SQL => sql`exists (select 1 from ${suppressions}
  where ${suppressions.company_id} = ${messages.company_id} and ${suppressions.email_hmac} = ${hash}
    and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${now})
    and (${messages.lane} <> 'auth' or ${suppressions.reason} = 'hard_bounce')
    and (${suppressions.lanes} = '[]' or exists (select 1 from json_each(${suppressions.lanes}) l where l.value = ${messages.lane})))`;

/**
 * Returns the condition that a row of `unsubscribes` applies to mail of the newsletter `listId` (null for other mail). Unsubscribing
 * from all bulk mail ends the subscriptions of that time; a newsletter that was confirmed later is sent again.
 */
export const appliesToList = (
  listId: SQLWrapper,
): SQL => sql`(${unsubscribes.category} <> 'bulk' or not exists (select 1 from ${subscribers}
  where ${subscribers.company_id} = ${unsubscribes.company_id} and ${subscribers.email_hmac} = ${unsubscribes.email_hmac}
    and ${subscribers.list_id} = ${listId} and ${subscribers.status} = 'confirmed'
    and ${subscribers.confirmed_at} > ${unsubscribes.created_at}))`;

/** Returns the condition that the address of a row of `messages`, with this hash, unsubscribed from its lane or category. */
export const isUnsubscribedAs = (
  hash: SQLWrapper,
): SQL => sql`(${messages.lane} <> 'auth' and exists (select 1 from ${unsubscribes}
  where ${unsubscribes.company_id} = ${messages.company_id} and ${unsubscribes.email_hmac} = ${hash}
    and ${unsubscribes.category} in (${messages.lane}, ${messages.category}) and ${appliesToList(messages.list_id)}))`;

/** The condition that the address of a row of `messages` unsubscribed from its lane or category. */
export const isUnsubscribed: SQL = isUnsubscribedAs(messages.email_hmac);
