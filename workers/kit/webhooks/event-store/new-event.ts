import { PLATFORM } from "../../../../db/kit/webhooks";
import type { BatchItem, BatchResults, Db, Result } from "../../db/db";
import type { Bound } from "../../db/statement";
import type { CompanyRow } from "../../outbox/doorbell";
import type { WebhooksContext } from "../context";
import { enqueueFirstAttempts } from "../dispatch/first-attempt";
import { type Actor, toCanonicalJson } from "../events/envelope";
import { redact } from "../events/redaction";
import { emailHost } from "../posting/email-post";
import type { EventKey } from "./event-statements.store";

export type { EventKey } from "./event-statements.store";

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

/** The key of an event, for batchWithEvents. */
export const keyOfEvent = ({ id, companyId }: Pick<NewEvent, "id" | "companyId">): EventKey => ({
  id,
  company_id: companyId ?? PLATFORM,
});

/** Data as they may be stored: without secrets, as JSON with sorted keys. Every writer of an event uses this. */
export function storableData(data: Record<string, unknown>): string {
  return toCanonicalJson(redact(data));
}

/** The statement that writes the rows of events; a repeat adds none. Commit it with batchWithEvents. */
export function eventStatement({ clock, outbox }: WebhooksContext, events: readonly NewEvent[]): Bound {
  if (outbox.insertEvents === null) throw new Error("a sealed event log is written by its service");
  const rows = events.map(({ id, type, companyId, data, actor, userId, email }) => ({
    id,
    company_id: companyId ?? PLATFORM,
    type,
    user_id: userId ?? null,
    email: email ?? null,
    data: storableData(data),
    actor: actor === undefined ? null : toCanonicalJson(actor),
  }));
  return outbox.insertEvents({ events: rows, now: clock.now() });
}

/**
 * The statement that writes the events of rules that have begun to fail, as long as their owners are to be told. Commit it
 * with batchWithEvents; `fence` is that of the run.
 */
export async function ruleEventStatement(
  { outbox, seal }: WebhooksContext,
  events: readonly (NewEvent & { companyId: number; rule: number })[],
  { now, fence }: { now: number; fence: number | null },
): Promise<Bound> {
  const stored = events.map(async ({ id, type, companyId, rule, data }) => ({
    rule,
    id,
    company_id: companyId,
    type,
    ...(seal === undefined
      ? { data: storableData(data), envelope: null }
      : await seal.seal({ id, type, companyId, data, now })),
  }));
  return outbox.addRuleEvents({ events: await Promise.all(stored), now, fence });
}

/**
 * Runs a batch that writes events and adds what follows them: envelopes, one delivery for each enabled rule, posts to
 * the email service. Keys of events that the batch did not write after all are without effect. Enqueues their first
 * attempts when it is committed. Answers the results of `statements`.
 * `db` is that of the events' companies.
 */
export async function batchWithEvents<T extends Record<string, BatchItem>>(
  context: WebhooksContext,
  db: Db,
  statements: T,
  keys: readonly EventKey[],
): Promise<BatchResults<T>> {
  const behind = { [DELIVERIES]: deliveryStatements(context, keys) };
  const found: Record<string, unknown> = await db.batch({ ...statements, ...behind });
  const { [DELIVERIES]: made, ...results } = found;
  await enqueueFirstAttempts(
    context,
    (made as Result<CompanyRow>[]).flatMap(({ rows }) => rows),
  );
  return results as BatchResults<T>;
}

/** No name of a caller's statement. */
const DELIVERIES = "deliveries of the events";

/** What follows the rows of events, behind everything else in their batch; each answers the deliveries it made. */
export function deliveryStatements(
  { clock, outbox, settings, email }: Pick<WebhooksContext, "clock" | "outbox" | "settings" | "email">,
  keys: readonly EventKey[],
): Bound<CompanyRow>[] {
  if (keys.length === 0) return [];
  const now = clock.now();
  const host = emailHost(settings, email);
  const { makeEnvelopes, addDeliveries, addEmailPosts, addCallbacks } = outbox;
  return [
    ...(makeEnvelopes === null ? [] : [makeEnvelopes({ keys })]),
    addDeliveries({ keys, now }),
    ...(host === null || addEmailPosts === null ? [] : [addEmailPosts({ keys, now, host })]),
    ...(addCallbacks === null ? [] : [addCallbacks({ keys, now })]),
  ];
}
