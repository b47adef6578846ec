import type { MessageRow } from "../../../../db/email/rows";
import { ONE_CALL_TRANSPORTS } from "../../../../db/email/transports";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import type { Db } from "../../../kit/db/db";
import { SECOND_MS } from "../../../kit/time";
import { findStartable, markStarted } from "./start.store";

/** A part of the messages that one statement checks: its size, and its duration at the pace of the claim. */
type PartLimits = { size: number; durationMs: number };

const CHECKED: PartLimits = { size: 100, durationMs: 5 * SECOND_MS };
/** If the consumer is killed, the marked messages that have not started are never sent, so few are marked at a time. */
const MARKED: PartLimits = { size: 30, durationMs: 3 * SECOND_MS };
/** Sent messages whose results are not stored end as unknown too. Storing takes more statements than a mark, so parts are larger. */
const STORED: PartLimits = { size: 100, durationMs: 10 * SECOND_MS };

/** The messages of one sender, in the order in which they start. */
export type StartInput = {
  db: Db;
  rows: readonly Pick<MessageRow, "id" | "lease_token">[];
  provider: TransportName;
  /** the time between two starts in ms */
  intervalMs: number;
  now: () => number;
};

/** `mayStart` is called once per message before its attempt. Results are stored after every `storeEvery` attempts. */
export type Start = { mayStart: (id: string) => Promise<boolean>; storeEvery: number };

/**
 * Returns the checks of claimed bulk messages. `mayStart` returns whether a message may still be sent: its lease holds, its
 * broadcast is still being sent, and its address is neither suppressed nor unsubscribed. It asks the database once per part of
 * the messages, so that a large claim needs few statements. Messages by SMTP are also marked as started: when their consumer is
 * killed, it is unknown whether they were sent, and they fail. Their results are stored in parts for the same reason. A mail
 * API does not send a repeated request twice, so it needs no mark, and its results are stored at the end.
 */
export function createStart({ db, rows, provider, intervalMs, now }: StartInput): Start {
  const ids = rows.map(({ id }) => id);
  const token = rows[0]?.lease_token ?? "";
  const isMarked = ONE_CALL_TRANSPORTS.every((name) => name !== provider);
  const find = isMarked ? markStarted : findStartable;
  const size = sizeOfPart(isMarked ? MARKED : CHECKED, intervalMs);
  const answers = new Map<string, Promise<Set<string>>>();
  const check = async (part: readonly string[]) =>
    new Set((await db.all(find({ ids: part, token, now: now() }))).map(({ id }) => id));
  const mayStart = async (id: string) => {
    if (!answers.has(id)) {
      const from = ids.indexOf(id);
      const part = ids.slice(from, from + size);
      const answer = check(part);
      for (const each of part) answers.set(each, answer);
    }
    return (await answers.get(id))?.has(id) ?? false;
  };
  return { mayStart, storeEvery: isMarked ? sizeOfPart(STORED, intervalMs) : Number.POSITIVE_INFINITY };
}

/** Returns how many messages start within the duration of a part, at most its size. */
const sizeOfPart = ({ size, durationMs }: PartLimits, intervalMs: number): number =>
  intervalMs === 0 ? size : Math.min(size, Math.max(1, Math.floor(durationMs / intervalMs)));
