import { gt, inArray, isNotNull, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { direct_contents, messages } from "../schema";
import { ONE_CALL_TRANSPORTS } from "../transports";
import { directId } from "./direct";

const { status, expires_at, next_attempt_at, accepted_at, last_error_code, events } = messages;

/**
 * How long a message waits for valid provider credentials, unless it expires earlier. The wait begins at its acceptance, or at the
 * time for which it is scheduled.
 */
export const CREDENTIALS_WAIT_MS = 24 * 60 * 60 * 1000;

/** The rank of `failed`. Statuses that a provider reports for a sent email rank higher. */
export const FAILED_RANK = 5;

/** Maximum number of steps of a message: the first step and the newest others. A day of retries adds about twenty. */
const MAX_EVENTS = 50;

/** The condition that a message has no final status, as written in the index `messages_open`. */
export const isOpen: SQL = isNotNull(next_attempt_at);

/** The condition that a message waits for an attempt. */
export const isWaiting: SQL = sql`${isOpen} and ${inArray(status, ["queued", "retrying"])}`;

/**
 * The condition that it is unknown whether a provider accepted the email. `isUnanswered` in
 * workers/email/delivery/attempts/policy.ts is the same rule in TypeScript.
 */
export const isUnanswered: SQL = sql`(${messages.last_error_code} is 'delivery_unknown'
  or ${messages.last_error_code} is 'provider_timeout' and ${inArray(messages.provider, [...ONE_CALL_TRANSPORTS])})`;

/**
 * Returns the condition that a provider assigned this id to a message. Each provider has a partial index, `messages_provider` and
 * `messages_cloudflare`, whose predicate must be in the condition word for word.
 */
export function hasProviderId(id: SQLWrapper): SQL {
  const isOf = (provider: SQL) => sql`(${messages.provider} = ${provider} and ${messages.provider_message_id} = ${id})`;
  return sql`(${isOf(sql`'api'`)} or ${isOf(sql`'cloudflare'`)})`;
}

/** Returns the condition that a row of messages (or its alias) is scheduled for a time after `now` (unix ms). */
export const isScheduled = (row: Record<"status" | "next_attempt_at", SQLWrapper>, now: SQLWrapper): SQL =>
  sql`(${row.status} = 'queued' and ${row.next_attempt_at} > ${now})`;

/** Returns the condition that a message has not expired at `now` (unix ms). */
export function isUnexpired(now: SQL<number>): SQL | undefined {
  return or(isNull(expires_at), gt(expires_at, now));
}

/**
 * Returns the condition that a message without an expiry time was rejected for its credentials and has waited for the
 * maximum time at `now` (unix ms).
 */
export const isUnauthorizedTooLong = (now: SQLWrapper): SQL =>
  sql`(${expires_at} is null and ${last_error_code} = 'provider_unauthorized' and ${accepted_at} <= ${now} - ${CREDENTIALS_WAIT_MS}
    and not exists (select 1 from ${direct_contents} where ${direct_contents.company_id} = ${messages.company_id}
      and ${direct_contents.id} = ${directId(messages.id)} and ${direct_contents.scheduled_at} > ${now} - ${CREDENTIALS_WAIT_MS}))`;

/** Minimum age in ms of a message before a roll-up counts it. */
export const ROLL_UP_AFTER_MS = 300_000;

/**
 * Reads of the uncounted messages assume that at most this time (ms) passes between the acceptance of a message and the
 * creation of its id. A message that took longer is missing from these reads until the roll-up has counted it.
 */
export const ID_CREATED_WITHIN_MS = 120_000;

/** Returns the creation time of a message (32 hex characters) in unix ms, which is the start of its id. */
export const timeOfMessage = (id: string): number => Number.parseInt(id.slice(0, 12), 16);

/** Returns the lowest id of a message that was created at `ms` (unix). */
export const idAt = (ms: SQLWrapper): SQL<string> => sql<string>`printf('%012x', ${ms})`;

/** Returns the steps of a new message; `at` is unix ms. */
export const firstEvents = (type: SQLWrapper, at: SQLWrapper): SQL => sql`json_array(${eventOf(type, at)})`;

/** Returns the steps of a message with an additional step of `type`; `at` is unix ms. */
export function addEvent(type: SQLWrapper | string, at: SQLWrapper): SQL {
  return addStep(eventOf(type, at));
}

/** Returns the steps of a message with the additional `step`, a JSON object. */
export function addStep(step: SQLWrapper): SQL {
  const boundedEvents = sql`case when json_array_length(${events}) >= ${MAX_EVENTS} then json_remove(${events}, '$[1]') else ${events} end`;
  return sql`json_insert(${boundedEvents}, '$[#]', ${step})`;
}

const eventOf = (type: SQLWrapper | string, at: SQLWrapper) => sql`json_object('type', ${type}, 'at', ${at})`;

/** The columns to set when a waiting message ends: no further attempt is due, and the variables are deleted. */
export const ENDED = { next_attempt_at: null, variables_enc: null };
