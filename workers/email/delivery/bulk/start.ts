import type { MessageRow } from "../../../../db/email/rows";
import { ONE_CALL_TRANSPORTS } from "../../../../db/email/transports";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { Db } from "../../../kit/db/db";
import { SECOND_MS } from "../../../kit/time";
import { findStartable, markStarted } from "./start.store";

/** Messages are checked in parts of at most this size and this duration at the pace of the claim. */
const MAX_PART = 50;
const PART_MS = 5 * SECOND_MS;

/** The messages of one sender, in the order in which they start. */
export type StartInput = {
  db: Db;
  rows: readonly Pick<MessageRow, "id" | "lease_token">[];
  provider: TransportName;
  /** the time between two starts in ms */
  intervalMs: number;
  now: () => number;
};

/**
 * Returns a function that returns whether a claimed bulk message may still be sent: its lease holds, its broadcast is still
 * being sent, and its address is neither suppressed nor unsubscribed. It asks the database once per part of the messages, so
 * that a large claim needs few statements. Messages by SMTP are also marked as started: when their consumer is killed, it is
 * unknown whether they were sent, and they fail. A mail API does not send a repeated request twice, so it needs no mark.
 */
export function createStart({ db, rows, provider, intervalMs, now }: StartInput): (id: string) => Promise<boolean> {
  const size = intervalMs === 0 ? MAX_PART : Math.min(MAX_PART, Math.max(1, Math.floor(PART_MS / intervalMs)));
  const ids = rows.map(({ id }) => id);
  const token = rows[0]?.lease_token ?? "";
  const find = ONE_CALL_TRANSPORTS.some((name) => name === provider) ? findStartable : markStarted;
  const answers = new Map<string, Promise<Set<string>>>();
  const check = async (part: readonly string[]) =>
    new Set((await db.all(find({ ids: part, token, now: now() }))).map(({ id }) => id));
  return async (id) => {
    if (!answers.has(id)) {
      const from = ids.indexOf(id);
      const part = ids.slice(from, from + size);
      const answer = check(part);
      for (const each of part) answers.set(each, answer);
    }
    return (await answers.get(id))?.has(id) ?? false;
  };
}
