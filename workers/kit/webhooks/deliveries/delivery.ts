import type { RuleRow } from "../../../../db/kit/webhooks";
import type { requeueStatuses } from "../../../../schemas/webhooks/subscriptions";
import { type Bound, followedBy } from "../../db/statement";
import { idBefore, uuid } from "../../ids";
import { invalid, Problem } from "../../problem";
import type { WebhookScope } from "../api";
import type { WebhooksContext } from "../context";
import { enqueueFirstAttempts } from "../dispatch/first-attempt";
import type { EventRow } from "../event-log/event-log";
import { selectRule } from "../subscriptions/subscription";
import {
  type DeliveryWithBody,
  findDelivery,
  LISTED_ATTEMPTS,
  type ListedDelivery,
  selectDeliveryPage,
} from "./delivery.store";
import { countRequeue, requeueDelivery, requeueOfRule } from "./requeue.store";

/** The scope's function that returns the statement of an audit entry, if it has one. */
type Audit = Pick<WebhookScope, "auditAction">;

/** When the queue message of a replayed event is lost, a retry run makes the first attempt after this time. */
const FIRST_ATTEMPT_WAIT_MS = 30_000;

/** Returns the statement that reads a page of a company's deliveries, newest first. */
export const selectDeliveries = selectDeliveryPage;

/** Returns the statement that reads a delivery of any company; a null id matches none. */
export const selectDelivery = (id: string | null) => findDelivery({ id, company: null });

/**
 * Requeues a delivery for the next retry run and returns it as it appears in lists. Throws 404, 409 `rule_deleted` or
 * 409 `delivery_not_requeueable`.
 */
export async function requeue(
  { dbOf, clock }: WebhooksContext,
  { id, company_id: companyId }: DeliveryWithBody,
  { auditAction }: Audit,
): Promise<ListedDelivery> {
  const entries = auditAction
    ? [await auditAction({ verb: "delivery.requeued", companyId, data: { delivery_id: id } })]
    : [];
  const { isRequeued, row } = await requeueDelivery(dbOf(companyId), id, clock.now(), entries);
  if (row === null) throw new Problem("not_found");
  if (isRequeued) return { ...row, attempts: row.attempts.slice(0, LISTED_ATTEMPTS) };
  throw new Problem(row.rule_enabled === null ? "rule_deleted" : "delivery_not_requeueable");
}

/**
 * Creates a new delivery of a stored event for a subscription of the same company and event type. Throws 400
 * `action_rule_id: [mismatch]`. Throws 409 `conflict` when the subscription already has a delivery of the event, or
 * when the event was stored without its envelope.
 */
export async function replay(
  context: WebhooksContext,
  event: EventRow,
  ruleId: number,
  { auditAction }: Audit,
): Promise<DeliveryWithBody> {
  const { dbOf, clock, outbox } = context;
  const { company_id: company } = event;
  const id = uuid();
  const now = clock.now();
  const data = { delivery_id: id, event_id: event.id, rule_id: ruleId };
  const entries = auditAction ? [await auditAction({ verb: "event.replayed", companyId: company, data })] : [];
  const { rule, delivery } = await dbOf(company).batch({
    rule: selectRule(ruleId, company),
    added: followedBy(
      outbox.addReplay({ id, company, event: event.id, rule: ruleId, now, due: now + FIRST_ATTEMPT_WAIT_MS }),
      ...entries,
    ),
    delivery: findDelivery({ id, company }),
  });
  if (rule.first?.event_type !== event.event_type) throw invalid({ action_rule_id: ["mismatch"] });
  if (delivery.first === null) throw new Problem("conflict");
  await enqueueFirstAttempts(context, [{ id, company_id: company }]);
  return delivery.first;
}

/** Defines which deliveries of a subscription to requeue; times are unix ms. `dryRun` only counts them. */
export type RequeueChoice = {
  status: (typeof requeueStatuses)[number];
  since: number;
  until: number;
  dryRun: boolean;
  /** the last event that the previous call scanned */
  after: string | null;
};

/**
 * The result of a requeue. `next` is the last scanned event when a requeue of missing deliveries reached the limit of
 * one call, else null or undefined.
 */
export type Requeued = { requeued: number; complete: boolean; next?: string | null };

/**
 * Requeues deliveries of a subscription, oldest first, at most 20,000 per call. With the status `missing` it creates
 * the missing deliveries of events of the subscription's type instead.
 */
export async function requeueAll(
  context: WebhooksContext,
  rule: RuleRow,
  choice: RequeueChoice,
  { auditAction }: Audit,
): Promise<Requeued> {
  const { dbOf, clock } = context;
  const { status, since, until, dryRun } = choice;
  const action = { verb: "rule.requeued", companyId: rule.company_id, data: { rule_id: rule.id, status } } as const;
  const entries = auditAction && !dryRun ? [await auditAction(action)] : [];
  if (status === "missing") return addMissing(context, rule, choice, entries);
  const chosen = { status, since, until };
  const db = dbOf(rule.company_id);
  return dryRun ? countRequeue(db, rule.id, chosen) : requeueOfRule(db, rule.id, chosen, clock.now(), entries);
}

/**
 * Creates deliveries of the events that have none for the subscription; the next retry run sends them. A repeated call
 * creates no second delivery.
 */
async function addMissing(
  { dbOf, clock, outbox }: WebhooksContext,
  { id: rule, company_id: company, event_type: type }: RuleRow,
  { since, until, dryRun, after }: RequeueChoice,
  entries: Bound[],
): Promise<Requeued> {
  const start = idBefore(since);
  const above = after !== null && after > start ? after : start;
  const range = { company, type, above, below: idBefore(until) };
  const events = { ...range, rule };
  const { count, add, end } = outbox.missing.isFrequent(type) ? outbox.missing.frequent : outbox.missing.rare;
  const results = await dbOf(company).batch({
    counted: dryRun ? count(events) : null,
    added: dryRun ? null : followedBy(add({ ...events, now: clock.now() }), ...entries),
    end: end(range),
  });
  const next = results.end.first?.last ?? null;
  const requeued = results.counted?.first?.missing ?? results.added?.changes ?? 0;
  return { requeued, complete: next === null, next };
}
