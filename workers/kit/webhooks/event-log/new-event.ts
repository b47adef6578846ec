import type { BatchItem, BatchResults, Result } from "../../db/db";
import type { Bound } from "../../db/statement";
import { errorName } from "../../log";
import type { ActionsContext } from "../context";
import { deliverFirst } from "../dispatch/dispatch";
import { emailHost } from "../dispatch/email-post";
import { type Actor, toCanonicalJson } from "./envelope";
import { redact } from "./redaction";

/** Ids in one doorbell, and doorbells in one call of a queue, which takes 256 KB. */
const IDS_PER_DOORBELL = 100;
const DOORBELLS_PER_CALL = 50;

/** An event whose data are known before its batch. `companyId` null: a platform event, for staff alone. */
export type NewEvent = {
  id: string;
  type: string;
  companyId: number | null;
  data: Record<string, unknown>;
  actor?: Actor;
  userId?: number | null;
  /** the acting user's address */
  email?: string | null;
};

/** Data as they may be stored: without secrets, as JSON with sorted keys. Every writer of an event uses this. */
export function storableData(data: Record<string, unknown>): string {
  return toCanonicalJson(redact(data));
}

/** The statement that writes the rows of events; a repeat adds none. Commit it with batchWithEvents. */
export function eventStatement({ clock, outbox }: ActionsContext, events: readonly NewEvent[]): Bound {
  if (outbox.insertEvents === null) throw new Error("a sealed event log is written by its service");
  const rows = events.map(({ id, type, companyId, data, actor, userId, email }) => ({
    event_id: id,
    company_id: companyId,
    type,
    user_id: userId ?? null,
    email: email ?? null,
    data: storableData(data),
    actor: actor === undefined ? null : toCanonicalJson(actor),
  }));
  return outbox.insertEvents({ events: rows, now: clock.now() });
}

/**
 * Runs a batch that writes events and adds what follows them: envelopes, one delivery for each enabled rule, posts to the
 * email service. Ids of events that the batch did not write after all are without effect. Rings when it is committed.
 * Answers the results of `statements`.
 */
export async function batchWithEvents<T extends Record<string, BatchItem>>(
  context: ActionsContext,
  statements: T,
  eventIds: readonly string[],
): Promise<BatchResults<T>> {
  const { [DELIVERIES]: made, ...results } = await context.db.batch({
    ...statements,
    [DELIVERIES]: deliveryStatements(context, eventIds),
  });
  const ids = (made as unknown as Result<{ id: string }>[]).flatMap(({ rows }) => rows.map(({ id }) => id));
  await ring(context, ids);
  return results as unknown as BatchResults<T>;
}

/** No name of a caller's statement. */
const DELIVERIES = "deliveries of the events";

/** What follows the rows of events, behind everything else in their batch; each answers `{id}` of the deliveries it made. */
export function deliveryStatements(
  { clock, outbox, settings, email }: Pick<ActionsContext, "clock" | "outbox" | "settings" | "email">,
  eventIds: readonly string[],
): Bound<{ id: string }>[] {
  if (eventIds.length === 0) return [];
  const now = clock.now();
  const host = emailHost(settings, email);
  const { makeEnvelopes, addDeliveries, addEmailPosts, addCallbacks } = outbox;
  return [
    ...(makeEnvelopes === null ? [] : [makeEnvelopes({ ids: eventIds })]),
    addDeliveries({ ids: eventIds, now }),
    ...(host === null || addEmailPosts === null ? [] : [addEmailPosts({ ids: eventIds, now, host })]),
    ...(addCallbacks === null ? [] : [addCallbacks({ ids: eventIds, now })]),
  ];
}

/**
 * Rings for deliveries that wait for their first attempt. A queue that does not answer is logged and no error: they are due
 * for a retry run 30 s after they were made.
 */
export async function ring(context: ActionsContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { queues, settings, log, requestId, waitUntil } = context;
  const failed = (error: unknown) => log.warn("doorbell not rung", { deliveries: ids.length, error: errorName(error) });
  if (settings.isSync) return deliverFirst(context, requestsOf(ids, requestId)).done.catch(failed);
  const { first } = queues;
  if (first === null) return waitUntil(deliverFirst(context, requestsOf(ids, requestId)).done.catch(failed));
  const doorbells = chunk(ids, IDS_PER_DOORBELL).map((part) => ({
    body: { v: 1 as const, kind: "first" as const, ids: part, request_id: requestId },
  }));
  const send = async () => {
    for (const part of chunk(doorbells, DOORBELLS_PER_CALL)) await first.sendBatch(part);
  };
  waitUntil(send().catch(failed));
}

function requestsOf(ids: readonly string[], requestId: string): Map<string, string> {
  return new Map(ids.map((id) => [id, requestId]));
}

function chunk<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
