import { type SQL, sql } from "drizzle-orm";
import type { MessageRow } from "../rows";
import { firstEvents } from "./messages";

const SHARED = [
  ...(["company_id", "service", "client_id", "send_request_id"] as const),
  ...(["lane", "category", "scope", "accepted_at", "request_id", "attachments_id"] as const),
];
const ITEM_COLUMNS = [
  ...(["id", "status", "to_enc", "to_masked", "to_user_id", "email_hmac", "variables_enc"] as const),
  ...(["template_key", "event_type", "version_id", "template_version", "default_checksum", "language"] as const),
  ...(["expires_at", "last_error_code", "trace", "idempotency_key", "fingerprint"] as const),
  ...(["next_attempt_at"] as const),
];

/** The columns that all messages of a request share. */
export type SharedColumns = Pick<MessageRow, (typeof SHARED)[number]>;

/** The columns that differ between the messages of a request. `next_attempt_at` null: a queued message is due at `accepted_at`. */
export type ItemColumns = Pick<MessageRow, (typeof ITEM_COLUMNS)[number]>;

const pick = <T extends object, K extends keyof T>(from: T, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;

/** Returns the values of new messages: the columns that they share, and those of an item of a list in JSON. */
export function messageValues(
  shared: { [K in keyof SharedColumns]-?: SQL<SharedColumns[K]> },
  item: { [K in keyof ItemColumns]-?: SQL<ItemColumns[K]> },
) {
  const { accepted_at } = shared;
  return {
    ...pick(shared, SHARED),
    ...pick(item, ITEM_COLUMNS),
    next_attempt_at: sql`case when ${item.status} = 'queued' then coalesce(${item.next_attempt_at}, ${accepted_at}) end`,
    events: firstEvents(item.status, accepted_at),
  };
}
