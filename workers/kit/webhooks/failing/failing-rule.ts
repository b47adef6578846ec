import type { BatchResults } from "../../db/db";
import type { RowOfStatement } from "../../db/statement";
import { uuid } from "../../ids";
import { errorName } from "../../log";
import { iso, SECOND_MS } from "../../time";
import { withTimeout } from "../../timeout";
import type { WebhooksContext } from "../context";
import { batchWithEvents, keyOfEvent, ruleEventStatement } from "../event-store/new-event";
import { endNotices, findNotices, findUnnotified, markNotified } from "./failing-rule.store";

type FailingRule = RowOfStatement<typeof findUnnotified>;

/** The time that identity has to accept the notices of a run. */
const NOTIFY_TIMEOUT_MS = 5 * SECOND_MS;

/** Returns the statements that find pending notifications at `now` (unix ms), for a batch of the run. */
export const selectFailing = (now: number) => ({ unnotified: findUnnotified({ now }), notices: findNotices() });

/** The results of `selectFailing`. */
export type FailingRules = BatchResults<ReturnType<typeof selectFailing>>;

/** The statements of `selectFailing`, and a callback for their results. */
export type FailingQuery = { reads: ReturnType<typeof selectFailing>; onResults: (results: FailingRules) => void };

/**
 * Notifies the owners of subscriptions that have started to fail, by an event and an email from identity. A
 * subscription causes one notification per failure and at most one per day. Called every minute. When a call is
 * interrupted, the next one continues without a duplicate. `now` is the time of the statements, `fence` the fence of
 * the run.
 */
export async function notifyOfFailingRules(
  context: WebhooksContext,
  { unnotified, notices }: FailingRules,
  run: { now: number; fence: number | null },
): Promise<void> {
  const hasUnnotified = unnotified.rows.length > 0;
  if (hasUnnotified) await storeNotifications(context, unnotified.rows, run);
  const waiting = hasUnnotified ? await context.platformDb.all(findNotices()) : notices.rows;
  if (waiting.length > 0) await sendNotices(context, waiting);
}

/** Stores the events and the pending emails in one batch. */
async function storeNotifications(
  context: WebhooksContext,
  failing: readonly FailingRule[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  const events = failing.map((rule) => ({
    id: uuid(),
    type: context.failingType,
    companyId: rule.company_id,
    rule: rule.id,
    data: {
      company_id: rule.company_id,
      rule_id: rule.id,
      rule_name: rule.name,
      rule_event_type: rule.event_type,
      host: rule.host,
      health_reason: rule.health_reason,
      failing_since: iso(rule.failing_since),
    },
  }));
  await batchWithEvents(
    context,
    context.platformDb,
    {
      events: await ruleEventStatement(context, events, { now, fence }),
      notified: markNotified({ ids: failing.map(({ id }) => id), now, fence }),
    },
    events.map(keyOfEvent),
  );
}

/**
 * Passes notices to identity, which knows the owners and their languages. When identity is unavailable, the next run
 * retries.
 */
async function sendNotices(
  { platformDb, log, service, notifyOwners }: WebhooksContext,
  waiting: readonly RowOfStatement<typeof findNotices>[],
): Promise<void> {
  const notices = waiting.map((rule) => ({
    service,
    rule_id: rule.id,
    company_id: rule.company_id,
    notice_at: rule.notice_at,
    rule_name: rule.name,
    rule_event_type: rule.event_type,
    host: rule.host,
    failing_since: rule.failing_since,
    attempts: rule.attempts,
    waiting: rule.waiting,
    last_status: rule.last_status,
  }));
  try {
    await withTimeout(notifyOwners(notices), NOTIFY_TIMEOUT_MS);
  } catch (error) {
    log.warn("owners of failing rules were not notified", { count: notices.length, error: errorName(error) });
    return;
  }
  await platformDb.run(endNotices({ notices: waiting.map(({ id, notice_at }) => ({ id, notice_at })) }));
}
