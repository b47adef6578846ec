import { gt, inArray, isNull, or, type SQL } from "drizzle-orm";
import { messages } from "./schema";

/** Whether a message waits for an attempt. */
export const isWaiting: SQL = inArray(messages.status, ["queued", "retrying"]);

/** Whether the life of a message goes on at a time (unix ms). */
export function isAlive(now: SQL<number>): SQL | undefined {
  return or(isNull(messages.expires_at), gt(messages.expires_at, now));
}
