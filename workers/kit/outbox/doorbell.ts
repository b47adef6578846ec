import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { errorName, type Log, type LogFields } from "../log";

/** A queue message: what happened is in the database, `ids` says in which rows. */
export type Doorbell<Kind extends string> = { v: 1; kind: Kind; ids: string[]; request_id: string };

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
  return messageReader(kinds, () => ({ ids: z.array(z.string().regex(id)).max(maxIds), request_id: z.string() }));
}

/** What is rung for. `told`: members of the log line when the queue does not answer. */
export type Ring<Kind extends string> = {
  kind: Kind;
  ids: readonly string[];
  idsPerMessage: number;
  /** a call of a queue takes 100 messages and 256 KB */
  messagesPerCall: number;
  delaySeconds?: number;
  told: LogFields;
};

/** Puts doorbells on a queue. One that does not answer is logged and no error: the sweep finds the rows. */
export async function enqueue<Kind extends string>(
  { log, requestId }: { log: Log; requestId: string },
  queue: Pick<Queue<Doorbell<Kind>>, "sendBatch">,
  { kind, ids, idsPerMessage, messagesPerCall, delaySeconds = 0, told }: Ring<Kind>,
): Promise<void> {
  const messages = chunk(ids, idsPerMessage).map(
    (part): MessageSendRequest<Doorbell<Kind>> => ({
      body: { v: 1, kind, ids: part, request_id: requestId },
      ...(delaySeconds > 0 ? { delaySeconds } : {}),
    }),
  );
  try {
    for (const part of chunk(messages, messagesPerCall)) await queue.sendBatch(part);
  } catch (error) {
    log.warn("doorbell not rung", { ...told, error: errorName(error) });
  }
}

/** The list in parts of at most `size`. */
export function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
