import { gt, inArray, isNotNull, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages } from "../schema";
import { ONE_CALL_TRANSPORTS } from "../transports";

const { status, expires_at, next_attempt_at, accepted_at, last_error_code, events } = messages;

/** How long after acceptance a message waits for valid provider credentials, unless it expires earlier. */
export const REFUSED_LIFE_MS = 24 * 60 * 60 * 1000;

/** The rank of `failed`: statuses that a provider reports for a sent mail rank higher. */
export const FAILED_RANK = 5;

/** Maximum steps of a message: the first one and the newest others; a day of retries takes about twenty. */
const MAX_EVENTS = 50;

/** Whether a message has no final status; the literal condition of the index `messages_open`. */
export const isOpen: SQL = isNotNull(next_attempt_at);

/** Whether a message waits for an attempt. */
export const isWaiting: SQL = sql`${isOpen} and ${inArray(status, ["queued", "retrying"])}`;

/** Whether it is unknown if a provider accepted the mail; the same rule as isUnanswered in delivery/attempts/policy.ts. */
export const isUnanswered: SQL = sql`(${messages.last_error_code} is 'delivery_unknown'
  or ${messages.last_error_code} is 'provider_timeout' and ${inArray(messages.provider, [...ONE_CALL_TRANSPORTS])})`;

/** Whether the provider assigned its own id to the message; the literal condition of the index `messages_provider`. */
export const hasProviderId: SQL = sql`${messages.provider} = 'api'`;

/** Whether a message has not expired at a time (unix ms). */
export function isAlive(now: SQL<number>): SQL | undefined {
  return or(isNull(expires_at), gt(expires_at, now));
}

/** Whether a message without expiry was rejected for its credentials and has waited for the maximum time. */
export const isRefusedTooLong = (now: SQLWrapper): SQL =>
  sql`(${expires_at} is null and ${last_error_code} = 'provider_unauthorized' and ${accepted_at} <= ${now} - ${REFUSED_LIFE_MS})`;

/** Minimum age of a message before a roll-up counts it. */
export const FOLDED_AFTER_MS = 300_000;

/** Maximum time between the acceptance of a message and its id; the roll-up counts messages that take longer. */
export const MADE_WITHIN_MS = 120_000;

/** Returns the creation time of a message (32 hex) in unix ms: ids begin with it. */
export const timeOfMessage = (id: string): number => Number.parseInt(id.slice(0, 12), 16);

/** Returns the lowest id of a message created at this time (unix ms). */
export const idAt = (ms: SQLWrapper): SQL<string> => sql<string>`printf('%012x', ${ms})`;

/** Returns the steps of a new message. `at` in unix ms. */
export const firstEvents = (type: SQLWrapper, at: SQLWrapper): SQL => sql`json_array(${eventOf(type, at)})`;

/** Returns the steps of a message with one of `type` added. `at` in unix ms. */
export function addEvent(type: SQLWrapper | string, at: SQLWrapper): SQL {
  return addStep(eventOf(type, at));
}

/** Returns the steps of a message with `step`, a JSON object, added. */
export function addStep(step: SQLWrapper): SQL {
  const boundedEvents = sql`case when json_array_length(${events}) >= ${MAX_EVENTS} then json_remove(${events}, '$[1]') else ${events} end`;
  return sql`json_insert(${boundedEvents}, '$[#]', ${step})`;
}

const eventOf = (type: SQLWrapper | string, at: SQLWrapper) => sql`json_object('type', ${type}, 'at', ${at})`;

/** The columns that end a waiting message: no attempt is due, and its variables are deleted. */
export const ENDED = { next_attempt_at: null, variables_enc: null };
