import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages, suppressions, unsubscribes } from "../schema";

// The rules of workers/email/audience/suppression/suppression.ts, for messages that were accepted before.

/** Returns the condition that the address of a row of `messages` is suppressed at `now` (unix ms). */
export const isSuppressed = (now: SQLWrapper): SQL => sql`exists (select 1 from ${suppressions}
  where ${suppressions.company_id} = ${messages.company_id} and ${suppressions.email_hmac} = ${messages.email_hmac}
    and (${suppressions.expires_at} is null or ${suppressions.expires_at} > ${now})
    and (${messages.lane} <> 'auth' or ${suppressions.reason} = 'hard_bounce')
    and (${suppressions.lanes} = '[]' or exists (select 1 from json_each(${suppressions.lanes}) l where l.value = ${messages.lane})))`;

/** The condition that the address of a row of `messages` unsubscribed from its lane or category. */
export const isUnsubscribed: SQL = sql`(${messages.lane} <> 'auth' and exists (select 1 from ${unsubscribes}
  where ${unsubscribes.company_id} = ${messages.company_id} and ${unsubscribes.email_hmac} = ${messages.email_hmac}
    and ${unsubscribes.category} in (${messages.lane}, ${messages.category})))`;
