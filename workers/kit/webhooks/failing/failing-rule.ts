import type { BatchResults } from "../../db/db";
import type { RowOfStatement } from "../../db/statement";
import { uuid } from "../../ids";
import { errorName } from "../../log";
import { iso, SECOND_MS } from "../../time";
import { withTimeout } from "../../timeout";
import type { WebhooksContext } from "../context";
import { batchWithEvents, keyOfEvent, ruleEventStatement } from "../event-store/new-event";
import { endNotices, findNotices, findUntold, markTold } from "./failing-rule.store";

type FailingRule = RowOfStatement<typeof findUntold>;

/** Identity has this long to take the notices of a run. */
const HANDOVER_MS = 5 * SECOND_MS;

/** The reads of whom there is something to tell at `now` (unix ms), for a batch of the run. */
export const failingReads = (now: number) => ({ untold: findUntold({ now }), notices: findNotices() });

/** What those reads have found. */
export type FailingRules = BatchResults<ReturnType<typeof failingReads>>;

/** Those reads, and who hears what they have found. */
export type FailingLook = { reads: ReturnType<typeof failingReads>; hear: (found: FailingRules) => void };

/**
 * Tells owners of rules that have begun to fail, each failing once and a rule once a day at most: an event, and a mail of
 * identity. Called each minute. Killed anywhere and repeated, nothing is told twice. `now` is that of the reads, `fence`
 * that of the run.
 */
export async function tellOfFailingRules(
  context: WebhooksContext,
  { untold, notices }: FailingRules,
  at: { now: number; fence: number | null },
): Promise<void> {
  const told = untold.rows.length > 0;
  if (told) await tell(context, untold.rows, at);
  const waiting = told ? await context.platformDb.all(findNotices()) : notices.rows;
  if (waiting.length > 0) await handOver(context, waiting);
}

/** Stores the events of rules, and that their mails wait, in one batch. */
async function tell(
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
      told: markTold({ ids: failing.map(({ id }) => id), now, fence }),
    },
    events.map(keyOfEvent),
  );
}

/** Hands notices to identity, which knows owners and languages; while it is away they wait for the next run. */
async function handOver(
  { platformDb, log, service, tellOwners }: WebhooksContext,
  waiting: readonly (FailingRule & { notice_at: number })[],
): Promise<void> {
  const notices = waiting.map((rule) => ({
    service,
    rule_id: rule.id,
    company_id: rule.company_id,
    told_at: rule.notice_at,
    rule_name: rule.name,
    rule_event_type: rule.event_type,
    host: rule.host,
  }));
  try {
    await withTimeout(tellOwners(notices), HANDOVER_MS);
  } catch (error) {
    log.warn("owners of failing rules wait for their mail", { count: notices.length, error: errorName(error) });
    return;
  }
  await platformDb.run(endNotices({ notices: waiting.map(({ id, notice_at }) => ({ id, notice_at })) }));
}
