import { errorName } from "../../log";
import type { ActionsContext } from "../context";
import { MAX_IDS } from "../messages";
import { deliverFirst } from "./dispatch";

/** Doorbells in one call of a queue, which takes 256 KB. */
const DOORBELLS_PER_CALL = 50;

/**
 * Has deliveries attempted that wait for their first attempt, by doorbells to the queue. A queue that does not answer is
 * logged and no error: they are due for a retry run 30 s after they were made.
 */
export async function enqueueFirstAttempts(context: ActionsContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { queues, settings, log, requestId, waitUntil } = context;
  const failed = (error: unknown) => log.warn("doorbell not rung", { deliveries: ids.length, error: errorName(error) });
  const attemptNow = () => deliverFirst(context, new Map(ids.map((id) => [id, requestId]))).done.catch(failed);
  if (settings.isSync) return attemptNow();
  const { first } = queues;
  if (first === null) return waitUntil(attemptNow());
  const doorbells = chunk(ids, MAX_IDS).map((part) => ({
    body: { v: 1 as const, kind: "first" as const, ids: part, request_id: requestId },
  }));
  const send = async () => {
    for (const part of chunk(doorbells, DOORBELLS_PER_CALL)) await first.sendBatch(part);
  };
  waitUntil(send().catch(failed));
}

function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
