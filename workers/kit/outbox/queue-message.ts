import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { type Databases, type Db, dbOfScope } from "../db/db";
import { errorName, type Log, type LogFields } from "../log";

/**
 * A queue message with the ids of the rows to process. All other data is in the company's database. `company_id` is
 * null for rows that belong to no company, and missing in messages of older releases.
 */
export type IdMessage<Kind extends string> = {
  v: 1;
  kind: Kind;
  company_id?: number | null | undefined;
  ids: string[];
  request_id: string;
};

/** The id and company of a row; null or 0 means no company. */
export type CompanyRow = { id: string; company_id: number | null };

/**
 * Returns a reader of queue messages of version 1. The reader returns the message without unknown members, or null for
 * any other value. A queue may still hold messages of the previous release, so a change of `fields` needs a new kind.
 */
export function messageReader<const Kinds extends readonly [string, ...string[]], Fields extends z.ZodRawShape>(
  kinds: Kinds,
  fields: () => Fields,
) {
  const schema = lazySchema(() => z.object({ v: z.literal(1), kind: z.enum(kinds), ...fields() }));
  return (body: unknown) => schema.safeParse(body).data ?? null;
}

/** Like messageReader, for messages with up to `maxIds` ids. */
export function idMessageReader<const Kinds extends readonly [string, ...string[]]>(
  kinds: Kinds,
  id: RegExp,
  maxIds: number,
): (body: unknown) => IdMessage<Kinds[number]> | null {
  return messageReader(kinds, () => ({
    company_id: z.int().min(0).nullish(),
    ids: z.array(z.string().regex(id)).max(maxIds),
    request_id: z.string(),
  }));
}

/**
 * The rows to enqueue and the limits of the queue. `logFields` are added to the log line when the queue does not respond.
 */
export type IdsToEnqueue<Kind extends string> = {
  kind: Kind;
  rows: readonly CompanyRow[];
  idsPerMessage: number;
  /** a call to a queue accepts at most 100 messages and 256 KB */
  messagesPerCall: number;
  delaySeconds?: number;
  logFields: LogFields;
};

/**
 * Sends the ids of rows to a queue; each message contains the rows of one company. An error of the queue is only
 * logged, because the next sweep finds the rows.
 */
export async function enqueue<Kind extends string>(
  { log, requestId }: { log: Log; requestId: string },
  queue: Pick<Queue<IdMessage<Kind>>, "sendBatch">,
  { kind, rows, idsPerMessage, messagesPerCall, delaySeconds = 0, logFields }: IdsToEnqueue<Kind>,
): Promise<void> {
  const messages = inRoundRobin(rows, idsPerMessage).map(
    ({ company_id, ids }): MessageSendRequest<IdMessage<Kind>> => ({
      body: { v: 1, kind, company_id, ids, request_id: requestId },
      ...(delaySeconds > 0 ? { delaySeconds } : {}),
    }),
  );
  try {
    for (const part of chunk(messages, messagesPerCall)) await queue.sendBatch(part);
  } catch (error) {
    log.warn("queue message not sent", { ...logFields, error: errorName(error) });
  }
}

/**
 * Splits the rows into parts of one company each and returns them in round robin: the first part of every company, then
 * every second part, and so on.
 */
function inRoundRobin(rows: readonly CompanyRow[], size: number): { company_id: number | null; ids: string[] }[] {
  const groups = new Map<number | null, string[]>();
  for (const { id, company_id } of rows) {
    const ids = groups.get(company_id || null);
    if (ids === undefined) groups.set(company_id || null, [id]);
    else ids.push(id);
  }
  const parts = [...groups].flatMap(([company_id, ids]) =>
    chunk(ids, size).map((part, turn) => ({ turn, company_id, ids: part })),
  );
  return parts.sort((a, b) => a.turn - b.turn).map(({ company_id, ids }) => ({ company_id, ids }));
}

/**
 * Groups items by the database of their company and keeps their order. Items without a company use the platform
 * database.
 */
export function groupByDb<T extends { company_id?: number | null | undefined }>(
  databases: Databases,
  items: readonly T[],
): Map<Db, T[]> {
  const groups = new Map<Db, T[]>();
  for (const item of items) {
    const db = dbOfScope(databases, item.company_id || null);
    const group = groups.get(db);
    if (group === undefined) groups.set(db, [item]);
    else group.push(item);
  }
  return groups;
}

/** Splits the list into parts of at most `size`. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
