import { gt, inArray, isNotNull, isNull, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages } from "../schema";
import { ONE_CALL_TRANSPORTS } from "../transports";

const { status, expires_at, next_attempt_at, accepted_at, last_error_code, events } = messages;

/** So long after its acceptance a message waits for credentials that its provider takes, unless its life is shorter. */
export const REFUSED_LIFE_MS = 24 * 60 * 60 * 1000;

/** The rank of `failed`: what a provider says of a mail that was handed over stands above it. */
export const FAILED_RANK = 5;

/** Steps that a message keeps, the first one and the newest of the others; one that retries for a day has some twenty. */
const MAX_EVENTS = 50;

/** Whether a message has no final state yet; a literal term of `messages_open`. */
export const isOpen: SQL = isNotNull(next_attempt_at);

/** Whether a message waits for an attempt. */
export const isWaiting: SQL = sql`${isOpen} and ${inArray(status, ["queued", "retrying"])}`;

/** Whether nobody knows if a provider took the mail at an attempt, as isUnanswered of the policy of the delivery. */
export const isUnanswered: SQL = sql`(${messages.last_error_code} is 'delivery_unknown'
  or ${messages.last_error_code} is 'provider_timeout' and ${inArray(messages.provider, [...ONE_CALL_TRANSPORTS])})`;

/** Whether the provider gave the message an id of its own; a literal term of `messages_provider`. */
export const hasProviderId: SQL = sql`${messages.provider} = 'api'`;

/** Whether the life of a message goes on at a time (unix ms). */
export function isAlive(now: SQL<number>): SQL | undefined {
  return or(isNull(expires_at), gt(expires_at, now));
}

/** Whether a message without an end of its own was refused for the credentials and has waited long enough for others. */
export const isRefusedTooLong = (now: SQLWrapper): SQL =>
  sql`(${expires_at} is null and ${last_error_code} = 'provider_unauthorized' and ${accepted_at} <= ${now} - ${REFUSED_LIFE_MS})`;

/** A message that is younger is counted by no fold yet. */
export const FOLDED_AFTER_MS = 300_000;

/** The id of a message is made so long after its acceptance at most; one that took longer is counted when it is folded. */
export const MADE_WITHIN_MS = 120_000;

/** When a message (32 hex) was made, in unix ms: ids begin with it. */
export const timeOfMessage = (id: string): number => Number.parseInt(id.slice(0, 12), 16);

/** The least id of a message that is made at this time (unix ms): ids begin with theirs. */
export const idAt = (ms: SQLWrapper): SQL<string> => sql<string>`printf('%012x', ${ms})`;

/** The first steps of a new message. `at` in unix ms. */
export const firstEvents = (type: SQLWrapper, at: SQLWrapper): SQL => sql`json_array(${eventOf(type, at)})`;

/** The steps of a message and one more. `at` in unix ms. */
export function addEvent(type: SQLWrapper | string, at: SQLWrapper): SQL {
  return addStep(eventOf(type, at));
}

/** The steps of a message and one more, a JSON object. */
export function addStep(step: SQLWrapper): SQL {
  const boundedEvents = sql`case when json_array_length(${events}) >= ${MAX_EVENTS} then json_remove(${events}, '$[1]') else ${events} end`;
  return sql`json_insert(${boundedEvents}, '$[#]', ${step})`;
}

const eventOf = (type: SQLWrapper | string, at: SQLWrapper) => sql`json_object('type', ${type}, 'at', ${at})`;

/** What ends a message that waited: nothing more is due, and its variables are gone. */
export const ENDED = { next_attempt_at: null, variables_enc: null };
