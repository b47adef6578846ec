import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { type Databases, type Db, dbOfScope } from "../db/db";
import { errorName, type Log, type LogFields } from "../log";

/**
 * A queue message: what happened is in the database of the company, `ids` says in which rows. `company_id` is null for rows of
 * no company, and missing in messages of releases that did not send it.
 */
export type Doorbell<Kind extends string> = {
  v: 1;
  kind: Kind;
  company_id?: number | null | undefined;
  ids: string[];
  request_id: string;
};

/** A row by its id and company; null or 0: it is of no company. */
export type CompanyRow = { id: string; company_id: number | null };

/**
 * A reader of queue messages of version 1: the message, without members it does not know, or null for anything else.
 * Messages of the version before this one may still be in a queue, so a change of `fields` needs a new kind.
 */
export function messageReader<const Kinds extends readonly [string, ...string[]], Fields extends z.ZodRawShape>(
  kinds: Kinds,
  fields: () => Fields,
) {
  const schema = lazySchema(() => z.object({ v: z.literal(1), kind: z.enum(kinds), ...fields() }));
  return (body: unknown) => schema.safeParse(body).data ?? null;
}

/** As messageReader, of doorbells with at most `maxIds` ids. */
export function doorbellReader<const Kinds extends readonly [string, ...string[]]>(
  kinds: Kinds,
  id: RegExp,
  maxIds: number,
): (body: unknown) => Doorbell<Kinds[number]> | null {
  return messageReader(kinds, () => ({
    company_id: z.int().min(0).nullish(),
    ids: z.array(z.string().regex(id)).max(maxIds),
    request_id: z.string(),
  }));
}

/** What is rung for. `told`: members of the log line when the queue does not answer. */
export type Ring<Kind extends string> = {
  kind: Kind;
  rows: readonly CompanyRow[];
  idsPerMessage: number;
  /** a call of a queue takes 100 messages and 256 KB */
  messagesPerCall: number;
  delaySeconds?: number;
  told: LogFields;
};

/** Puts doorbells on a queue, each of one company. A queue that does not answer is logged and no error: the sweep finds the rows. */
export async function enqueue<Kind extends string>(
  { log, requestId }: { log: Log; requestId: string },
  queue: Pick<Queue<Doorbell<Kind>>, "sendBatch">,
  { kind, rows, idsPerMessage, messagesPerCall, delaySeconds = 0, told }: Ring<Kind>,
): Promise<void> {
  const messages = inTurn(rows, idsPerMessage).map(
    ({ company_id, ids }): MessageSendRequest<Doorbell<Kind>> => ({
      body: { v: 1, kind, company_id, ids, request_id: requestId },
      ...(delaySeconds > 0 ? { delaySeconds } : {}),
    }),
  );
  try {
    for (const part of chunk(messages, messagesPerCall)) await queue.sendBatch(part);
  } catch (error) {
    log.warn("doorbell not rung", { ...told, error: errorName(error) });
  }
}

/** The rows in parts of one company each; the first parts of all companies come before the second ones of any. */
function inTurn(rows: readonly CompanyRow[], size: number): { company_id: number | null; ids: string[] }[] {
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

/** Items by the database of their company, in their order; those of no company are in that of the platform. */
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

/** The list in parts of at most `size`. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
