import { PLATFORM } from "../../../../db/kit/webhooks";
import type { BatchItem, BatchResults, Db, Result } from "../../db/db";
import type { Bound } from "../../db/statement";
import type { CompanyRow } from "../../outbox/queue-message";
import type { WebhooksContext } from "../context";
import { enqueueFirstAttempts } from "../dispatch/first-attempt";
import { type Actor, toCanonicalJson } from "../events/envelope";
import { redact } from "../events/redaction";
import { emailHost } from "../posting/email-post";
import type { EventKey } from "./event-statements.store";

export type { EventKey } from "./event-statements.store";

/**
 * An event whose data is known before its batch runs. `companyId` is null for a platform event, which only staff may
 * read.
 */
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

/** Returns the key of an event, for batchWithEvents. */
export const keyOfEvent = ({ id, companyId }: Pick<NewEvent, "id" | "companyId">): EventKey => ({
  id,
  company_id: companyId ?? PLATFORM,
});

/**
 * Returns event data in the form in which it may be stored: without secrets, as JSON with sorted keys. Every writer of
 * events must use it.
 */
export function storableData(data: Record<string, unknown>): string {
  return toCanonicalJson(redact(data));
}

/** Returns the statement that inserts event rows; a repeated run inserts none. Run it in batchWithEvents. */
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
 * Returns the statement that inserts the events of subscriptions that have started to fail, if their owners must still
 * be notified. Run it in batchWithEvents. `fence` is the fence of the run, or null.
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

/** `postsToEmail: false` does not send the events to the email service, so that no email rule sends mail about them. */
type DeliveryOptions = { postsToEmail: boolean };

/**
 * Runs a batch that writes events. Adds the statements that store their envelopes, one delivery per enabled
 * subscription, and the posts to the email service. Ignores keys of events that the batch did not write. Enqueues the
 * first attempts after the commit. Returns the results of `statements`. `db` is the database of the events' companies.
 */
export async function batchWithEvents<T extends Record<string, BatchItem>>(
  context: WebhooksContext,
  db: Db,
  statements: T,
  keys: readonly EventKey[],
  options?: DeliveryOptions,
): Promise<BatchResults<T>> {
  const following = { [DELIVERIES]: deliveryStatements(context, keys, options) };
  const allResults: Record<string, unknown> = await db.batch({ ...statements, ...following });
  const { [DELIVERIES]: inserted, ...results } = allResults;
  await enqueueFirstAttempts(
    context,
    (inserted as Result<CompanyRow>[]).flatMap(({ rows }) => rows),
  );
  return results as BatchResults<T>;
}

/** A key that no statement of a caller uses. */
const DELIVERIES = "deliveries of the events";

/**
 * Returns the statements that must follow event rows at the end of their batch. Each returns the deliveries that it
 * inserted.
 */
export function deliveryStatements(
  { clock, outbox, settings, email }: Pick<WebhooksContext, "clock" | "outbox" | "settings" | "email">,
  keys: readonly EventKey[],
  { postsToEmail }: DeliveryOptions = { postsToEmail: true },
): Bound<CompanyRow>[] {
  if (keys.length === 0) return [];
  const now = clock.now();
  const host = emailHost(settings, email);
  const { makeEnvelopes, addDeliveries, addEmailPosts, addCallbacks } = outbox;
  const console = settings.email.consoleUrl;
  return [
    ...(makeEnvelopes === null ? [] : [makeEnvelopes({ keys })]),
    addDeliveries({ keys, now }),
    ...(!postsToEmail || host === null || addEmailPosts === null ? [] : [addEmailPosts({ keys, now, host, console })]),
    ...(addCallbacks === null ? [] : [addCallbacks({ keys, now })]),
  ];
}
